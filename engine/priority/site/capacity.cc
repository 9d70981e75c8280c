#include "engine/priority/site/capacity.h"

#include <algorithm>

#include "engine/priority/site/billing.h"

namespace priorityd::priority {
namespace {

void Raise(absl::string_view name, double total, TresMap* totals) {
  if (total <= 0 || TresScopeOf(name) == TresScope::kBilling) return;
  double& known = (*totals)[std::string(name)];
  known = std::max(known, total);
}

void RaiseAll(const TresMap& tres, TresMap* totals) {
  for (const auto& [name, total] : tres) Raise(name, total, totals);
}

TresMap TotalsOf(const Cluster& cluster, absl::Span<const Partition> partitions) {
  TresMap totals;
  Raise("cpu", cluster.cpus, &totals);
  Raise("node", cluster.nodes, &totals);
  RaiseAll(cluster.tres, &totals);
  for (const Partition& partition : partitions) {
    Raise("node", partition.nodes, &totals);
    RaiseAll(partition.tres, &totals);
  }
  // Slurm counts a node without RealMemory as 1 MB, which is not its real size.
  if (totals.contains("mem") && totals["mem"] <= totals["node"]) totals.erase("mem");
  return totals;
}

// Adds a partition's prices. Skips weights below 0: with them the whole would cost less than a
// part of it.
void AddPrices(const Policy& policy, const TresMap& weights, Capacity* capacity) {
  TresMap counts;
  TresMap positive;
  for (const auto& [name, weight] : weights.empty() ? TresMap{{"cpu", 1}} : weights) {
    if (weight <= 0 || TresScopeOf(name) == TresScope::kBilling) continue;
    positive[name] = weight;
    counts[name] = capacity->TotalOf(name);
    if (counts[name] == 0) capacity->unknown = name;
  }
  const BillingRule rule = BillingRuleFor(policy, weights);
  capacity->billing = std::max(capacity->billing, Billing(rule, positive, counts));
}

}  // namespace

double Capacity::TotalOf(absl::string_view name) const {
  auto found = totals.find(std::string(name));
  const size_t colon = name.find(':');
  if (found == totals.end() && colon != absl::string_view::npos) {
    found = totals.find(std::string(name.substr(0, colon)));
  }
  return found == totals.end() ? 0 : found->second;
}

Capacity CapacityOf(const Policy& policy, const Cluster& cluster,
                    absl::Span<const Partition> partitions) {
  Capacity capacity{.totals = TotalsOf(cluster, partitions)};
  AddPrices(policy, {}, &capacity);  // Without a partition, the price is the CPU count.
  for (const Partition& partition : partitions) {
    AddPrices(policy, partition.billing_weights, &capacity);
  }
  if (!capacity.unknown.empty()) capacity.billing = 0;
  return capacity;
}

}  // namespace priorityd::priority
