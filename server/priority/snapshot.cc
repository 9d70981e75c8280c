#include "server/priority/snapshot.h"

#include <algorithm>
#include <utility>

#include "absl/types/span.h"

namespace priorityd::priority {
namespace {

template <typename Named>
absl::flat_hash_map<std::string, int> IndexByName(const std::vector<Named>& named) {
  absl::flat_hash_map<std::string, int> index;
  for (size_t i = 0; i < named.size(); ++i) index.emplace(named[i].name, static_cast<int>(i));
  return index;
}

int FindName(const absl::flat_hash_map<std::string, int>& index, absl::string_view name) {
  const auto found = index.find(name);
  return found == index.end() ? -1 : found->second;
}

}  // namespace

Snapshot::Snapshot(SnapshotSource source)
    : source_(std::move(source)),
      fair_share_(ComputeFairShare(*source_.tree, source_.policy, source_.own_usage,
                                   source_.linear_capacity)),
      partition_index_(IndexByName(source_.partitions)),
      qos_index_(IndexByName(source_.qos)) {
  for (auto& [tres, column] : source_.own_tres_usage) tree().RollUp(absl::MakeSpan(column));
  if (!source_.own_wall_seconds.empty()) {
    tree().RollUp(absl::MakeSpan(source_.own_wall_seconds));
  }
  Resolve();
}

Snapshot::Snapshot(SnapshotSource source, SnapshotNumbers numbers)
    : source_(std::move(source)),
      fair_share_(std::move(numbers.fair_share)),
      partition_index_(IndexByName(source_.partitions)),
      qos_index_(IndexByName(source_.qos)) {
  source_.own_usage = std::move(numbers.own_usage);
  source_.own_tres_usage = std::move(numbers.tres_usage);
  source_.own_wall_seconds = std::move(numbers.wall_seconds);
  Resolve();
}

void Snapshot::Resolve() {
  usage_limits_ = UsageLimits(tree(), source_.qos,
                              {.billing_seconds = fair_share_.usage,
                               .tres_seconds = &source_.own_tres_usage,
                               .wall_seconds = source_.own_wall_seconds,
                               .qos = source_.qos_usage});
  for (size_t i = 0; i < source_.partitions.size(); ++i) {
    const Partition& partition = source_.partitions[i];
    if (partition.is_default) default_partition_ = static_cast<int>(i);
    max_partition_factor_ = std::max(max_partition_factor_, partition.priority_job_factor);
  }
  for (const Qos& qos : source_.qos) max_qos_priority_ = std::max(max_qos_priority_, qos.priority);
}

int Snapshot::FindPartition(absl::string_view name) const {
  return FindName(partition_index_, name);
}

int Snapshot::FindQos(absl::string_view name) const { return FindName(qos_index_, name); }

absl::string_view Snapshot::DefaultAccount(absl::string_view user) const {
  const auto found = source_.default_account.find(user);
  return found == source_.default_account.end() ? absl::string_view() : found->second;
}

absl::Time Snapshot::RecordedUntil(absl::string_view job_id) const {
  const auto found = source_.recorded_until.find(job_id);
  return found == source_.recorded_until.end() ? absl::InfinitePast() : found->second;
}

BillingRule Snapshot::billing_rule(int partition) const {
  if (partition < 0) return BillingRule::kCpu;
  return BillingRuleFor(source_.policy, source_.partitions[partition].billing_weights);
}

}  // namespace priorityd::priority
