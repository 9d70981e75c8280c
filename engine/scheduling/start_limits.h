// The limits of associations, QOS and grants on the jobs that a plan starts now.
#ifndef PRIORITYD_ENGINE_SCHEDULING_START_LIMITS_H_
#define PRIORITYD_ENGINE_SCHEDULING_START_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/limits/limit_counts.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/scheduling/planned_queue.h"

namespace priorityd::scheduling {

// Checks rows as the ranking does (docs/semantics.md, section 8), which compares each pending job
// with the running jobs alone, and counts those that Start was called for as running too.
// Thread-compatible.
class StartLimits {
 public:
  // The ranking has all running jobs. What the queue refers to must outlive it.
  explicit StartLimits(const PlannedQueue& queue);

  // Whether there are no limits.
  bool empty() const { return check_.empty(); }

  // The first limit that the job of a startable row would exceed in that partition and QOS; nullopt
  // = it may start.
  std::optional<priority::ExceededLimit> FirstExceeded(const priority::JobRow& row);
  // From now on the job runs there, for its time limit.
  void Start(const priority::JobRow& row);

 private:
  void CountRunning();
  // Reads the job of the row; returns the number of the row in table_.
  size_t Read(const priority::JobRow& row);

  const PlannedQueue& queue_;
  const priority::FactorScale scale_;
  priority::JobTableBuilder builder_;
  priority::LimitCounts counts_;
  const priority::LimitCheck check_;
  // Of the job that was read last.
  std::optional<uint32_t> read_;
  priority::JobTable table_;
  priority::LimitDemands demands_;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_START_LIMITS_H_
