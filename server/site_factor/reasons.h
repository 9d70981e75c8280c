// Asks the site's service why it gives a job its factor.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_REASONS_H_
#define PRIORITYD_SERVER_SITE_FACTOR_REASONS_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/site_factors.h"
#include "server/queue/state/tracked_job.h"
#include "server/site_factor/site_factors.h"
#include "server/threads/clock.h"

namespace priorityd::site_factor {

// Reasons are for readers: they are asked when a job is explained and kept nowhere, so that a queue
// of a million jobs has no text for each. A caller waits on a thread that also ranks, so one waits
// at a time, and a service that failed is left alone for a while. Thread-safe.
class Reasons {
 public:
  static constexpr absl::Duration kTimeout = absl::Milliseconds(250);
  static constexpr absl::Duration kPause = absl::Seconds(30);

  // `clock`: Clocks::real.
  Reasons(SiteFactors::Connect connect, threads::Clock clock)
      : connect_(std::move(connect)), clock_(std::move(clock)) {}

  // The factor that the service of the policy gives the job now, with a reason. Waits for the
  // answer until kTimeout, or the timeout of the policy if that is shorter. nullopt if it fails, is
  // wrong or has no reason; at once if another caller waits, or if a call to the same address
  // failed less than kPause ago. REQUIRES: the policy has a plugin.
  std::optional<queue::SiteFactor> Ask(const priority::Snapshot& snapshot,
                                       const queue::TrackedJob& job);

 private:
  bool Enter(const std::string& address);
  void Leave(const std::string& address, bool answered);

  const SiteFactors::Connect connect_;
  const threads::Clock clock_;
  absl::Mutex mutex_;
  bool is_waiting_ ABSL_GUARDED_BY(mutex_) = false;
  // By address: until when a service is not asked.
  absl::flat_hash_map<std::string, absl::Time> paused_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_REASONS_H_
