#include "engine/priority/ranking/scored_queue.h"

#include <memory>
#include <utility>

#include "engine/priority/ranking/accrue_limits.h"
#include "engine/priority/ranking/scoring.h"

namespace priorityd::priority {

ScoredQueue::ScoredQueue(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of,
                         const WholeQueue* whole)
    : jobs_(jobs),
      as_of_(as_of),
      as_of_us_(absl::ToUnixMicros(as_of)),
      scale_(snapshot),
      table_(BuildJobTable(scale_, jobs, as_of)),
      demands_(snapshot, jobs, table_),
      counts_(whole == nullptr ? LimitCounts(snapshot.limits()) : LimitCounts()),
      limits_(snapshot, whole == nullptr ? counts_ : *whole->counts, as_of) {
  if (whole == nullptr) demands_.CountRunning(snapshot, table_, &counts_);
  limits_.Apply(demands_, table_);
  if (whole == nullptr) {
    ApplyAccrueLimits(snapshot, as_of, table_);
  } else {
    for (size_t row = 0; row < table_.rows(); ++row) {
      if (whole->accrue_limited[table_.job[row]] != 0) table_.flags[row] |= JobTable::kNoAccrual;
    }
  }
  Score(table_, scale_, as_of, priorities_);
}

Ineligibility ScoredQueue::WhyIneligible(size_t row) const {
  const Reason reason = ReasonOf(row);
  const bool depends = jobs_[table_.job[row]].dependency_until > as_of_;
  if (reason == Reason::kBeginTime && depends) return {Reason::kDependency, {}};
  if (reason != Reason::kLimit) return {reason, {}};
  return {reason, limits_.FirstExceeded(table_, demands_, row)};
}

bool ScoredQueue::Startable(uint32_t job) const {
  for (uint32_t row = table_.first_row[job]; row < table_.first_row[job + 1]; ++row) {
    if (ReasonOf(row) == Reason::kNone) return true;
  }
  return false;
}

void ScoredQueue::FillRow(size_t row, bool with_factors, JobRow& filled) const {
  filled.job = table_.job[row];
  filled.partition = table_.partition[row];
  filled.qos = table_.qos[row];
  filled.association = table_.association[filled.job];
  if (policy().priority_type == PriorityType::kBasic) return;
  filled.priority = priorities_[row];
  if (!with_factors) return;
  RowFactors factors = FactorsOf(table_, scale_, jobs_[filled.job], row, as_of_);
  filled.factors = std::make_unique<const PriorityFactors>(std::move(factors.factors));
  filled.contributions = std::make_unique<const PriorityFactors>(std::move(factors.contributions));
}

void ScoredQueue::FillUnresolved(uint32_t job, JobRow& filled) const {
  filled.job = job;
  filled.association = table_.association[job];
}

}  // namespace priorityd::priority
