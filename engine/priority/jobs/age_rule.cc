#include "engine/priority/jobs/age_rule.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "engine/priority/jobs/eligibility.h"

namespace priorityd::priority {

bool AgeRule::StandsStill(const Job& job, const ResolvedJob& resolved, double nodes) {
  if (Eligibility::OfJob(job) != Reason::kNone) return true;
  if (resolved.reason != Reason::kNone || snapshot_.policy().accrue_always) return false;
  return absl::c_none_of(resolved.partitions, [&](int partition) {
    return absl::c_any_of(resolved.qos, [&](int qos) {
      return Fits(job, nodes, resolved.association, partition, qos);
    });
  });
}

bool AgeRule::Fits(const Job& job, double nodes, AssociationIndex association, int partition,
                   int qos) {
  if (!Eligibility::WithinLimits(snapshot_, job, partition, qos)) return false;
  if (!limits_.of_nodes_or_wall()) return true;
  const Most& most = MostOf(association, limits_.OrderOf(partition, qos));
  constexpr double kMore = 1 + Limits::kTolerance;
  if (nodes > most.nodes * kMore) return false;
  return !job.time_limit.has_value() ||
         absl::ToDoubleSeconds(*job.time_limit) <= most.seconds * kMore;
}

const AgeRule::Most& AgeRule::MostOf(AssociationIndex association, const QosOrder& order) {
  const auto [entry, is_new] = most_.try_emplace({limits_.ChainOf(association), order.number});
  if (!is_new) return entry->second;
  Most& most = entry->second;
  const Limits::QosChain& qos = limits_.OfQos(order);
  most.seconds = limits_.MaxWallOf(association, qos).value_or(most.seconds);
  for (const auto* chain : {&qos.chain.nodes, &limits_.OfAssociation(association).nodes}) {
    for (const int32_t i : *chain) {
      const Limit& limit = limits_.limits()[i];
      if (limits_.IsReplaced(limit, qos)) continue;
      most.nodes = std::min(most.nodes, Limits::BoundOf(limit, qos));
    }
  }
  return most;
}

absl::Time AccruesFrom(const Job& job, absl::Time now) {
  return std::max({now, *job.accrual_stopped, job.begin_time().value_or(now)});
}

}  // namespace priorityd::priority
