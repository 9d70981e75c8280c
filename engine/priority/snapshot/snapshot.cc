#include "engine/priority/snapshot/snapshot.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/limits/relative_limits.h"

namespace priorityd::priority {
namespace {

template <typename Named>
absl::flat_hash_map<std::string, int> IndexByName(const std::vector<Named>& named) {
  absl::flat_hash_map<std::string, int> index;
  for (size_t i = 0; i < named.size(); ++i) index.emplace(named[i].name, static_cast<int>(i));
  return index;
}

// By partition + 1.
std::vector<PartitionRules> RulesByPartition(const Policy& policy,
                                             const std::vector<Partition>& partitions) {
  std::vector<PartitionRules> rules(1);
  for (const Partition& partition : partitions) {
    const auto own = policy.partition_rules.find(partition.name);
    rules.push_back(own == policy.partition_rules.end() ? PartitionRules() : own->second);
  }
  return rules;
}

JobDefaults DefaultsUnder(const PartitionRules& rules, const JobDefaults& of_cluster) {
  return {.memory = rules.memory.value_or(of_cluster.memory),
          .memory_per_gpu = rules.memory_per_gpu.value_or(of_cluster.memory_per_gpu),
          .cpus_per_gpu = rules.cpus_per_gpu.value_or(of_cluster.cpus_per_gpu),
          .max_memory_per_cpu = rules.max_memory_per_cpu.value_or(of_cluster.max_memory_per_cpu)};
}

int FindName(const absl::flat_hash_map<std::string, int>& index, absl::string_view name) {
  const auto found = index.find(name);
  return found == index.end() ? -1 : found->second;
}

}  // namespace

std::unique_ptr<const Snapshot> Snapshot::Compute(SnapshotSource source,
                                                  const Snapshot* of_same_site) {
  std::unique_ptr<Snapshot> snapshot(new Snapshot(std::move(source)));
  SnapshotSource& own = snapshot->source_;
  snapshot->CountReserve();
  snapshot->fair_share_ =
      ComputeFairShare(*own.tree, own.policy, snapshot->own_usage(), own.linear_capacity);
  if (own.domain != nullptr) own.domain->Apply(*own.tree, &snapshot->fair_share_.fair_share);
  for (auto& [tres, column] : own.own_tres_usage) column.RollUp(*own.tree);
  if (!own.own_wall_seconds.empty()) own.tree->RollUp(absl::MakeSpan(own.own_wall_seconds));
  snapshot->Resolve(of_same_site);
  return snapshot;
}

std::unique_ptr<const Snapshot> Snapshot::Restore(SnapshotSource source, SnapshotNumbers numbers) {
  std::unique_ptr<Snapshot> snapshot(new Snapshot(std::move(source)));
  snapshot->fair_share_ = std::move(numbers.fair_share);
  snapshot->source_.own_usage = std::move(numbers.own_usage);
  snapshot->source_.own_tres_usage = std::move(numbers.tres_usage);
  snapshot->source_.own_wall_seconds = std::move(numbers.wall_seconds);
  snapshot->CountReserve();
  snapshot->Resolve(nullptr);
  return snapshot;
}

void Snapshot::CountReserve() {
  if (source_.own_reserve.empty()) return;
  charged_ = source_.own_usage;
  for (size_t i = 0; i < charged_.size(); ++i) charged_[i] += source_.own_reserve[i];
  recorded_ = source_.own_usage;
  reserve_ = source_.own_reserve;
  tree().RollUp(absl::MakeSpan(recorded_));
  tree().RollUp(absl::MakeSpan(reserve_));
}

Limits Snapshot::MakeLimits(const Snapshot* of_same_site) const {
  const Limits::Usage usage = {.billing_seconds = recorded_usage(),
                               .tres_seconds = &source_.own_tres_usage,
                               .wall_seconds = source_.own_wall_seconds,
                               .qos = source_.qos_usage};
  const Enforcement& enforce = policy().enforce;
  const GrantEnforcement enforced = {enforce.safe, enforce.safe && source_.prices != nullptr};
  if (of_same_site != nullptr) {
    return of_same_site->limits_.WithUsage(usage, {source_.grants, enforced});
  }
  const bool holds = absl::c_any_of(
      source_.grants, [&](const GrantStanding& grant) { return HoldsJobs(grant, enforced); });
  if (!enforce.limits && !holds) return Limits();
  return Limits(tree(), WithAbsoluteLimits(source_.qos, policy(), cluster(), source_.partitions),
                source_.partitions, usage, {source_.grants, enforced, !enforce.limits});
}

void Snapshot::Resolve(const Snapshot* of_same_site) {
  limits_ = MakeLimits(of_same_site);
  demotions_ = Demotions(tree(), source_.qos, source_.grants);
  penalties_ = Penalties(tree(), source_.grants);
  partition_index_ = IndexByName(source_.partitions);
  qos_index_ = IndexByName(source_.qos);
  reservation_index_ = IndexByName(source_.reservations);
  billing_rates_ = BillingRates(policy(), source_.partitions);
  partition_rules_ = RulesByPartition(policy(), source_.partitions);
  for (const PartitionRules& rules : partition_rules_) {
    job_defaults_.push_back(DefaultsUnder(rules, policy().job_defaults));
  }
  gives_defaults_ = absl::c_any_of(job_defaults_, std::mem_fn(&JobDefaults::given));
  for (size_t i = 0; i < source_.partitions.size(); ++i) {
    const Partition& partition = source_.partitions[i];
    if (partition.is_default) default_partition_ = static_cast<int>(i);
    max_partition_factor_ = std::max(max_partition_factor_, partition.priority_job_factor);
  }
  for (const Qos& qos : source_.qos) max_qos_priority_ = std::max(max_qos_priority_, qos.priority);
}

int Snapshot::FactorQos(AssociationIndex association, int qos) const {
  if (qos < 0 || DemotingGrant(association) == nullptr) return qos;
  const int demoted = DemotedQos(association);
  const uint32_t priority = demoted < 0 ? 0 : source_.qos[demoted].priority;
  return priority < source_.qos[qos].priority ? demoted : qos;
}

int Snapshot::FindPartition(absl::string_view name) const {
  return FindName(partition_index_, name);
}

int Snapshot::FindQos(absl::string_view name) const { return FindName(qos_index_, name); }

const Reservation* Snapshot::FindReservation(absl::string_view name) const {
  const int found = FindName(reservation_index_, name);
  return found < 0 ? nullptr : &source_.reservations[found];
}

absl::string_view Snapshot::DefaultAccount(absl::string_view user) const {
  if (source_.default_accounts == nullptr) return "";
  return source_.default_accounts->Find(user);
}

absl::Time Snapshot::RecordedUntil(absl::string_view job_id) const {
  const auto found = source_.recorded_until.find(job_id);
  return found == source_.recorded_until.end() ? absl::InfinitePast() : found->second;
}

const LeasedNice* Snapshot::FindLeasedNice(absl::string_view job_id) const {
  if (source_.leased_nices == nullptr) return nullptr;
  const auto found = source_.leased_nices->find(job_id);
  return found == source_.leased_nices->end() ? nullptr : &found->second;
}

BillingRule Snapshot::billing_rule(int partition) const {
  if (partition < 0) return BillingRule::kCpu;
  return BillingRuleFor(source_.policy, source_.partitions[partition].billing_weights);
}

}  // namespace priorityd::priority
