#include "storage/configuration/cluster_deletion.h"

#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/notification.h"

namespace priorityd::storage {
namespace {

constexpr char kContents[] =
    "SELECT (SELECT count(*) FROM priorityd.association "
    "WHERE cluster_id = $1 AND deleted_at IS NULL), "
    "(SELECT count(*) FROM priorityd.job WHERE cluster_id = $1), "
    "(SELECT count(*) FROM priorityd.usage_record WHERE cluster_id = $1)";
// No cluster can be called that: names have no control characters at the API.
constexpr char kTakeName[] =
    "UPDATE priorityd.cluster SET former_name = name, name = chr(1) || id "
    "WHERE id = $1 AND former_name IS NULL";
// A transaction that is about to change the queue finds that it was replaced.
constexpr char kMoveQueue[] =
    "UPDATE priorityd.job_queue SET last_change = last_change + 1 WHERE cluster_id = $1";
constexpr char kUnpublish[] = "DELETE FROM priorityd.published_cluster WHERE id = $1";
// The name is the next one's.
constexpr char kTakePublishedName[] =
    "UPDATE priorityd.published_cluster SET name = chr(1) || id WHERE id = $1";
constexpr char kGrace[] =
    "INSERT INTO priorityd.deleted_cluster (cluster_id, restorable_until) "
    "VALUES ($1, now() + make_interval(secs => $2)) RETURNING restorable_until";
constexpr char kEndGrace[] =
    "DELETE FROM priorityd.deleted_cluster WHERE cluster_id = $1 "
    "AND (NOT $2::boolean OR restorable_until > now())";
constexpr char kIsNameTaken[] =
    "SELECT count(*) FROM priorityd.cluster c JOIN priorityd.cluster o ON o.name = c.former_name "
    "WHERE c.id = $1";
constexpr char kGiveName[] =
    "UPDATE priorityd.cluster SET name = former_name, former_name = NULL WHERE id = $1";
constexpr char kGivePublishedName[] =
    "UPDATE priorityd.published_cluster p SET name = c.name FROM priorityd.cluster c "
    "WHERE p.id = $1 AND c.id = $1";
constexpr char kFindHidden[] =
    "SELECT id FROM priorityd.cluster c WHERE former_name = $1 AND NOT EXISTS "
    "(SELECT FROM priorityd.cluster_move m WHERE m.local_id = c.id) ORDER BY id";
constexpr char kForgetMove[] = "DELETE FROM priorityd.cluster_move WHERE local_id = $1";
constexpr char kListBegun[] =
    "SELECT id, former_name FROM priorityd.cluster c WHERE former_name IS NOT NULL AND NOT EXISTS "
    "(SELECT FROM priorityd.deleted_cluster d WHERE d.cluster_id = c.id "
    "AND d.restorable_until > now()) AND NOT EXISTS "
    "(SELECT FROM priorityd.cluster_move m WHERE m.local_id = c.id) ORDER BY id";
// No transaction adds rows that refer to it any more.
constexpr char kLockRow[] = "SELECT FROM priorityd.cluster WHERE id = $1 FOR UPDATE";
constexpr char kDeleteRow[] = "DELETE FROM priorityd.cluster WHERE id = $1";
// By an index, or each step would read what the ones before it left.
constexpr char kByIndex[] = "SET LOCAL enable_seqscan = off";

// Counts what the deletions from the others change; goes with the cluster's own row.
constexpr char kRevisionTable[] = "configuration_revision";

// Tables with references to others come first.
constexpr const char* kTables[] = {
    "deleted_cluster",
    "import_change",
    "import_run",
    "budget_told",
    "budget_event",
    "published_domain",
    "domain_grant",
    "domain_share",
    "domain_share_names",
    "domain_member",
    "grant_standing",
    "usage_pool_period",
    "usage_pool",
    "usage_grant_transfer",
    "usage_grant_version",
    "usage_grant",
    "price_book",
    "user_alias",
    "user_alias_version",
    "user_merge",
    "published_user_merge",
    "setting_lease",
    "published_setting_lease",
    "job_accounting",
    "job_end",
    "job_end_since",
    "job_record",
    "usage_record",
    "usage_void",
    "usage_bucket",
    "running_job",
    "forecast_event",
    "factor_history",
    "factor_sample",
    "association_factor",
    "snapshot_usage",
    "snapshot_qos_usage",
    "snapshot_job_end",
    "snapshot_reserve",
    "publication",
    "job_removal",
    "job",
    "job_queue",
    "opening_usage",
    "usage_reset",
    "association_usage",
    "qos_usage",
    "published_association",
    "published_cluster_user",
    "published_qos",
    "published_partition",
    "published_reservation",
    "published_half_life",
    "published_configuration",
    "snapshot",
    "half_life",
    "cluster_user",
    "partition",
    "reservation",
    "association",
    "qos",
    "policy_version",
    "cluster_tres",
    "audit_event",
    kRevisionTable,
};

ClusterContents DecodeContents(RowReader& row) {
  ClusterContents contents;
  row.Read(&contents.associations, &contents.jobs, &contents.records);
  return contents;
}

DeletedCluster DecodeDeleted(RowReader& row) {
  DeletedCluster deleted;
  deleted.cluster = ClusterColumns().Decode(row);
  row.Read(&deleted.cluster.name, &deleted.restorable_until);
  return deleted;
}

BegunDeletion DecodeBegun(RowReader& row) {
  BegunDeletion begun;
  row.Read(&begun.cluster_id, &begun.name);
  return begun;
}

// Rows that no other row of their table refers to.
std::string Deletable(const std::string& table) {
  if (table != "association") return "";
  return " AND NOT EXISTS (SELECT FROM priorityd.association c "
         "WHERE c.cluster_id = $1 AND c.parent_id = t.id)";
}

}  // namespace

const std::vector<std::string>& ClusterDeletion::Tables() {
  static const auto* const tables =
      new std::vector<std::string>(std::begin(kTables), std::end(kTables));
  return *tables;
}

absl::StatusOr<ClusterContents> ClusterDeletion::Contents(int32_t cluster_id) {
  return transaction_.QueryOne(DecodeContents, kContents, {cluster_id});
}

absl::StatusOr<absl::Time> ClusterDeletion::Hide(int32_t cluster_id, absl::Duration grace) {
  for (const char* statement : {kTakeName, kTakePublishedName, kMoveQueue, kForgetMove}) {
    absl::Status done = transaction_.Execute(statement, {cluster_id}).status();
    if (!done.ok()) return done;
  }
  auto until = transaction_.QueryOne(OnlyColumn<absl::Time>, kGrace,
                                     {cluster_id, absl::ToDoubleSeconds(grace)});
  if (!until.ok()) return until.status();
  if (absl::Status s = Notify(transaction_, {Subject::kAnything, ""}); !s.ok()) return s;
  return *until;
}

absl::StatusOr<bool> ClusterDeletion::Restore(int32_t cluster_id) {
  absl::Status locked = transaction_.Execute(kLockRow, {cluster_id}).status();
  if (!locked.ok()) return locked;
  auto taken = transaction_.QueryOne(OnlyColumn<int64_t>, kIsNameTaken, {cluster_id});
  if (!taken.ok()) return taken.status();
  if (*taken > 0) {
    return absl::AlreadyExistsError(
        "name: got that of a cluster that was created since, want it deleted first");
  }
  auto ended = transaction_.Execute(kEndGrace, {cluster_id, true});
  if (!ended.ok()) return ended.status();
  if (*ended == 0) return false;
  for (const char* statement : {kGiveName, kGivePublishedName, kMoveQueue}) {
    absl::Status done = transaction_.Execute(statement, {cluster_id}).status();
    if (!done.ok()) return done;
  }
  if (absl::Status s = Notify(transaction_, {Subject::kAnything, ""}); !s.ok()) return s;
  return true;
}

absl::StatusOr<bool> ClusterDeletion::Begin(int32_t cluster_id) {
  absl::Status locked = transaction_.Execute(kLockRow, {cluster_id}).status();
  if (locked.ok()) locked = transaction_.Execute(kUnpublish, {cluster_id}).status();
  if (!locked.ok()) return locked;
  auto ended = transaction_.Execute(kEndGrace, {cluster_id, false});
  if (!ended.ok()) return ended.status();
  return *ended > 0;
}

absl::StatusOr<std::vector<DeletedCluster>> ClusterDeletion::ListRestorable() {
  return transaction_.Query(
      DecodeDeleted,
      absl::StrCat("SELECT ", ClusterColumns().Selected("c."),
                   ", c.former_name, d.restorable_until FROM priorityd.deleted_cluster d JOIN "
                   "priorityd.cluster c ON c.id = d.cluster_id WHERE d.restorable_until > now() "
                   "ORDER BY c.former_name COLLATE \"C\", d.restorable_until DESC"));
}

absl::StatusOr<std::vector<int32_t>> ClusterDeletion::FindHidden(const std::string& name) {
  return transaction_.Query(OnlyColumn<int32_t>, kFindHidden, {name});
}

absl::StatusOr<std::vector<BegunDeletion>> ClusterDeletion::ListBegun() {
  return transaction_.Query(DecodeBegun, kListBegun);
}

absl::StatusOr<int64_t> ClusterDeletion::DeleteFrom(const std::string& table, int32_t cluster_id,
                                                    int64_t most) {
  return transaction_.Execute(
      absl::StrCat("DELETE FROM priorityd.", table, " WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM ",
                   "priorityd.", table, " t WHERE t.cluster_id = $1", Deletable(table),
                   " LIMIT $2::bigint))"),
      {cluster_id, most});
}

absl::StatusOr<int64_t> ClusterDeletion::DeleteSome(int32_t cluster_id, int64_t most) {
  if (absl::Status s = transaction_.ExecuteScript(kByIndex); !s.ok()) return s;
  // A concurrent deletion would not see the rows left for later, and would delete the rows to which
  // they refer.
  absl::Status locked = transaction_.Execute(kLockRow, {cluster_id}).status();
  if (!locked.ok()) return locked;
  for (const std::string& table : Tables()) {
    if (table == kRevisionTable) continue;
    auto deleted = DeleteFrom(table, cluster_id, most);
    if (!deleted.ok() || *deleted > 0) return deleted;
  }
  return 0;
}

absl::Status ClusterDeletion::Finish(int32_t cluster_id) {
  absl::Status status = transaction_.Execute(kLockRow, {cluster_id}).status();
  if (!status.ok()) return status;
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  for (const std::string& table : Tables()) {
    for (;;) {
      auto deleted = DeleteFrom(table, cluster_id, kAll);
      if (!deleted.ok()) return deleted.status();
      if (*deleted == 0) break;
    }
  }
  return transaction_.Execute(kDeleteRow, {cluster_id}).status();
}

}  // namespace priorityd::storage
