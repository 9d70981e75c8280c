#include "engine/scheduling/limit_pools.h"

#include <algorithm>

#include "engine/plan/parts.h"

namespace priorityd::scheduling {

using priority::Limit;
using priority::LimitMeasure;
using priority::Limits;

bool IsPool(const Limit& limit) {
  const priority::LimitRule& rule = limit.rule();
  return rule.scope != priority::LimitScope::kJob && !rule.is_least && !rule.counts_usage &&
         rule.phase != priority::LimitPhase::kSubmission &&
         (rule.measure == LimitMeasure::kJobs || rule.measure == LimitMeasure::kTres);
}

LimitPools::LimitPools(const priority::Snapshot& snapshot, int first)
    : limits_(snapshot.limits()),
      snapshot_(snapshot),
      first_(first),
      tres_(limits_.tres()),
      billing_(snapshot),
      billing_column_(limits_.TresIndexOf("billing")) {}

std::vector<plan::PoolNeed> LimitPools::NeedsOf(const priority::Job& job,
                                                const priority::JobRow& row) {
  std::vector<plan::PoolNeed> needs;
  if (limits_.empty() || row.association == priority::kNoAssociation) return needs;
  const absl::Span<const double> tres = tres_.Read(job, snapshot_.job_defaults(row.partition));
  const Limits::QosChain& qos = limits_.OfQos(limits_.OrderOf(row.partition, row.qos));
  const Limits::Chain& association = limits_.OfAssociation(row.association);
  for (const std::vector<int32_t>* chain :
       {&qos.chain.first, &qos.chain.second, &association.first, &association.second}) {
    for (const int32_t index : *chain) {
      const Limit& limit = limits_.limits()[index];
      if (!IsPool(limit) || limits_.IsReplaced(limit, qos)) continue;
      const double amount = limit.tres < 0                  ? 1
                            : limit.tres == billing_column_ ? billing_.Count(job, row.partition)
                                                            : tres[limit.tres];
      Add(limit, index, qos, row, amount, &needs);
    }
  }
  return needs;
}

void LimitPools::Add(const Limit& limit, int32_t index, const Limits::QosChain& qos,
                     const priority::JobRow& row, double amount,
                     std::vector<plan::PoolNeed>* needs) {
  if (amount <= 0) return;
  const std::pair key(index, limits_.CounterOf(limit, row.association));
  const auto [pool, is_new] = pool_of_.emplace(key, static_cast<int>(sizes_.size()));
  if (is_new) {
    sizes_.push_back(0);
    wanted_.emplace_back();
  }
  int64_t& size = sizes_[pool->second];
  size = std::max(size, plan::Down(Limits::BoundOf(limit, qos)));
  Wanted& wanted = wanted_[pool->second];
  if (wanted.jobs < kMostJobs) wanted.amount += plan::Up(amount);  // 64 bits hold so many.
  ++wanted.jobs;
  needs->push_back({first_ + pool->second, plan::Up(amount)});
}

bool LimitPools::CanFill(int pool) const {
  const Wanted& wanted = wanted_[pool - first_];
  return wanted.amount > sizes_[pool - first_] && wanted.jobs <= kMostJobs;
}

}  // namespace priorityd::scheduling
