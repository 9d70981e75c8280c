#include "storage/snapshots/replica_store.h"

#include "storage/database/local_setting.h"

namespace priorityd::storage {
namespace {

constexpr char kReportReplica[] =
    "INSERT INTO priorityd.replica "
    "(name, address, version, started_at, leads, host_ahead, known_migration, seen_at) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp()) ON CONFLICT (name) DO UPDATE SET "
    "address = excluded.address, version = excluded.version, started_at = excluded.started_at, "
    "leads = excluded.leads, host_ahead = excluded.host_ahead, "
    "known_migration = excluded.known_migration, seen_at = excluded.seen_at";
constexpr char kListReplicas[] =
    "SELECT name, address, version, started_at, leads, host_ahead, known_migration, seen_at, "
    "extract(epoch FROM clock_timestamp() - seen_at)::double precision "
    "FROM priorityd.replica ORDER BY name";
constexpr char kRunsWithout[] =
    "SELECT EXISTS (SELECT FROM priorityd.replica WHERE known_migration < $1 "
    "AND seen_at > clock_timestamp() - make_interval(secs => $2))";
constexpr char kDelete[] = "DELETE FROM priorityd.replica WHERE name = $1";
constexpr char kDeleteUnseen[] =
    "DELETE FROM priorityd.replica WHERE seen_at < clock_timestamp() - make_interval(secs => $1)";
constexpr char kListMigrations[] = "SELECT version FROM priorityd.schema_migration ORDER BY 1";
constexpr char kServerVersion[] = "SELECT current_setting('server_version')";

Replica DecodeReplica(RowReader& row) {
  Replica replica;
  row.Read(&replica.name, &replica.address, &replica.version, &replica.started_at, &replica.leads,
           &replica.host_ahead_seconds, &replica.known_migration, &replica.seen_at,
           &replica.unseen_seconds);
  return replica;
}

}  // namespace

absl::Status ReplicaStore::Report(const Replica& replica) {
  if (absl::Status s = transaction_.ExecuteScript(kDoNotWaitForDisk); !s.ok()) return s;
  return transaction_
      .Execute(kReportReplica, {replica.name, replica.address, replica.version, replica.started_at,
                                replica.leads, replica.host_ahead_seconds, replica.known_migration})
      .status();
}

absl::StatusOr<std::vector<Replica>> ReplicaStore::List() {
  return transaction_.Query(DecodeReplica, kListReplicas);
}

absl::StatusOr<bool> ReplicaStore::AnyRunsWithout(int32_t migration) {
  return transaction_.QueryOne(OnlyColumn<bool>, kRunsWithout,
                               {migration, absl::ToDoubleSeconds(kReplicaEnded)});
}

absl::Status ReplicaStore::Delete(const std::string& name) {
  return transaction_.Execute(kDelete, {name}).status();
}

absl::Status ReplicaStore::DeleteUnseen(absl::Duration age) {
  return transaction_.Execute(kDeleteUnseen, {absl::ToDoubleSeconds(age)}).status();
}

absl::StatusOr<std::vector<int32_t>> ReplicaStore::ListMigrations() {
  return transaction_.Query(OnlyColumn<int32_t>, kListMigrations);
}

absl::StatusOr<std::string> ReplicaStore::ServerVersion() {
  return transaction_.QueryOne(OnlyColumn<std::string>, kServerVersion);
}

}  // namespace priorityd::storage
