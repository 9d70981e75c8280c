#include "server/administration/leased_limits.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/lease_fold.h"
#include "storage/lease_store.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;

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

}  // namespace

absl::Status CheckLeasedLimits(storage::Transaction& transaction, int32_t cluster_id,
                               const TreeSlice& tree, const std::vector<int64_t>& ids,
                               const TreeRights& rights, absl::Time time) {
  if (ids.empty()) return absl::OkStatus();
  std::vector<std::string> objects;
  for (const int64_t id : ids) objects.push_back(ObjectName(*tree.ById(id)));
  const auto leases = storage::LeaseStore(transaction).ListOpenOf(cluster_id, objects);
  if (!leases.ok()) return leases.status();
  for (const storage::Lease& lease : *leases) {
    if (storage::EndOf(lease) <= time) continue;
    if (absl::Status s = CheckLease(tree, rights, lease); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::administration
