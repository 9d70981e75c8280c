// MUNGE credentials: decoding the uid of their creator.
#ifndef PRIORITYD_SERVER_IDENTITY_MUNGE_CREDENTIAL_H_
#define PRIORITYD_SERVER_IDENTITY_MUNGE_CREDENTIAL_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace priorityd::identity {

// The required payload of a credential, so that one made for another service is not valid here.
inline constexpr char kMungePayload[] = "priorityd";
inline constexpr size_t kMaxMungeBytes = 4 << 10;

// Decodes a credential by munged; blocks. `socket`: munged's socket; empty = munged's default.
// Refuses with MUNGE_REPLAYED (decoded before), MUNGE_EXPIRED, MUNGE_REWOUND (a clock is behind) or
// MUNGE_INVALID; UNAVAILABLE (MUNGE_UNREACHABLE) if munged does not answer.
absl::StatusOr<uid_t> DecodeMunge(const std::string& credential, const std::string& socket);

// The user's name on this host; may wait for a directory service. Refuses (UID_UNKNOWN) a uid
// without one.
absl::StatusOr<std::string> UserNameOf(uid_t uid);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_MUNGE_CREDENTIAL_H_
