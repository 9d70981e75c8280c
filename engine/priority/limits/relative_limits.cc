#include "engine/priority/limits/relative_limits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/site/capacity.h"

namespace priorityd::priority {
namespace {

const Partition* FindPartitionOf(const Qos& qos, absl::Span<const Partition> partitions) {
  const auto found = absl::c_find_if(
      partitions, [&](const Partition& partition) { return partition.qos == qos.name; });
  return found == partitions.end() ? nullptr : &*found;
}

TresMap TotalsOf(const Policy& policy, const Cluster& cluster, const Partition& partition) {
  TresMap totals = partition.tres;
  totals["node"] = partition.nodes;
  for (const auto& [name, total] : cluster.tres) {
    const bool is_global = absl::StartsWith(name, "license/") || absl::StartsWith(name, "bb/");
    if (is_global) totals[name] = total;
  }
  totals["billing"] =
      Billing(BillingRuleFor(policy, partition.billing_weights), partition.billing_weights, totals);
  return totals;
}

TresMap TotalsOf(const Policy& policy, const Cluster& cluster,
                 absl::Span<const Partition> partitions) {
  TresMap totals = cluster.tres;
  totals["cpu"] = cluster.cpus;
  totals["node"] = cluster.nodes;
  totals["billing"] = CapacityOf(policy, cluster, partitions).billing;
  return totals;
}

double TotalOf(const TresMap& totals, const std::string& tres) {
  const auto found = totals.find(tres);
  return found == totals.end() ? 0 : found->second;
}

double CountOf(double percent, double total) {
  return std::floor(std::floor(std::min(percent, 100.0)) * std::floor(total) / 100);
}

void MakeAbsolute(const TresMap& totals, Qos* qos) {
  TresMap minutes;
  for (const auto& [tres, percent] : qos->grp_tres_mins) {
    const double total = TotalOf(totals, tres);
    if (total > 0) minutes[tres] = CountOf(percent, total);
  }
  qos->grp_tres_mins = std::move(minutes);
  std::vector<LimitValue> limits;
  for (LimitValue limit : qos->other_limits) {
    const double total = limit.tres.empty() ? 0 : TotalOf(totals, limit.tres);
    if (!limit.tres.empty() && total <= 0) continue;
    if (!limit.tres.empty()) limit.value = CountOf(limit.value, total);
    limits.push_back(std::move(limit));
  }
  qos->other_limits = std::move(limits);
}

}  // namespace

std::vector<Qos> WithAbsoluteLimits(absl::Span<const Qos> qos, const Policy& policy,
                                    const Cluster& cluster,
                                    absl::Span<const Partition> partitions) {
  std::vector<Qos> result(qos.begin(), qos.end());
  for (Qos& one : result) {
    if (!one.relative) continue;
    const Partition* partition = FindPartitionOf(one, partitions);
    MakeAbsolute(partition == nullptr ? TotalsOf(policy, cluster, partitions)
                                      : TotalsOf(policy, cluster, *partition),
                 &one);
  }
  return result;
}

bool IsForPartitionOnly(const Qos& qos, absl::Span<const Partition> partitions) {
  return qos.relative && FindPartitionOf(qos, partitions) != nullptr;
}

}  // namespace priorityd::priority
