// A queue of jobs, resolved and scored at one time: the basis of rankings and explanations.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_SCORED_QUEUE_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_SCORED_QUEUE_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/limits/limit_counts.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// Data of a whole queue that a part of its jobs depends on.
struct WholeQueue {
  // The sums of the queue's jobs for limits.
  const LimitCounts* counts = nullptr;
  // By job of the part: 1 = beyond an accrue limit (FindAccrueLimited).
  absl::Span<const uint8_t> accrue_limited;
};

// `snapshot`, `jobs` and `whole` must outlive it. Thread-compatible: all methods are const.
class ScoredQueue {
 public:
  // `whole`: the queue of which `jobs` are a part; null = `jobs` are the whole queue.
  ScoredQueue(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of,
              const WholeQueue* whole = nullptr);
  ScoredQueue(const ScoredQueue&) = delete;
  ScoredQueue& operator=(const ScoredQueue&) = delete;

  const Snapshot& snapshot() const { return scale_.snapshot(); }
  const Policy& policy() const { return scale_.policy(); }
  const FactorScale& scale() const { return scale_; }
  const JobTable& table() const { return table_; }
  absl::Span<const Job> jobs() const { return jobs_; }
  absl::Span<const uint32_t> priorities() const { return priorities_; }
  absl::Time as_of() const { return as_of_; }

  // The reason that the pair of a row cannot start now; kNone = it can.
  Reason ReasonOf(size_t row) const { return table_.ReasonAt(row, as_of_us_); }
  // The same, with the arithmetic of the limit if the reason is kLimit.
  Ineligibility WhyIneligible(size_t row) const;
  // The same for a job without rows.
  Ineligibility WhyUnresolved(uint32_t job) const { return {table_.unresolved[job], {}}; }
  // Whether a job runs or is suspended.
  bool Started(uint32_t job) const {
    return jobs_[job].state != JobState::kPending && table_.unresolved[job] != Reason::kInvalidJob;
  }
  // Whether a job has a pair that can start now.
  bool Startable(uint32_t job) const;
  // Fills `filled` from a row of the table.
  void FillRow(size_t row, bool with_factors, JobRow& filled) const;
  // The same for a job without rows.
  void FillUnresolved(uint32_t job, JobRow& filled) const;

 private:
  absl::Span<const Job> jobs_;
  absl::Time as_of_;
  int64_t as_of_us_;
  FactorScale scale_;
  JobTable table_;
  LimitDemands demands_;
  LimitCounts counts_;  // The sums of these jobs; empty with `whole`.
  LimitCheck limits_;
  std::vector<uint32_t> priorities_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_SCORED_QUEUE_H_
