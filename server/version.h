#ifndef PRIORITYD_SERVER_VERSION_H_
#define PRIORITYD_SERVER_VERSION_H_

namespace priorityd {

// As in CHANGELOG.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_VERSION_H_
