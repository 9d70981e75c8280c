// Credentials that were checked before the calls that they are for.
#ifndef PRIORITYD_SERVER_TRANSPORT_PROVED_AHEAD_H_
#define PRIORITYD_SERVER_TRANSPORT_PROVED_AHEAD_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/identity/principal.h"

namespace priorityd::rpc {

// A MUNGE credential is accepted once, so its principal is kept until the rest of the call has
// arrived, or the client has given it up. Thread-safe.
class ProvedAhead {
 public:
  // Above the time that a client has for a message by HTTP.
  static constexpr absl::Duration kKept = absl::Minutes(1);
  static constexpr size_t kMost = 64;

  void Keep(std::string credential, identity::Principal principal, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Once; with the roles of the time at which it was checked. nullopt = it was not, or too long
  // ago.
  std::optional<identity::Principal> Take(absl::string_view credential, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Proved {
    std::string credential;
    identity::Principal principal;
    absl::Time until;
  };

  absl::Mutex mutex_;
  std::deque<Proved> proved_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_PROVED_AHEAD_H_
