#include "storage/cluster_deletion.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "storage/notification.h"

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
constexpr char kFindBegun[] = "SELECT id FROM priorityd.cluster WHERE former_name = $1 ORDER BY id";
constexpr char kListBegun[] =
    "SELECT id, former_name FROM priorityd.cluster WHERE former_name IS NOT NULL ORDER BY id";
// No transaction adds rows that refer to it any more.
constexpr char kLockRow[] = "SELECT FROM priorityd.cluster WHERE id = $1 FOR UPDATE";
constexpr char kDeleteRow[] = "DELETE FROM priorityd.cluster WHERE id = $1";
// By an index, or each step would read what the ones before it left.
constexpr char kByIndex[] = "SET LOCAL enable_seqscan = off";

// Counts what the deletions from the others change; goes with the cluster's own row.
constexpr char kRevision[] = "configuration_revision";

ClusterContents DecodeContents(RowReader& row) {
  ClusterContents contents;
  row.Read(&contents.associations, &contents.jobs, &contents.records);
  return contents;
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
  static const auto* const tables = new std::vector<std::string>{"budget_told",
                                                                 "budget_event",
                                                                 "job_accounting",
                                                                 "job_end",
                                                                 "job_end_since",
                                                                 "job_record",
                                                                 "usage_record",
                                                                 "usage_void",
                                                                 "usage_bucket",
                                                                 "running_job",
                                                                 "factor_history",
                                                                 "factor_sample",
                                                                 "association_factor",
                                                                 "snapshot_usage",
                                                                 "snapshot_qos_usage",
                                                                 "snapshot_job_end",
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
                                                                 kRevision};
  return *tables;
}

absl::StatusOr<ClusterContents> ClusterDeletion::Contents(int32_t cluster_id) {
  return transaction_.QueryOne(DecodeContents, kContents, {cluster_id});
}

absl::Status ClusterDeletion::Begin(int32_t cluster_id) {
  for (const char* statement : {kTakeName, kMoveQueue, kUnpublish}) {
    absl::Status done = transaction_.Execute(statement, {cluster_id}).status();
    if (!done.ok()) return done;
  }
  return Notify(transaction_, {Subject::kAnything, ""});
}

absl::StatusOr<std::vector<int32_t>> ClusterDeletion::FindBegun(const std::string& name) {
  return transaction_.Query(OnlyColumn<int32_t>, kFindBegun, {name});
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
    if (table == kRevision) continue;
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
