// Who is charged for a usage record, and at what price.
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
#include "server/priority/association_tree.h"
#include "server/priority/cluster.h"
#include "server/priority/default_accounts.h"
#include "server/priority/job.h"
#include "server/priority/job_resolution.h"
#include "server/priority/policy.h"
#include "server/priority/snapshot.h"
#include "server/priority/tres.h"
#include "server/usage/row_decay.h"
#include "server/usage/usage_bound.h"
#include "server/usage/usage_submission.h"
#include "storage/cluster_state.h"
#include "storage/policy_store.h"

namespace priorityd::usage {

// What a record costs, fixed when it is accepted.
struct Price {
  int64_t association_id = 0;
  std::optional<int64_t> qos_id;
  double billing_rate = 0;  // Billing TRES.
  double usage_factor = 1;
  priority::TresMap tres;  // The counts by canonical name, none 0.
};

// A cluster's configuration as recording usage needs it. Immutable, thread-safe.
class PriceBook {
 public:
  // `in_force` is the policy of the last recalculation, else the newest. `state.tres` are those
  // that the cluster has.
  // INTERNAL if the stored configuration cannot be read.
  static absl::StatusOr<std::shared_ptr<const PriceBook>> Make(
      const storage::ClusterState& state, const std::optional<storage::PolicyVersion>& in_force);

  // Resolves the names as semantics §2 says; what deleted
  // accounts and users used is charged to their nearest living ancestor, deleted QOS and partitions
  // price what started before their deletion. REQUIRES: FindFault(record) found none.
  std::variant<Price, Rejection> PriceOf(const UsageSubmission& record) const;

  // Whether a job that the configuration of `snapshot` refuses may be taken by this one, which the
  // next recalculation finds: the job has an association here, of the QOS that it names, or has by
  // default, one that its list allows, and the partitions that it names, one of them open; and
  // `snapshot` has not all of these, or has its QOS or partitions otherwise.
  bool Admits(const priority::Job& job, const priority::Snapshot& snapshot) const;

  int32_t cluster_id() const { return cluster_id_; }
  const priority::Policy& policy() const { return policy_; }
  // Records that end before it are too old.
  absl::Time ledger_horizon() const { return ledger_horizon_; }
  // What records may use at most.
  const UsageBound& bound() const { return bound_; }
  // How usage rows count.
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
  // Living first, then deleted ones, the last deleted first.
  template <typename Row>
  using ByName = absl::flat_hash_map<std::string, std::vector<Priced<Row>>>;
  using AssociationName = std::tuple<std::string, std::string, std::string>;

  PriceBook() = default;
  // The row of that name that was there at `time`; null if none was.
  template <typename Row>
  static const Priced<Row>* FindAt(const ByName<Row>& rows, absl::string_view name,
                                   absl::Time time);
  // The living one; null = there is none.
  template <typename Row>
  static const Row* FindLiving(const ByName<Row>& rows, absl::string_view name);
  // The first halves of Admits: a user association with a QOS; partitions.
  bool HasPlace(const priority::Job& job) const;
  bool HasPartitions(const priority::Job& job) const;
  // The last one, of a job that has all of it in the snapshot.
  bool Differs(const priority::ResolvedJob& resolved, const priority::Snapshot& snapshot) const;
  void AddQos(const storage::Qos& row);
  void AddPartition(const storage::Partition& row);
  void AddDeletedAssociations(const std::vector<storage::Association>& deleted);

  std::variant<std::string, Rejection> AccountOf(const UsageSubmission& record) const;
  std::variant<int64_t, Rejection> FindAssociation(const UsageSubmission& record,
                                                   absl::string_view account) const;
  // Its id, 0 if there is none.
  int64_t FindUser(absl::string_view account, const UsageSubmission& record) const;
  // Whom a deleted association of that name is charged to, 0 if there was none.
  int64_t FindDeleted(absl::string_view account, absl::string_view user,
                      absl::string_view partition) const;
  std::optional<Rejection> PriceQos(const UsageSubmission& record, Price* price) const;
  // Its rate. REQUIRES: the TRES and the UsageFactor are there.
  std::optional<Rejection> PriceBilling(const UsageSubmission& record, Price* price) const;

  int32_t cluster_id_ = 0;
  priority::Policy policy_;
  absl::Time ledger_horizon_ = absl::InfinitePast();
  UsageBound bound_;
  std::unique_ptr<const RowDecay> decay_;
  std::shared_ptr<const priority::AssociationTree> tree_;
  std::shared_ptr<const priority::DefaultAccounts> default_accounts_;
  absl::flat_hash_map<AssociationName, int64_t> deleted_;  // What is charged for deleted ones.
  ByName<priority::Qos> qos_;
  ByName<priority::Partition> partitions_;
  std::string default_partition_;  // Empty = none.
  std::map<std::string, int32_t> tres_numbers_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_PRICE_BOOK_H_
