#include "storage/configuration/cluster_store.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/status.h"

namespace priorityd::storage {
namespace {

using ClusterTable = ColumnTable<Cluster>;

struct ClusterStatements {
  const ClusterTable& columns = ClusterColumns();
  std::string list = absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                                  " WHERE former_name IS NULL ORDER BY id");
  std::string find[2] = {FindIn(Edition::kCurrent), FindIn(Edition::kPublished)};
  std::string update = absl::StrCat("UPDATE ", columns.Table(), " c SET ", columns.AssignGiven(),
                                    " FROM ", columns.Given(2), " WHERE c.id = $1");

  std::string FindIn(Edition edition) const {
    return absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(edition),
                        " WHERE name = $1");
  }
};

const ClusterStatements& ClusterSql() {
  static const auto* const statements = new ClusterStatements;
  return *statements;
}

constexpr char kCreateCluster[] =
    "INSERT INTO priorityd.cluster (name) VALUES ($1) ON CONFLICT (name) DO NOTHING";
// Advisory locks queue. Of row locks, FOR SHARE passes those who wait for a
// stronger one, so constant recording would keep recalculations out for ever.
constexpr char kLockCluster[] =
    "SELECT pg_advisory_xact_lock(7412, id), priorityd.require_writable(id) FROM priorityd.cluster "
    "WHERE id = $1 AND former_name IS NULL";
// The locks come after the conditions: OFFSET keeps the planner from merging the two.
constexpr char kTryLock[] =
    "SELECT id FROM (SELECT id FROM priorityd.cluster c WHERE id = ANY ($1::integer[]) "
    "AND former_name IS NULL AND NOT EXISTS (SELECT FROM priorityd.cluster_move m "
    "WHERE m.local_id = c.id AND m.state IN ('frozen', 'moved')) OFFSET 0) AS writable "
    "WHERE pg_try_advisory_xact_lock(7412, id)";
// The message numbers the transaction, so that others see it as begun, and is a write: without one
// its COMMIT would not await the synchronous standby. A record can be on the primary alone, if its
// own COMMIT was cut short; the answer that it is a duplicate must not be lost by a failover.
constexpr char kLockShared[] =
    "SELECT pg_advisory_xact_lock_shared(7412, id), priorityd.require_writable(id), "
    "pg_logical_emit_message(true, 'priorityd', '') FROM priorityd.cluster WHERE id = $1 "
    "AND former_name IS NULL";

}  // namespace

const ColumnTable<Cluster>& ClusterColumns() {
  using C = ClusterTable;
  static const auto* const columns = new C(
      "cluster", {},
      {C::ReadOnly<&Cluster::id>("id"), C::ReadOnly<&Cluster::name>("name"),
       C::Value<&Cluster::nodes>("nodes"), C::Value<&Cluster::cpus>("cpus"),
       C::ListFirst<&Cluster::tres>("tres_names"), C::ListSecond<&Cluster::tres>("tres_counts"),
       C::ReadOnly<&Cluster::created_at>("created_at"),
       C::ReadOnly<&Cluster::ledger_horizon>("ledger_horizon")});
  return *columns;
}

absl::StatusOr<std::vector<Cluster>> ClusterStore::List() {
  return transaction_.Query(DecodeTableRow<ClusterColumns>, ClusterSql().list);
}

absl::StatusOr<std::optional<Cluster>> ClusterStore::Find(const std::string& name,
                                                          Edition edition) {
  return transaction_.QueryOptional(DecodeTableRow<ClusterColumns>,
                                    ClusterSql().find[static_cast<int>(edition)], {name});
}

absl::StatusOr<Cluster> ClusterStore::Require(const std::string& name) {
  absl::StatusOr<std::optional<Cluster>> found = Find(name);
  if (!found.ok()) return found.status();
  if (found->has_value()) return **std::move(found);
  return absl::NotFoundError(
      absl::StrCat("cluster: got \"", absl::Utf8SafeCEscape(name), "\", want one that exists"));
}

absl::StatusOr<Cluster> ClusterStore::FindOrCreate(const std::string& name) {
  absl::StatusOr<std::optional<Cluster>> found = Find(name);
  if (!found.ok()) return found.status();
  if (found->has_value()) return **std::move(found);
  auto created = transaction_.Execute(kCreateCluster, {name});
  if (!created.ok()) return created.status();
  return transaction_.QueryOne(DecodeTableRow<ClusterColumns>, ClusterSql().find[0], {name});
}

absl::Status ClusterStore::Update(const Cluster& cluster) {
  auto rows = transaction_.Execute(
      ClusterSql().update,
      ClusterColumns().Parameters(absl::MakeConstSpan(&cluster, 1), {cluster.id}));
  if (!rows.ok()) return rows.status();
  return *rows == 1 ? absl::OkStatus() : ClusterDeletedError();
}

absl::Status ClusterStore::Lock(int32_t cluster_id) { return Lock(kLockCluster, cluster_id); }

absl::StatusOr<std::vector<int32_t>> ClusterStore::TryLock(
    const std::vector<int32_t>& cluster_ids) {
  return transaction_.Query(OnlyColumn<int32_t>, kTryLock, {cluster_ids});
}

absl::Status ClusterStore::LockShared(int32_t cluster_id) { return Lock(kLockShared, cluster_id); }

absl::Status ClusterStore::Lock(const char* statement, int32_t cluster_id) {
  auto rows = transaction_.Execute(statement, {cluster_id});
  if (!rows.ok()) return rows.status();
  return *rows == 1 ? absl::OkStatus() : ClusterDeletedError();
}

}  // namespace priorityd::storage
