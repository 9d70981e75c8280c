#include "server/queue/state/site_factors.h"

#include <optional>

#include "server/queue/state/packed_job.h"

namespace priorityd::queue {

std::vector<JobChange> TakeSiteFactors(const TrackedQueue& queue,
                                       absl::Span<const SiteFactor> factors) {
  std::vector<JobChange> changes;
  for (const SiteFactor& factor : factors) {
    std::optional<TrackedJob> job = queue.Find(factor.job_id);
    if (!job.has_value() || job->ended() || job->job.state != priority::JobState::kPending)
      continue;
    if (job->site_factor_answered && job->job.site_factor == factor.site_factor) continue;
    job->job.site_factor = factor.site_factor;
    job->site_factor_answered = true;
    changes.push_back({factor.job_id, PackJob(*job)});
  }
  return changes;
}

void KeepSiteFactor(const TrackedJob& before, TrackedJob* after) {
  if (!before.site_factor_answered || before.ended()) return;
  after->job.site_factor = before.job.site_factor;
  after->site_factor_answered = true;
}

}  // namespace priorityd::queue
