#include "storage/configuration/cluster_move_store.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "storage/configuration/configuration_store.h"
#include "storage/database/notification.h"

namespace priorityd::storage {
namespace {

constexpr std::array<const char*, 5> kStates = {"leaving", "frozen", "moved", "arriving",
                                                "arrived"};

constexpr char kCountFrozen[] =
    "SELECT count(*) FROM priorityd.cluster_move WHERE state = 'frozen'";
constexpr char kFindMove[] =
    "SELECT cluster_name, move_id, local_id, cell, state, last_seq, returns FROM "
    "priorityd.cluster_move "
    "WHERE cluster_name = $1";
// The key of a text is its hash: names that share one wait for each other.
constexpr char kLockMove[] = "SELECT pg_advisory_xact_lock(7417, hashtext($1))";
constexpr char kWrite[] =
    "INSERT INTO priorityd.cluster_move (cluster_name, move_id, local_id, cell, state, last_seq, "
    "returns) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (cluster_name) DO UPDATE SET "
    "move_id = excluded.move_id, local_id = excluded.local_id, cell = excluded.cell, "
    "state = excluded.state, last_seq = excluded.last_seq, returns = excluded.returns, changed_at "
    "= now()";
constexpr char kDeleteMove[] = "DELETE FROM priorityd.cluster_move WHERE cluster_name = $1";
constexpr char kListMoved[] =
    "SELECT cluster_name, cell FROM priorityd.cluster_move WHERE state IN ('moved', 'arriving') "
    "ORDER BY cluster_name COLLATE \"C\"";
constexpr char kIsLeaving[] =
    "SELECT EXISTS (SELECT FROM priorityd.cluster_move "
    "WHERE local_id = $1::integer AND state IN ('leaving', 'frozen', 'moved'))";
constexpr char kRequireWritable[] = "SELECT priorityd.require_writable($1::integer)";
constexpr char kLastSeq[] =
    "SELECT coalesce(max(seq), 0) FROM priorityd.usage_record WHERE cluster_id = $1";
constexpr char kLastAuditEvent[] =
    "SELECT coalesce(max(id), 0) FROM priorityd.audit_event WHERE cluster_id = $1";

// Changes of the queue and publications of recalculations lock these rows, and not the cluster.
constexpr char kCreateQueue[] =
    "INSERT INTO priorityd.job_queue (cluster_id) VALUES ($1) ON CONFLICT DO NOTHING";
constexpr char kFreezeQueue[] = "UPDATE priorityd.job_queue SET frozen = $2 WHERE cluster_id = $1";
constexpr char kAwaitPublication[] =
    "SELECT FROM priorityd.configuration_revision WHERE cluster_id = $1 FOR UPDATE";

constexpr char kCreateHidden[] =
    "WITH next AS (SELECT nextval(pg_get_serial_sequence('priorityd.cluster', 'id'))::integer "
    "AS id) INSERT INTO priorityd.cluster (id, name, former_name) OVERRIDING SYSTEM VALUE "
    "SELECT id, chr(1) || id, $1 FROM next RETURNING id";
constexpr char kSetName[] =
    "UPDATE priorityd.cluster SET name = former_name, former_name = NULL "
    "WHERE id = $1 AND former_name IS NOT NULL";
constexpr char kSetPublishedName[] =
    "UPDATE priorityd.published_cluster p SET name = c.name FROM priorityd.cluster c "
    "WHERE p.id = $1 AND c.id = p.id";
// The new name was counted as a change.
constexpr char kSetRevision[] =
    "UPDATE priorityd.configuration_revision SET revision = $2 WHERE cluster_id = $1";
constexpr char kLockSequences[] = "SELECT pg_advisory_xact_lock(7418, 0)";
constexpr char kSchemaVersion[] = "SELECT max(version) FROM priorityd.schema_migration";

// The tables that number their rows, by the column.
struct Numbered {
  const char* table;
  const char* column;
};
constexpr Numbered kNumbered[] = {
    {"association", "id"},          {"qos", "id"},           {"partition", "id"},
    {"reservation", "id"},          {"usage_record", "seq"}, {"usage_bucket", "id"},
    {"budget_event", "id"},         {"audit_event", "id"},   {"usage_grant", "id"},
    {"usage_grant_transfer", "id"}, {"setting_lease", "id"}, {"usage_pool", "id"},
};

// Moves the sequence on to the last number; $2 is a lower bound of it that is not in the table yet.
// Moves the sequence on to the last number of the cluster's rows, or to $2.
std::string Advance(const Numbered& numbered) {
  const std::string table = absl::StrCat("priorityd.", numbered.table);
  return absl::StrCat(
      "SELECT setval(s.name, r.last) FROM "
      "(SELECT pg_get_serial_sequence('",
      table, "', '", numbered.column, "')::regclass AS name) AS s, ",
      "(SELECT greatest(coalesce(max(", numbered.column, "), 0), $2::bigint) AS last FROM ", table,
      " WHERE cluster_id = $1) AS r WHERE r.last > coalesce(pg_sequence_last_value(s.name), 0)");
}

ClusterMove DecodeMove(RowReader& row) {
  ClusterMove move;
  std::string state;
  row.Read(&move.cluster, &move.move_id, &move.cluster_id, &move.cell, &state, &move.last_seq,
           &move.returns);
  for (size_t i = 0; i < kStates.size(); ++i) {
    if (state == kStates[i]) move.state = static_cast<MoveState>(i);
  }
  return move;
}

MovedCluster DecodeMoved(RowReader& row) {
  MovedCluster moved;
  row.Read(&moved.cluster, &moved.cell);
  return moved;
}

}  // namespace

absl::StatusOr<std::optional<ClusterMove>> ClusterMoveStore::Find(const std::string& cluster) {
  return transaction_.QueryOptional(DecodeMove, kFindMove, {cluster});
}

absl::StatusOr<std::optional<ClusterMove>> ClusterMoveStore::Lock(const std::string& cluster) {
  absl::Status locked = transaction_.Execute(kLockMove, {cluster}).status();
  if (!locked.ok()) return locked;
  return Find(cluster);
}

absl::Status ClusterMoveStore::Write(const ClusterMove& move) {
  return transaction_
      .Execute(kWrite, {move.cluster, move.move_id, move.cluster_id, move.cell,
                        kStates[static_cast<size_t>(move.state)], move.last_seq, move.returns})
      .status();
}

absl::Status ClusterMoveStore::Delete(const std::string& cluster) {
  return transaction_.Execute(kDeleteMove, {cluster}).status();
}

absl::StatusOr<std::vector<MovedCluster>> ClusterMoveStore::ListMoved() {
  return transaction_.Query(DecodeMoved, kListMoved);
}

absl::StatusOr<int64_t> ClusterMoveStore::CountFrozen() {
  return transaction_.QueryOne(OnlyColumn<int64_t>, std::string(kCountFrozen));
}

absl::StatusOr<bool> ClusterMoveStore::IsLeaving(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<bool>, kIsLeaving, {cluster_id});
}

absl::Status ClusterMoveStore::RequireWritable(int32_t cluster_id) {
  return transaction_.Execute(kRequireWritable, {cluster_id}).status();
}

absl::StatusOr<int64_t> ClusterMoveStore::LastSeq(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kLastSeq, {cluster_id});
}

absl::Status ClusterMoveStore::Freeze(int32_t cluster_id) {
  absl::Status status = transaction_.Execute(kCreateQueue, {cluster_id}).status();
  if (status.ok()) status = transaction_.Execute(kFreezeQueue, {cluster_id, true}).status();
  if (status.ok()) status = transaction_.Execute(kAwaitPublication, {cluster_id}).status();
  return status;
}

absl::Status ClusterMoveStore::Thaw(int32_t cluster_id) {
  return transaction_.Execute(kFreezeQueue, {cluster_id, false}).status();
}

absl::StatusOr<int32_t> ClusterMoveStore::CreateHidden(const std::string& cluster) {
  return transaction_.QueryOne(OnlyColumn<int32_t>, kCreateHidden, {cluster});
}

absl::StatusOr<int64_t> ClusterMoveStore::LastAuditEvent(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kLastAuditEvent, {cluster_id});
}

absl::Status ClusterMoveStore::Activate(int32_t cluster_id, int64_t last_audit_event) {
  auto revision = ConfigurationStore(transaction_).Revision(cluster_id);
  if (!revision.ok()) return revision.status();
  absl::Status status = transaction_.Execute(kLockSequences).status();
  for (const Numbered& numbered : kNumbered) {
    const int64_t least = absl::string_view(numbered.table) == "audit_event" ? last_audit_event : 0;
    if (status.ok()) status = transaction_.Execute(Advance(numbered), {cluster_id, least}).status();
  }
  if (status.ok()) status = transaction_.Execute(kSetName, {cluster_id}).status();
  if (status.ok()) status = transaction_.Execute(kSetPublishedName, {cluster_id}).status();
  if (status.ok()) status = transaction_.Execute(kSetRevision, {cluster_id, *revision}).status();
  if (status.ok()) status = Notify(transaction_, {Subject::kAnything, ""});
  return status;
}

absl::StatusOr<int32_t> ClusterMoveStore::SchemaVersion() {
  return transaction_.QueryOne(OnlyColumn<int32_t>, kSchemaVersion);
}

}  // namespace priorityd::storage
