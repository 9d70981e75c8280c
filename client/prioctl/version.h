#ifndef PRIORITYD_CLIENT_PRIOCTL_VERSION_H_
#define PRIORITYD_CLIENT_PRIOCTL_VERSION_H_

namespace priorityd::prioctl {

// As in CHANGELOG.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_VERSION_H_
