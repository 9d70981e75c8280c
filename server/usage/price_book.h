// Resolves who is charged for a usage record, and its price.
#ifndef PRIORITYD_SERVER_USAGE_PRICE_BOOK_H_
#define PRIORITYD_SERVER_USAGE_PRICE_BOOK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/snapshot/default_accounts.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/configuration/alias_map.h"
#include "server/usage/row_decay.h"
#include "server/usage/usage_bound.h"
#include "server/usage/usage_submission.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::usage {

// The price of a record, fixed when it is accepted.
struct Price {
  int64_t association_id = 0;
  std::optional<int64_t> qos_id;
  double billing_rate = 0;  // Billing TRES.
  double usage_factor = 1;
  priority::TresMap tres;  // The counts by canonical name, none 0.
};

// A cluster's configuration for recording usage. Immutable, thread-safe.
class PriceBook {
 public:
  // `in_force`: the policy of the last recalculation, or the newest. `state.tres`: the cluster's
  // TRES. `job_ends_since`: see storage::JobEndStore::Since. `aliases`, `merges`: of users.
  // INTERNAL if the stored configuration is invalid.
  static absl::StatusOr<std::shared_ptr<const PriceBook>> Make(
      const storage::ClusterState& state, const std::optional<storage::PolicyVersion>& in_force,
      std::optional<absl::Time> job_ends_since = std::nullopt, configuration::AliasMap aliases = {},
      const std::vector<storage::UserMerge>& merges = {});

  // Resolves the names by semantics §2, an alias of the record's source first. Usage of deleted
  // accounts and users is charged to their nearest existing ancestor; deleted QOS and partitions
  // price records that started before their deletion. REQUIRES: FindFault(record) found none.
  std::variant<Price, Rejection> PriceOf(const UsageSubmission& record) const;

  // As PriceOf; the user is one of the cluster's, also if it is an alias of another one.
  std::variant<Price, Rejection> PriceOfUser(const UsageSubmission& record) const;

  // Whether this configuration, which the next recalculation reads, may accept a job that the
  // configuration of `snapshot` refuses. True if the job has an association here, a QOS (named or
  // default) that its list allows, the named partitions, one of them open, and a reservation that
  // it may use, if it names one; and `snapshot` lacks one of these or has another definition of the
  // QOS, partitions or reservation. Jobs of merged users are those of the surviving ones.
  bool Admits(const priority::Job& job, const priority::Snapshot& snapshot) const;

  int32_t cluster_id() const { return cluster_id_; }
  const priority::Policy& policy() const { return policy_; }
  // Records that end before this are too old.
  absl::Time ledger_horizon() const { return ledger_horizon_; }
  // Jobs that start at this time or later are charged by their ends; infinite = none any more,
  // nullopt = none ever was.
  std::optional<absl::Time> job_ends_since() const { return job_ends_since_; }
  // The maximum usage of a record.
  const UsageBound& bound() const { return bound_; }
  // The decay of usage rows.
  const RowDecay& decay() const { return *decay_; }
  // The number of a TRES; 0 if the cluster had not used it when the book was made.
  int32_t TresNumber(const std::string& name) const;

 private:
  template <typename Row>
  struct Priced {
    Row row;
    int64_t id = 0;
    absl::Time deleted_at = absl::InfiniteFuture();
  };
  // Existing ones first, then deleted ones, the last deleted first.
  template <typename Row>
  using ByName = absl::flat_hash_map<std::string, std::vector<Priced<Row>>>;
  using AssociationName = std::tuple<std::string, std::string, std::string>;

  PriceBook() = default;
  // The row of that name that existed at `time`; null if none did.
  template <typename Row>
  static const Priced<Row>* FindAt(const ByName<Row>& rows, absl::string_view name,
                                   absl::Time time);
  // The existing row; null = none.
  template <typename Row>
  static const Row* FindLiving(const ByName<Row>& rows, absl::string_view name);
  // Of merged_tree_; kNoAssociation = none.
  priority::AssociationIndex AssociationOf(const priority::Job& job) const;
  // Parts of Admits: whether the job has a user association with a QOS, its partitions, and its
  // reservation.
  bool HasPlace(const priority::Job& job) const;
  bool HasPartitions(const priority::Job& job) const;
  bool HasReservation(const priority::Job& job) const;
  // Part of Admits, for a job that the snapshot resolves: whether definitions differ.
  bool Differs(const priority::ResolvedJob& resolved, const priority::Snapshot& snapshot) const;
  void AddQos(const storage::Qos& row);
  void AddPartition(const storage::Partition& row);
  void AddDeletedAssociations(const std::vector<storage::Association>& deleted);

  std::variant<std::string, Rejection> AccountOf(const UsageSubmission& record) const;
  std::variant<int64_t, Rejection> FindAssociation(const UsageSubmission& record,
                                                   absl::string_view account) const;
  // The association's id; 0 if there is none.
  int64_t FindUser(absl::string_view account, const UsageSubmission& record) const;
  // The association charged for a deleted one of that name; 0 if there was none.
  int64_t FindDeleted(absl::string_view account, absl::string_view user,
                      absl::string_view partition) const;
  std::optional<Rejection> PriceQos(const UsageSubmission& record, Price* price) const;
  // Sets the billing rate. REQUIRES: TRES and UsageFactor are set.
  std::optional<Rejection> PriceBilling(const UsageSubmission& record, Price* price) const;

  int32_t cluster_id_ = 0;
  priority::Policy policy_;
  absl::Time ledger_horizon_ = absl::InfinitePast();
  std::optional<absl::Time> job_ends_since_;
  UsageBound bound_;
  std::unique_ptr<const RowDecay> decay_;
  std::shared_ptr<const priority::AssociationTree> tree_;         // Of prices: without merges.
  std::shared_ptr<const priority::AssociationTree> merged_tree_;  // Of jobs; the same without any.
  std::shared_ptr<const priority::DefaultAccounts> default_accounts_;
  absl::flat_hash_map<AssociationName, int64_t>
      deleted_;  // Association charged for each deleted one.
  ByName<priority::Qos> qos_;
  ByName<priority::Partition> partitions_;
  std::string default_partition_;  // Empty = none.
  absl::flat_hash_map<std::string, priority::Reservation> reservations_;
  std::map<std::string, int32_t> tres_numbers_;
  configuration::AliasMap aliases_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_PRICE_BOOK_H_
