#include "server/administration/leases/lease_watch.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/administration/leases/lease_change.h"
#include "server/administration/leases/lease_reading.h"

namespace priorityd::administration {
namespace {

std::vector<std::string> CutWarnings(std::vector<std::string> warnings) {
  if (warnings.size() <= kMostLeaseWarnings) return warnings;
  const size_t others = warnings.size() - kMostLeaseWarnings;
  warnings.resize(kMostLeaseWarnings);
  warnings.push_back(absl::StrCat("and ", others, " more values under leases"));
  return warnings;
}

}  // namespace

absl::StatusOr<LeaseWatch> WatchLeases(storage::Transaction& transaction, int32_t cluster_id) {
  LeaseWatch watch;
  auto open = storage::LeaseStore(transaction).ListOpen(cluster_id);
  if (!open.ok()) return open.status();
  watch.open = *std::move(open);
  auto rows = ReadLeasedRows(transaction, cluster_id, watch.open);
  if (!rows.ok()) return rows.status();
  watch.rows = *std::move(rows);
  return watch;
}

absl::StatusOr<std::vector<std::string>> WarningsSince(storage::Transaction& transaction,
                                                       int32_t cluster_id, const LeaseWatch& before,
                                                       absl::Time time, absl::TimeZone zone) {
  const auto rows = ReadLeasedRows(transaction, cluster_id, before.open);
  if (!rows.ok()) return rows.status();
  ChangeList list;
  std::set<std::string> seen;
  for (const storage::Lease& lease : before.open) {
    if (!seen.insert(absl::StrCat(lease.kind, " ", lease.object)).second) continue;
    const ObjectKey key = KeyOf(lease);
    list.Updated(lease.object, AttributesOf(before.rows, key), AttributesOf(*rows, key));
  }
  absl::Status status = WarnOfLeases(transaction, cluster_id, time, zone, &list);
  if (!status.ok()) return status;
  return CutWarnings(list.warnings());
}

}  // namespace priorityd::administration
