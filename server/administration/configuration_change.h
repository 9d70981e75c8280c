// The frame of a change that an operator tells in words: one transaction, one etag, one audit.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CONFIGURATION_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CONFIGURATION_CHANGE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/administration/change_list.h"
#include "server/administration/configured_cluster.h"
#include "storage/cluster_store.h"
#include "storage/database.h"
#include "storage/transaction.h"

namespace priorityd::administration {

struct ChangeFrame {
  std::string cluster;
  std::string action;  // For the audit, such as `UpdateAssociations`.
  std::string etag;    // Empty = whatever the configuration is.
  std::string comment;
  ChangeContext context;
};

struct ChangeResult {
  std::string cluster;
  ChangeList list;
  std::string etag;  // Of the configuration as it is now.
};

// Whether it may change what usage rows are worth: QOS do, by NoDecay; the tree does not.
enum class Reach { kTree, kDecayRules };

// Writes what is to change, and says it in the list. Runs again where transactions met: it has no
// other effect.
using ChangeWork =
    absl::FunctionRef<absl::Status(storage::Transaction&, const storage::Cluster&, ChangeList*)>;

// Runs `work` in one transaction, with the cluster locked, and writes the audit rows of its list.
// With validate_only everything is taken back. Takes effect at the next recalculation.
//
// ABORTED (ETAG_MISMATCH) if frame.etag is another one than the configuration has. NOT_FOUND
// (UNKNOWN_CLUSTER); the errors of `work`; UNAVAILABLE, ABORTED the database.
absl::StatusOr<ChangeResult> MakeChange(storage::Database& database, const ChangeFrame& frame,
                                        Reach reach, ChangeWork work);

struct ClusterWithEtag {
  storage::Cluster cluster;
  std::string etag;  // Of its configuration: another one after each change of it.
};

// For lists, in the transaction that reads them. NOT_FOUND (UNKNOWN_CLUSTER).
absl::StatusOr<ClusterWithEtag> FindWithEtag(storage::Transaction& transaction,
                                             const std::string& cluster);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CONFIGURATION_CHANGE_H_
