// The frame of an operator's change: one transaction with etag check and audit.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_CONFIGURATION_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_CONFIGURATION_CHANGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/frame/configured_cluster.h"
#include "server/administration/leases/lease_change.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Finds the other clusters of a change, by ID, without locks.
using OtherClusters = std::function<absl::StatusOr<std::set<int32_t>>(storage::Transaction&,
                                                                      const storage::Cluster&)>;

struct ChangeFrame {
  std::string cluster;
  std::string action;  // For the audit, such as `UpdateAssociations`.
  std::string etag;    // Empty = not checked.
  std::string comment;
  ChangeContext context;
  // By the cluster's clock, which may be manual, and the zone of its policy.
  absl::Time time;
  absl::TimeZone zone;
  // Set: the settings become leases; the rows keep theirs.
  std::optional<LeaseTerm> lease = std::nullopt;
  std::optional<storage::LeaseAuthors> share = std::nullopt;  // See LeaseAuthor.
  bool is_service = false;  // Its changes have no bound; those of operators neither.
  // These are locked with the cluster, all in the order of their IDs, so that two changes of the
  // same clusters never wait for each other; null = none.
  OtherClusters others = nullptr;
};

struct ChangeResult {
  std::string cluster;
  ChangeList list;
  std::string etag;  // Of the resulting configuration.
};

// Whether the change may affect the value of usage rows: QOS may, by NoDecay; the tree may not.
enum class Reach { kTree, kDecayRules };

// Writes the changes and records them in the list. May run again after a conflict of transactions,
// so it must have no other effects.
using ChangeWork =
    absl::FunctionRef<absl::Status(storage::Transaction&, const storage::Cluster&, ChangeList*)>;

// Runs `work` in one transaction with the clusters locked and writes the audit events of its list.
// With frame.lease, `work` only checks the request: its writes are rolled back, and a lease is
// created of each object that it meant. Otherwise checks merged users (CheckMerges) and warns of
// leases over the changed settings, and ends those of deleted objects. Both warn of merged users
// (WarnOfMergedUsers). With validate_only everything is rolled back. Takes effect at the next
// recalculation. ABORTED (ETAG_MISMATCH) if frame.etag differs from the configuration's. NOT_FOUND
// (UNKNOWN_CLUSTER); RESOURCE_EXHAUSTED (TOO_MANY_CHANGES), of a user beyond the bound on the audit
// of a day; the errors of frame.others and `work`; UNAVAILABLE, ABORTED: the database.
absl::StatusOr<ChangeResult> MakeChange(storage::Database& database, const ChangeFrame& frame,
                                        Reach reach, ChangeWork work);

struct ClusterWithEtag {
  storage::Cluster cluster;
  std::string etag;  // Of its configuration; changes with each change of the configuration.
};

// For lists, in the transaction of the list. NOT_FOUND (UNKNOWN_CLUSTER).
absl::StatusOr<ClusterWithEtag> FindWithEtag(storage::Transaction& transaction,
                                             const std::string& cluster);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_CONFIGURATION_CHANGE_H_
