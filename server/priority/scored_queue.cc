#include "server/priority/scored_queue.h"

#include <memory>
#include <utility>

#include "server/priority/scoring.h"

namespace priorityd {

ScoredQueue::ScoredQueue(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of)
    : jobs_(jobs),
      as_of_(as_of),
      as_of_us_(absl::ToUnixMicros(as_of)),
      scale_(snapshot),
      table_(BuildJobTable(scale_, jobs, as_of)) {
  ApplyAccrueLimits(snapshot, as_of, table_);
  Score(table_, scale_, as_of, priorities_);
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

}  // namespace priorityd
