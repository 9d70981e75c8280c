#include "storage/cluster_store.h"

#include "absl/strings/str_cat.h"
#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

constexpr char kList[] =
    "SELECT id, name, nodes, cpus, tres_names, tres_counts, created_at, ledger_horizon "
    "FROM priorityd.cluster ORDER BY id";
constexpr char kFind[] =
    "SELECT id, name, nodes, cpus, tres_names, tres_counts, created_at, ledger_horizon "
    "FROM priorityd.cluster WHERE name = $1";
constexpr char kCreate[] =
    "INSERT INTO priorityd.cluster (name) VALUES ($1) ON CONFLICT (name) DO NOTHING";
constexpr char kUpdate[] =
    "UPDATE priorityd.cluster SET nodes = $2, cpus = $3, tres_names = $4::text[], "
    "tres_counts = $5::double precision[] WHERE id = $1";
// Advisory locks queue. Of row locks, FOR SHARE passes those who wait for a
// stronger one, so constant recording would keep recalculations out for ever.
constexpr char kLock[] =
    "SELECT pg_advisory_xact_lock(7412, id) FROM priorityd.cluster WHERE id = $1";
constexpr char kLockShared[] =
    "SELECT pg_advisory_xact_lock_shared(7412, id) FROM priorityd.cluster WHERE id = $1";

Cluster Decode(RowReader& row) {
  Cluster cluster;
  row.Read(&cluster.id, &cluster.name, &cluster.nodes, &cluster.cpus, &cluster.tres,
           &cluster.created_at, &cluster.ledger_horizon);
  return cluster;
}

absl::Status NotFound(int32_t cluster_id) {
  return absl::NotFoundError(absl::StrCat("cluster: got id ", cluster_id, ", want a known one"));
}

}  // namespace

absl::StatusOr<std::vector<Cluster>> ClusterStore::List() {
  return transaction_.Query(Decode, kList);
}

absl::StatusOr<std::optional<Cluster>> ClusterStore::Find(const std::string& name,
                                                          Edition edition) {
  return transaction_.QueryOptional(Decode, InEdition(kFind, edition).c_str(), {name});
}

absl::StatusOr<Cluster> ClusterStore::FindOrCreate(const std::string& name) {
  absl::StatusOr<std::optional<Cluster>> found = Find(name);
  if (!found.ok()) return found.status();
  if (found->has_value()) return **std::move(found);
  auto created = transaction_.Execute(kCreate, {name});
  if (!created.ok()) return created.status();
  return transaction_.QueryOne(Decode, kFind, {name});
}

absl::Status ClusterStore::Update(const Cluster& cluster) {
  auto result = transaction_.Execute(kUpdate, {cluster.id, cluster.nodes, cluster.cpus,
                                               Names(cluster.tres), Amounts(cluster.tres)});
  if (!result.ok()) return result.status();
  return result->affected_rows() == 1 ? absl::OkStatus() : NotFound(cluster.id);
}

absl::Status ClusterStore::Lock(int32_t cluster_id) { return Lock(kLock, cluster_id); }

absl::Status ClusterStore::LockShared(int32_t cluster_id) { return Lock(kLockShared, cluster_id); }

absl::Status ClusterStore::Lock(const char* statement, int32_t cluster_id) {
  auto result = transaction_.Execute(statement, {cluster_id});
  if (!result.ok()) return result.status();
  return result->size() == 1 ? absl::OkStatus() : NotFound(cluster_id);
}

}  // namespace priorityd::storage
