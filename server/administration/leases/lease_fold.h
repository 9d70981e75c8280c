// Folds leases over the rows of their objects, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_FOLD_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_FOLD_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::administration {

using LeasePointers = std::vector<const storage::Lease*>;

// The rows over which leases are folded.
struct LeasedRows {
  TreeSlice tree;     // The leased associations, and all associations of the leased users.
  UsersByName users;  // The leased ones.
  std::vector<storage::Qos> qos;                   // All of the cluster.
  std::vector<storage::Partition> partitions;      // All of the cluster.
  std::map<std::string, storage::LeasedJob> jobs;  // The leased ones, by id.
};

// A setting that cannot be applied any more: its object or its QOS was deleted.
struct SkippedSetting {
  int64_t lease_id = 0;
  std::string object;
  std::string why;
};

ObjectKey KeyOf(const storage::Lease& lease);
std::vector<Setting> SettingsIn(const storage::Lease& lease);
// `=`, `+=` or `-=`.
std::string OperatorText(SettingOperator op);

// The leases in effect at `time`, in the order given.
LeasePointers LeasesAt(absl::Span<const storage::Lease> leases, absl::Time time);

// The rows of `state` that `leases` need; it has no jobs. REQUIRES: associations are in the order
// of ids.
LeasedRows LeasedRowsOf(const storage::ClusterState& state,
                        absl::Span<const storage::Lease> leases);

// Applies the settings of `leases` in order: `=` replaces a value, `+=` and `-=` change the list as
// it then is. Returns the settings that cannot be applied, which change nothing.
std::vector<SkippedSetting> FoldLeases(absl::Span<const storage::Lease* const> leases,
                                       LeasedRows* rows);

// The settings of an object in its verb's words; empty if it is not among the rows.
Attributes AttributesOf(const LeasedRows& rows, const ObjectKey& key);

// Replaces the rows of `state` by those of the leased objects after folding.
void PutLeasedRows(absl::Span<const storage::Lease* const> leases, LeasedRows rows,
                   storage::ClusterState* state);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_FOLD_H_
