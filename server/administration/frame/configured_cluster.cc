#include "server/administration/frame/configured_cluster.h"

#include <utility>

#include "server/configuration/find_cluster.h"
#include "storage/configuration/association_search.h"
#include "storage/configuration/association_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::administration {
namespace {

// Creates the root account of a new cluster; no change if it exists.
absl::Status CreateRoot(storage::Transaction& transaction, int32_t cluster_id) {
  absl::StatusOr<bool> has_root = storage::AssociationSearch(transaction).HasRoot(cluster_id);
  if (!has_root.ok()) return has_root.status();
  if (*has_root) return absl::OkStatus();
  storage::AssociationStore store(transaction);
  absl::StatusOr<std::vector<int64_t>> ids = store.ReserveIds(1);
  if (!ids.ok()) return ids.status();
  storage::Association root;
  root.id = ids->front();
  root.cluster_id = cluster_id;
  root.account = "root";
  root.raw_shares = 1;
  return store.Insert({&root, 1});
}

}  // namespace

absl::Status ChangeConfiguration(storage::Database& database, const ChangeContext& context,
                                 absl::FunctionRef<absl::Status(storage::Transaction&)> change) {
  bool taken_back = false;
  absl::Status status = database.Write([&](storage::Transaction& transaction) -> absl::Status {
    taken_back = false;
    absl::Status changed = change(transaction);
    if (!changed.ok() || !context.validate_only) return changed;
    taken_back = true;
    return absl::CancelledError("validated only");
  });
  return taken_back && absl::IsCancelled(status) ? absl::OkStatus() : status;
}

absl::Status ChangeRules(
    storage::Database& database, const ChangeContext& context,
    absl::FunctionRef<absl::Status(storage::Transaction&, usage::SumAhead*)> change) {
  usage::SumAhead ahead;
  for (;;) {
    absl::Status status = ChangeConfiguration(
        database, context,
        [&](storage::Transaction& transaction) { return change(transaction, &ahead); });
    if (!ahead.is_wanted()) return status;
    if (absl::Status read = ahead.Read(database); !read.ok()) return read;
  }
}

absl::StatusOr<OpenedCluster> OpenCluster(storage::Transaction& transaction,
                                          const std::string& name, bool create) {
  storage::ClusterStore store(transaction);
  OpenedCluster opened;
  auto known = configuration::FindCluster(transaction, name);
  opened.created = absl::IsNotFound(known.status());
  if (!known.ok() && !(opened.created && create)) return known.status();
  absl::StatusOr<storage::Cluster> cluster = store.FindOrCreate(name);
  if (!cluster.ok()) return cluster.status();
  if (absl::Status s = store.Lock(cluster->id); !s.ok()) return s;
  if (absl::Status s = CreateRoot(transaction, cluster->id); !s.ok()) return s;
  // Includes changes that others committed before the lock was acquired.
  auto found = configuration::FindCluster(transaction, name);
  if (!found.ok()) return found.status();
  opened.cluster = *std::move(found);
  return opened;
}

absl::StatusOr<absl::Time> ClusterTime(storage::Transaction& transaction, int32_t cluster_id,
                                       priority::ClockMode clock, absl::Time now) {
  if (clock == priority::ClockMode::kReal) return now;
  auto last = storage::SnapshotStore(transaction).Newest(cluster_id);
  if (!last.ok()) return last.status();
  return last->has_value() ? (*last)->computed_at : absl::InfinitePast();
}

}  // namespace priorityd::administration
