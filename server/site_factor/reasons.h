// Asks the site's service why it gives a job its factor.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_REASONS_H_
#define PRIORITYD_SERVER_SITE_FACTOR_REASONS_H_

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/site_factors.h"
#include "server/queue/state/tracked_job.h"
#include "server/site_factor/site_factors.h"

namespace priorityd::site_factor {

// Reasons are for readers: they are asked when a job is explained and kept nowhere, so that a queue
// of a million jobs has no text for each. Thread-safe.
class Reasons {
 public:
  static constexpr int kCallsAtOnce = 4;
  static constexpr absl::Duration kTimeout = absl::Milliseconds(500);

  explicit Reasons(SiteFactors::Connect connect) : connect_(std::move(connect)) {}

  // The factor that the service of the policy gives the job now, with a reason. Waits for the
  // answer until kTimeout, or the timeout of the policy if that is shorter. nullopt if it fails, is
  // wrong, has no reason, or kCallsAtOnce others wait. REQUIRES: the policy has a plugin.
  std::optional<queue::SiteFactor> Ask(const priority::Snapshot& snapshot,
                                       const queue::TrackedJob& job);

 private:
  bool Enter();
  void Leave();

  const SiteFactors::Connect connect_;
  absl::Mutex mutex_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_REASONS_H_
