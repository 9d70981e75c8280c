#include "server/priority/scored_queue.h"

#include <memory>
#include <utility>

#include "server/priority/scoring.h"

namespace priorityd::priority {

ScoredQueue::ScoredQueue(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of,
                         const WholeQueue* whole)
    : jobs_(jobs),
      as_of_(as_of),
      as_of_us_(absl::ToUnixMicros(as_of)),
      scale_(snapshot),
      table_(BuildJobTable(scale_, jobs, as_of)),
      demands_(snapshot, jobs, table_),
      limits_(snapshot, whole == nullptr ? demands_.running() : whole->running, as_of) {
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

Refusal ScoredQueue::RefusalOf(size_t row) const {
  const Reason reason = ReasonOf(row);
  const Job& job = jobs_[table_.job[row]];
  const AssociationIndex association = table_.association[table_.job[row]];
  const int partition = table_.partition[row];
  const int qos = table_.qos[row];
  if (reason >= Reason::kAssocGrpTresMinutes && reason <= Reason::kQosGrpWall) {
    const auto exceeded = limits_.FirstExceeded(table_, demands_, row);
    return {LimitReasonName(snapshot().usage_limits(), *exceeded->limit),
            limits_.Message(*exceeded)};
  }
  return {ReasonName(reason), ReasonMessage(snapshot(), reason, job, association, partition, qos)};
}

Refusal ScoredQueue::RefusalOfUnresolved(uint32_t job) const {
  const Reason reason = table_.unresolved[job];
  return {ReasonName(reason),
          ReasonMessage(snapshot(), reason, jobs_[job], table_.association[job], -1, -1)};
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
