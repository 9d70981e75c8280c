// The result of one recalculation with everything that ranking needs.
#ifndef PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_SNAPSHOT_H_
#define PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"
#include "engine/priority/fair_share/usage_column.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/limits/limits.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/grant_standings.h"
#include "engine/priority/site/job_prices.h"
#include "engine/priority/site/leased_nice.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/site/reservation.h"
#include "engine/priority/site/tres_sum.h"
#include "engine/priority/snapshot/default_accounts.h"
#include "engine/priority/snapshot/demotions.h"
#include "engine/priority/snapshot/domain_shares.h"
#include "engine/priority/snapshot/penalties.h"

namespace priorityd::priority {

// The inputs of a snapshot.
struct SnapshotSource {
  int64_t generation = 0;
  absl::Time computed_at;
  int64_t policy_version = 0;
  Cluster cluster;
  Policy policy;
  std::vector<Partition> partitions;
  std::vector<Qos> qos;
  std::vector<Reservation> reservations;    // With distinct names.
  GrantStandings grants;                    // At computed_at.
  std::shared_ptr<const JobPrices> prices;  // For grants of money; null = not known.
  std::shared_ptr<const DefaultAccounts> default_accounts;  // Null = no user has one.
  std::shared_ptr<const AssociationTree> tree;
  // Billing-seconds by AssociationIndex, decayed to computed_at, not rolled up.
  std::vector<double> own_usage;
  // Billing-seconds by AssociationIndex that running jobs reserve (ChargeAtStart), not rolled up:
  // fair-share counts them as usage, limits do not. Empty = none.
  std::vector<double> own_reserve;
  // R of the SLURM 2.0 formula; see ComputeFairShare.
  double linear_capacity = 0;
  // Of the usage domain of which the cluster is a member; null = none.
  std::shared_ptr<const DomainShares> domain;
  // TRES-seconds and wall seconds by AssociationIndex, decayed to computed_at, not rolled up.
  TresUsage own_tres_usage;
  std::vector<double> own_wall_seconds;
  // In effect at computed_at; null = none.
  std::shared_ptr<const LeasedNices> leased_nices;

  // --- For limits on usage; optional if there are none -----------------------------

  // In the order of `qos`, decayed to computed_at; empty = nothing was used.
  std::vector<QosUsage> qos_usage;
  // The decay of usage after computed_at; null = no decay.
  std::shared_ptr<const UsageDecay> decay;
  // By job_id: the latest recorded end of usage, of jobs that may be running.
  absl::flat_hash_map<std::string, absl::Time> recorded_until;
};

// The results of a recalculation, by AssociationIndex; usage is rolled up.
struct SnapshotNumbers {
  std::vector<double> own_usage;  // Not rolled up; without reserves.
  FairShare fair_share;
  TresUsage tres_usage;
  std::vector<double> wall_seconds;
};

// Immutable. All readers share one; a recalculation replaces it as a whole.
class Snapshot {
 public:
  // Computes fair-share and rolls up usage. `of_same_site`: a snapshot of the same tree, policy,
  // partitions and QOS, from which the rules of the limits are taken; null = none is known. Its
  // grants have all been used up, and are those of `source` by index.
  static std::unique_ptr<const Snapshot> Compute(SnapshotSource source,
                                                 const Snapshot* of_same_site = nullptr);
  // Makes the snapshot from which `numbers` were taken, without computing them. Does not read the
  // usage in `source`.
  static std::unique_ptr<const Snapshot> Restore(SnapshotSource source, SnapshotNumbers numbers);

  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  int64_t generation() const { return source_.generation; }
  absl::Time computed_at() const { return source_.computed_at; }
  int64_t policy_version() const { return source_.policy_version; }
  const Cluster& cluster() const { return source_.cluster; }
  const Policy& policy() const { return source_.policy; }
  const AssociationTree& tree() const { return *source_.tree; }
  // In a member of a usage domain, the column fair_share is the domain's; all others are of the
  // cluster's own usage.
  const FairShare& fair_share() const { return fair_share_; }
  // The input of fair_share(): recorded usage, and reserves. Not rolled up.
  const std::vector<double>& own_usage() const {
    return has_reserve() ? charged_ : source_.own_usage;
  }
  // The two parts of it; the second is empty if there is no reserve.
  const std::vector<double>& own_recorded_usage() const { return source_.own_usage; }
  const std::vector<double>& own_reserve() const { return source_.own_reserve; }
  // fair_share().usage without reserves.
  const std::vector<double>& recorded_usage() const {
    return has_reserve() ? recorded_ : fair_share_.usage;
  }
  // The reserve of an association and everything below it.
  bool has_reserve() const { return !reserve_.empty(); }
  double reserve(AssociationIndex i) const { return has_reserve() ? reserve_[i] : 0; }
  // Null if the cluster is not a member of a usage domain.
  const DomainShares* domain() const { return source_.domain.get(); }
  double linear_capacity() const { return source_.linear_capacity; }
  absl::Span<const Partition> partitions() const { return source_.partitions; }
  absl::Span<const Qos> qos() const { return source_.qos; }
  absl::Span<const Reservation> reservations() const { return source_.reservations; }
  const GrantStandings& grants() const { return source_.grants; }
  // Null = what jobs cost is not known.
  const JobPrices* prices() const { return source_.prices.get(); }
  // Of the amounts of a grant.
  TresUnit UnitOf(const GrantStanding& grant) const {
    return TresUnitOf(grant.tres, prices() == nullptr ? "" : prices()->CurrencyOf(grant.tres));
  }
  // Rolled up; see SnapshotSource.
  const TresUsage& tres_usage() const { return source_.own_tres_usage; }
  absl::Span<const double> wall_seconds() const { return source_.own_wall_seconds; }
  // In the order of qos(), or empty.
  absl::Span<const QosUsage> qos_usage() const { return source_.qos_usage; }

  // All limits with past usage, and the grants that make jobs wait; the latter alone if
  // AccountingStorageEnforce does not include `limits`.
  const Limits& limits() const { return limits_; }
  // Whether a grant that is used up demotes any association.
  bool demotes() const { return !demotions_.empty(); }
  // The grant that demotes the association; null = none.
  const GrantStanding* DemotingGrant(AssociationIndex i) const {
    return demotions_.GrantOf(i) < 0 ? nullptr : &source_.grants[demotions_.GrantOf(i)];
  }
  // The QOS to which it is demoted, an index; -1 = it is not, or to a QOS that does not exist.
  int DemotedQos(AssociationIndex i) const { return demotions_.QosOf(i); }
  // The QOS whose factor a job of the association has under the QOS `qos`: its own, or the one to
  // which the association is demoted if that has a lower priority. Indices; -1 = none: factor 0.
  int FactorQos(AssociationIndex association, int qos) const;
  // The other consequences of used up grants for jobs, by association.
  const Penalties& penalties() const { return penalties_; }
  const UsageDecay* decay() const { return source_.decay.get(); }
  // The latest recorded end of the job's usage; InfinitePast() if there is none.
  absl::Time RecordedUntil(absl::string_view job_id) const;
  // The nice value that a lease gives to a job of the tracked queue; null = no lease gives one.
  const LeasedNice* FindLeasedNice(absl::string_view job_id) const;

  // Index into partitions() or qos(); -1 = not found.
  int FindPartition(absl::string_view name) const;
  int FindQos(absl::string_view name) const;
  // Null = not found.
  const Reservation* FindReservation(absl::string_view name) const;
  // The partition with Default=YES; -1 if there is none.
  int default_partition() const { return default_partition_; }
  // Empty if the user has none.
  absl::string_view DefaultAccount(absl::string_view user) const;
  // The largest PriorityJobFactor and QOS priority.
  uint32_t max_partition_factor() const { return max_partition_factor_; }
  uint32_t max_qos_priority() const { return max_qos_priority_; }
  // The billing rule of a partition (index; -1 = none: kCpu).
  BillingRule billing_rule(int partition) const;
  // The resources of jobs that request less, in a partition (index; -1 = none: the cluster's).
  const JobDefaults& job_defaults(int partition) const { return job_defaults_[partition + 1]; }
  // Whether any partition, or the cluster, has such defaults.
  bool gives_defaults() const { return gives_defaults_; }
  // The settings of a partition's PartitionName line; none for -1.
  const PartitionRules& partition_rules(int partition) const {
    return partition_rules_[partition + 1];
  }
  // Billing by partition.
  const BillingRates& billing_rates() const { return billing_rates_; }

 private:
  explicit Snapshot(SnapshotSource source) : source_(std::move(source)) {}

  // Computes `charged_`, `recorded_` and `reserve_`.
  void CountReserve();
  // Computes what ranking looks up: limits, billing rates, defaults of jobs, indices by name,
  // largest values, the default partition.
  void Resolve(const Snapshot* of_same_site);
  Limits MakeLimits(const Snapshot* of_same_site) const;

  SnapshotSource source_;
  FairShare fair_share_;
  // By AssociationIndex; empty if there is no reserve.
  std::vector<double> charged_;   // Usage and reserve, not rolled up.
  std::vector<double> recorded_;  // Usage, rolled up.
  std::vector<double> reserve_;   // Reserve, rolled up.
  Limits limits_;
  Demotions demotions_;
  Penalties penalties_;
  BillingRates billing_rates_;
  std::vector<JobDefaults> job_defaults_;        // By partition + 1.
  std::vector<PartitionRules> partition_rules_;  // By partition + 1.
  bool gives_defaults_ = false;
  absl::flat_hash_map<std::string, int> partition_index_;
  absl::flat_hash_map<std::string, int> qos_index_;
  absl::flat_hash_map<std::string, int> reservation_index_;
  int default_partition_ = -1;
  uint32_t max_partition_factor_ = 0;
  uint32_t max_qos_priority_ = 0;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_SNAPSHOT_H_
