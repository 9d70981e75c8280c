// Site factors of tracked jobs from the site's service.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SITE_FACTORS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SITE_FACTORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

struct SiteFactor {
  std::string job_id;
  int64_t site_factor = 0;  // -2147483648 to 2147483647.
  std::string reason;       // Of an answer to a question that explains; not kept.
};

// The changes by the factors: sets the site factor of pending jobs, which the service determines
// from then on. Jobs that are gone or have started meanwhile stay unchanged.
std::vector<JobChange> TakeSiteFactors(const TrackedQueue& queue,
                                       absl::Span<const SiteFactor> factors);

// Keeps the service's factor in an upserted job, whatever the frontend sends. Call if the policy
// has a PrioritySiteFactorPlugin.
void KeepSiteFactor(const TrackedJob& before, TrackedJob* after);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SITE_FACTORS_H_
