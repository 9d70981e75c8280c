// What a site's own service says of tracked jobs.
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
};

// What the factors change: of pending jobs the site factor, which from then on is
// the service's. Jobs that are gone or have started meanwhile stay as they are.
std::vector<JobChange> TakeSiteFactors(const TrackedQueue& queue,
                                       absl::Span<const SiteFactor> factors);

// Of a job that is upserted: the service's word stays, whatever the frontend says.
// Call it where the policy has a PrioritySiteFactorPlugin.
void CarrySiteFactor(const TrackedJob& before, TrackedJob* after);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SITE_FACTORS_H_
