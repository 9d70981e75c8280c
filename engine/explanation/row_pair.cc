#include "engine/explanation/row_pair.h"

#include <cmath>

#include "engine/numbers/whole_number.h"
#include "engine/priority/jobs/eligibility.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/ranking/scoring.h"
#include "engine/priority/ranking/start_order.h"
#include "engine/priority/site/microseconds.h"

namespace priorityd::explanation {
namespace {

void AppendJob(const priority::JobTable& from, uint32_t row, priority::JobTable& to) {
  const auto append = [row](const auto& column, auto& target) { target.push_back(column[row]); };
  to.job_id.push_back(from.job_id[from.job[row]]);
  to.association.push_back(from.association[from.job[row]]);
  to.unresolved.push_back(from.unresolved[from.job[row]]);
  to.job.push_back(static_cast<uint32_t>(to.jobs() - 1));
  append(from.partition, to.partition);
  append(from.qos, to.qos);
  if (!from.factor_qos.empty()) append(from.factor_qos, to.factor_qos);
  append(from.reason, to.reason);
  append(from.flags, to.flags);
  append(from.accrue_us, to.accrue_us);
  append(from.begin_us, to.begin_us);
  append(from.submit_us, to.submit_us);
  append(from.assoc, to.assoc);
  append(from.fair_share, to.fair_share);
  append(from.job_size, to.job_size);
  append(from.tres, to.tres);
  append(from.site, to.site);
  append(from.nice, to.nice);
  append(from.admin_priority, to.admin_priority);
  append(from.previous_priority, to.previous_priority);
}

}  // namespace

RowPair::RowPair(const priority::ScoredQueue& queue, uint32_t first, uint32_t later)
    : queue_(queue) {
  AppendJob(queue.table(), first, table_);
  AppendJob(queue.table(), later, table_);
  table_.first_row = {0, 1, 2};
  for (const int side : {0, 1}) {
    inputs_.nice[side] = table_.nice[side];
    inputs_.fair_share[side] = queue.scale().FairShareFactor(table_.association[side]);
  }
}

RowPair::Scored RowPair::Score(const PairInputs& inputs) const {
  Scored scored{table_, queue_.as_of() + inputs.waited, {}};
  for (const int side : {0, 1}) {
    scored.table.nice[side] = inputs.nice[side];
    scored.table.fair_share[side] =
        priority::Contribution(queue_.policy().weight_fair_share, inputs.fair_share[side]);
  }
  priorityd::priority::Score(scored.table, queue_.scale(), scored.as_of, scored.priorities);
  return scored;
}

bool RowPair::BelowThreshold(int side, double fair_share) const {
  const int qos = table_.qos[side];
  return qos >= 0 && priority::BelowUsageThreshold(queue_.snapshot().qos()[qos], fair_share);
}

bool RowPair::FairShareCounts() const {
  constexpr double kNobodys = -1;
  return queue_.policy().weight_fair_share > 0 || BelowThreshold(0, kNobodys);
}

bool RowPair::Turned(const PairInputs& inputs) const {
  if (BelowThreshold(1, inputs.fair_share[1])) return false;
  if (BelowThreshold(0, inputs.fair_share[0])) return true;
  const Scored scored = Score(inputs);
  return priority::StartOrder(queue_.snapshot(), scored.table, scored.priorities, scored.as_of)
      .Before(1, 0);
}

uint32_t RowPair::Priority(int side, const PairInputs& inputs) const {
  return Score(inputs).priorities[side];
}

absl::Duration RowPair::AgeBegins(int side) const {
  const double accrue_us = table_.accrue_us[side];
  if ((table_.flags[side] & priority::JobTable::kNoAccrual) != 0 || std::isinf(accrue_us)) {
    return absl::InfiniteDuration();
  }
  return absl::FromUnixMicros(numbers::WholePart(accrue_us)) -
         priority::CutToMicroseconds(queue_.as_of());
}

absl::Duration RowPair::AgeIsFull(int side) const {
  return AgeBegins(side) + queue_.policy().max_age;
}

}  // namespace priorityd::explanation
