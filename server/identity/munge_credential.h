// MUNGE credentials: which uid of the site made one.
#ifndef PRIORITYD_SERVER_IDENTITY_MUNGE_CREDENTIAL_H_
#define PRIORITYD_SERVER_IDENTITY_MUNGE_CREDENTIAL_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace priorityd::identity {

// What a credential must carry: one that was made for another service proves nothing here.
inline constexpr char kMungePayload[] = "priorityd";
inline constexpr size_t kMaxMungeBytes = 4 << 10;

// Asks munged, and so waits for it. `socket` is its socket; empty = munged's default. Refuses with
// MUNGE_REPLAYED a credential that was decoded before, MUNGE_EXPIRED, MUNGE_REWOUND (a clock is
// behind), else MUNGE_INVALID; UNAVAILABLE (MUNGE_UNREACHABLE) where munged does not answer.
absl::StatusOr<uid_t> DecodeMunge(const std::string& credential, const std::string& socket);

// The user's name on this host; may wait for a directory service. Refuses (UID_UNKNOWN) a uid
// without one.
absl::StatusOr<std::string> UserNameOf(uid_t uid);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_MUNGE_CREDENTIAL_H_
