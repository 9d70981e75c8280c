#include "server/administration/leases/leased_limits.h"

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/leases/lease_fold.h"
#include "storage/configuration/lease_store.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;
using LeaseList = std::vector<storage::Lease>;

// `row` as the lease alone would make it.
Row WithLease(const TreeSlice& tree, const Row& row, const storage::Lease& lease) {
  LeasedRows rows;
  for (const Row* at = &row; at != nullptr; at = tree.Parent(*at)) rows.tree.Put(*at);
  const storage::Lease* const leases[] = {&lease};
  FoldLeases(leases, &rows);
  return *rows.tree.ById(row.id);
}

absl::Status CheckLease(const TreeSlice& tree, const TreeRights& rights,
                        const storage::Lease& lease) {
  const Row* row = tree.Find(lease.account, lease.user_name, lease.partition);
  if (row == nullptr) return absl::OkStatus();
  const absl::Status status = rights.CheckLimits(tree, WithLease(tree, *row, lease));
  if (status.ok()) return status;
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat("lease ", lease.id, ": ", status.message())),
      errors::ReasonOf(status));
}

absl::StatusOr<LeaseList> LeasesOf(storage::Transaction& transaction, int32_t cluster_id,
                                   const std::set<std::string>& objects) {
  if (objects.empty()) return LeaseList();
  return storage::LeaseStore(transaction)
      .ListOpenOf(cluster_id, std::vector<std::string>(objects.begin(), objects.end()));
}

// The names of the accounts above these.
std::set<std::string> NamesAbove(const TreeSlice& tree, const std::vector<int64_t>& ids) {
  std::set<std::string> names;
  for (const int64_t id : ids) {
    for (const Row* at = tree.Parent(*tree.ById(id)); at != nullptr; at = tree.Parent(*at)) {
      if (!names.insert(ObjectName(*at)).second) break;
    }
  }
  return names;
}

// Of a plan: what it changes, and what it moves with all below.
struct PlannedTree {
  PlannedTree(const TreeSlice& before, const TreePlan& plan) : tree(before) {
    for (const auto* rows : {&plan.inserts, &plan.updates}) {
      for (const Row& row : *rows) {
        tree.Put(row);
        changed.push_back(row.id);
      }
    }
    moved = tree.WithBelow(before.MovedAmong(plan.updates));
  }

  TreeSlice tree;
  std::vector<int64_t> changed;
  std::vector<int64_t> moved;
};

absl::Status CheckMovedLeases(storage::Transaction& transaction, int32_t cluster_id,
                              const PlannedTree& planned, const TreeRights& rights,
                              absl::Time time) {
  std::set<std::string> names;
  for (const int64_t id : planned.moved) names.insert(ObjectName(*planned.tree.ById(id)));
  const auto leases = LeasesOf(transaction, cluster_id, names);
  if (!leases.ok()) return leases.status();
  for (const storage::Lease& lease : *leases) {
    if (storage::EndOf(lease) <= time) continue;
    if (absl::Status s = CheckLease(planned.tree, rights, lease); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWithLeases(storage::Transaction& transaction, int32_t cluster_id,
                             const TreeSlice& before, const TreePlan& plan,
                             const TreeSettings& settings, const TreeRights& rights,
                             absl::Time time) {
  if (rights.is_operator) return absl::OkStatus();
  const PlannedTree planned(before, plan);
  absl::Status status = CheckMovedLeases(transaction, cluster_id, planned, rights, time);
  if (!status.ok()) return status;
  const auto above = LeasesOf(transaction, cluster_id, NamesAbove(planned.tree, planned.changed));
  if (!above.ok()) return above.status();
  const LeasePointers present = LeasesAt(*above, time);
  if (present.empty()) return absl::OkStatus();
  LeasedRows leased;
  leased.tree = planned.tree;
  FoldLeases(present, &leased);
  for (const int64_t id : planned.changed) {
    status = rights.CheckWords(leased.tree, settings, *planned.tree.ById(id));
    if (!status.ok()) return status;
  }
  for (const int64_t id : planned.moved) {
    status = rights.CheckLimits(leased.tree, *planned.tree.ById(id));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::administration
