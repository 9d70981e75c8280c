#include "storage/configuration/lease_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/foreign_keys.h"

namespace priorityd::storage {
namespace {

constexpr char kOpenLeases[] =
    " WHERE cluster_id = $1 AND NOT end_passed AND (ended_at IS NULL OR ended_at > begin_time)";
constexpr char kCountNotEnded[] =
    "SELECT count(*) FROM priorityd.setting_lease WHERE cluster_id = $1 AND NOT end_passed "
    "AND end_time > $2::timestamptz AND ended_at IS NULL AND kind = $3::text "
    "AND starts_with(created_by, $4::text) AND right(created_by, length($5::text)) = $5::text";
constexpr char kCountOpen[] =
    "SELECT count(*) FROM priorityd.setting_lease WHERE cluster_id = $1 AND NOT end_passed "
    "AND kind = $2::text AND starts_with(created_by, $3::text) "
    "AND right(created_by, length($4::text)) = $4::text";
constexpr char kNextPassage[] =
    "SELECT b.at FROM priorityd.setting_lease, "
    "LATERAL (VALUES (begin_time), (least(end_time, ended_at))) AS b (at) WHERE cluster_id = $1 "
    "AND NOT end_passed AND (ended_at IS NULL OR ended_at > begin_time) "
    "AND b.at > $2::timestamptz ORDER BY b.at LIMIT 1";
// The states exclude each other.
constexpr char kLeaseFilter[] =
    " WHERE cluster_id = $1 AND ($2::text[] = '{}' OR object = ANY ($2::text[])) "
    "AND ($3::bigint[] = '{}' OR id = ANY ($3::bigint[])) "
    "AND (CASE WHEN ended_at <= begin_time THEN $8::boolean "
    "WHEN least(end_time, ended_at) <= $4::timestamptz THEN $7::boolean "
    "WHEN begin_time <= $4::timestamptz THEN $6::boolean ELSE $5::boolean END) "
    "AND ($9::bigint = 0 OR id < $9::bigint) ORDER BY id DESC LIMIT $10::bigint";
// One whose begin was passed has begun, although the caller read the clock before.
constexpr char kEndLeases[] =
    "UPDATE priorityd.setting_lease SET ended_by = $4::text, "
    "ended_at = CASE WHEN begin_passed THEN greatest($3::timestamptz, begin_time + "
    "interval '1 microsecond') ELSE $3::timestamptz END, "
    "end_passed = end_passed OR (NOT begin_passed AND begin_time >= $3::timestamptz) "
    "WHERE cluster_id = $1 AND id = ANY ($2::bigint[])";
// Of the open leases, those whose object does not exist; no recalculation has to pass them.
constexpr char kEndOfDeleted[] =
    " SET begin_passed = true, end_passed = true, ended_by = $3::text, "
    "ended_at = CASE WHEN begin_passed THEN greatest($2::timestamptz, begin_time + "
    "interval '1 microsecond') ELSE $2::timestamptz END WHERE cluster_id = $1 AND NOT end_passed "
    "AND (ended_at IS NULL OR ended_at > begin_time) AND CASE kind "
    "WHEN 'association' THEN NOT EXISTS (SELECT FROM priorityd.association o "
    "WHERE o.cluster_id = $1 AND o.account = l.account AND o.user_name = l.user_name "
    "AND o.partition = l.partition AND o.deleted_at IS NULL) "
    "WHEN 'user' THEN NOT EXISTS (SELECT FROM priorityd.cluster_user o "
    "WHERE o.cluster_id = $1 AND o.name = l.user_name) "
    "WHEN 'qos' THEN NOT EXISTS (SELECT FROM priorityd.qos o "
    "WHERE o.cluster_id = $1 AND o.name = l.qos AND o.deleted_at IS NULL) "
    "WHEN 'partition' THEN NOT EXISTS (SELECT FROM priorityd.partition o "
    "WHERE o.cluster_id = $1 AND o.name = l.partition AND o.deleted_at IS NULL) "
    "ELSE false END RETURNING ";
constexpr char kPassBegins[] =
    "UPDATE priorityd.setting_lease SET begin_passed = true "
    "WHERE cluster_id = $1 AND id = ANY ($2::bigint[]) AND NOT begin_passed RETURNING id";
constexpr char kPassEnds[] =
    "UPDATE priorityd.setting_lease SET end_passed = true "
    "WHERE cluster_id = $1 AND id = ANY ($2::bigint[]) AND NOT end_passed RETURNING id";
constexpr char kLeasedJobs[] =
    "SELECT job_id, nice FROM priorityd.job "
    "WHERE cluster_id = $1 AND job_id = ANY ($2::text[]) AND ended_as = ''";
constexpr char kLeasedObjects[] =
    "SELECT DISTINCT object FROM priorityd.setting_lease "
    "WHERE cluster_id = $1 AND object = ANY ($2::text[])";
// Each half has an index.
constexpr char kDeleteLeases[] =
    "DELETE FROM priorityd.setting_lease WHERE cluster_id = $1 AND id = ANY (ARRAY("
    "SELECT id FROM priorityd.setting_lease WHERE cluster_id = $1 "
    "AND least(end_time, ended_at) < $2::timestamptz UNION ALL "
    "SELECT id FROM priorityd.setting_lease WHERE cluster_id = $1 "
    "AND ended_at <= begin_time AND ended_at < $3::timestamptz))";

// $3 up to, but not including, $4: an index has the authors in the order of bytes. OFFSET 0 keeps
// the planner from another index, which has the order of ids.
constexpr char kDeleteBeyondOfAuthors[] =
    "DELETE FROM priorityd.setting_lease WHERE cluster_id = $1 AND id = ANY (ARRAY("
    "SELECT id FROM (SELECT id FROM priorityd.setting_lease WHERE cluster_id = $1 "
    "AND kind = $2::text AND end_passed AND created_by COLLATE \"C\" >= $3::text "
    "AND created_by COLLATE \"C\" < $4::text "
    "AND right(created_by, length($5::text)) = $5::text OFFSET 0) AS own "
    "ORDER BY id DESC OFFSET $6::bigint))";
constexpr char kDeleteBeyondOfKind[] =
    "DELETE FROM priorityd.setting_lease WHERE cluster_id = $1 AND id = ANY (ARRAY("
    "SELECT id FROM priorityd.setting_lease WHERE cluster_id = $1 AND kind = $2::text "
    "AND end_passed ORDER BY id DESC OFFSET $3::bigint))";

struct LeaseStatements {
  const ColumnTable<Lease>& leases = LeaseColumns();
  std::string open = absl::StrCat("SELECT ", leases.Selected(), " FROM ", leases.Table(),
                                  kOpenLeases, " ORDER BY begin_time, id");
  std::string published =
      absl::StrCat("SELECT ", leases.Selected(), " FROM ", leases.Table(Edition::kPublished),
                   kOpenLeases, " ORDER BY begin_time, id");
  std::string open_of =
      absl::StrCat("SELECT ", leases.Selected(), " FROM ", leases.Table(), kOpenLeases,
                   " AND object = ANY ($2::text[]) ORDER BY begin_time, id");
  std::string list =
      absl::StrCat("SELECT ", leases.Selected(), " FROM ", leases.Table(), kLeaseFilter);
  std::string end_of_deleted =
      absl::StrCat("UPDATE ", leases.Table(), " l", kEndOfDeleted, leases.Selected());
  std::string insert =
      absl::StrCat("INSERT INTO ", leases.Table(), " (", leases.Written("cluster_id, "),
                   ") SELECT $1::integer, ", leases.GivenValues(), " FROM ",
                   leases.GivenWithPlace(2), " ORDER BY place RETURNING id");
};

const LeaseStatements& LeaseSql() {
  static const auto* const statements = new LeaseStatements;
  return *statements;
}

LeasedJob DecodeLeasedJob(RowReader& row) {
  LeasedJob job;
  row.Read(&job.job_id, &job.nice);
  return job;
}

}  // namespace

const ColumnTable<Lease>& LeaseColumns() {
  using C = ColumnTable<Lease>;
  using L = Lease;
  static const auto* const columns =
      new C("setting_lease", {"cluster_id"},
            {C::ReadOnly<&L::id>("id"), C::Key<&L::kind>("kind"), C::Key<&L::account>("account"),
             C::Key<&L::user_name>("user_name"), C::Key<&L::partition>("partition"),
             C::Key<&L::qos>("qos"), C::Key<&L::job_id>("job_id"), C::Key<&L::object>("object"),
             C::Key<&L::setting_names>("setting_names"),
             C::Key<&L::setting_operators>("setting_operators"),
             C::Key<&L::setting_values>("setting_values"), C::Key<&L::begin_time>("begin_time"),
             C::Key<&L::end_time>("end_time"), C::Key<&L::created_by>("created_by"),
             C::Key<&L::comment>("comment"), C::ReadOnly<&L::ended_at>("ended_at"),
             C::ReadOnly<&L::ended_by>("ended_by"), C::ReadOnly<&L::begin_passed>("begin_passed"),
             C::ReadOnly<&L::end_passed>("end_passed")});
  return *columns;
}

absl::Time EndOf(const Lease& lease) {
  return std::min(lease.end_time, lease.ended_at.value_or(absl::InfiniteFuture()));
}

bool IsCancelled(const Lease& lease) { return EndOf(lease) <= lease.begin_time; }

absl::StatusOr<std::vector<Lease>> LeaseStore::ListOpen(int32_t cluster_id, Edition edition) {
  const LeaseStatements& sql = LeaseSql();
  return transaction_.Query(DecodeTableRow<LeaseColumns>,
                            edition == Edition::kPublished ? sql.published : sql.open,
                            {cluster_id});
}

absl::StatusOr<std::vector<Lease>> LeaseStore::ListOpenOf(int32_t cluster_id,
                                                          const std::vector<std::string>& objects) {
  return transaction_.Query(DecodeTableRow<LeaseColumns>, LeaseSql().open_of,
                            {cluster_id, objects});
}

absl::StatusOr<std::vector<std::string>> LeaseStore::ListLeased(
    int32_t cluster_id, const std::vector<std::string>& objects) {
  return transaction_.Query(OnlyColumn<std::string>, kLeasedObjects, {cluster_id, objects});
}

absl::StatusOr<std::vector<LeasedJob>> LeaseStore::ListJobs(
    int32_t cluster_id, const std::vector<std::string>& job_ids) {
  return transaction_.Query(DecodeLeasedJob, kLeasedJobs, {cluster_id, job_ids});
}

absl::StatusOr<int64_t> LeaseStore::CountNotEnded(int32_t cluster_id, absl::Time time,
                                                  const std::string& kind,
                                                  const LeaseAuthors& authors) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountNotEnded,
                               {cluster_id, time, kind, authors.begin, authors.end});
}

absl::StatusOr<int64_t> LeaseStore::CountOpen(int32_t cluster_id, const std::string& kind,
                                              const LeaseAuthors& authors) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountOpen,
                               {cluster_id, kind, authors.begin, authors.end});
}

absl::StatusOr<std::optional<absl::Time>> LeaseStore::NextPassage(int32_t cluster_id,
                                                                  absl::Time time) {
  return transaction_.QueryOptional(OnlyColumn<absl::Time>, kNextPassage, {cluster_id, time});
}

absl::StatusOr<std::vector<Lease>> LeaseStore::List(int32_t cluster_id, const LeaseFilter& filter,
                                                    int64_t before, int64_t most) {
  return transaction_.Query(DecodeTableRow<LeaseColumns>, LeaseSql().list,
                            {cluster_id, filter.objects, filter.ids, filter.time, filter.pending,
                             filter.active, filter.ended, filter.cancelled, before, most});
}

absl::StatusOr<std::vector<int64_t>> LeaseStore::Insert(int32_t cluster_id,
                                                        absl::Span<const Lease> leases) {
  return transaction_.Query(OnlyColumn<int64_t>, LeaseSql().insert,
                            LeaseColumns().Parameters(leases, {cluster_id}));
}

absl::Status LeaseStore::End(int32_t cluster_id, const std::vector<int64_t>& ids, absl::Time at,
                             const std::string& by) {
  return transaction_.Execute(kEndLeases, {cluster_id, ids, at, by}).status();
}

absl::StatusOr<std::vector<Lease>> LeaseStore::EndOfDeleted(int32_t cluster_id, absl::Time at,
                                                            const std::string& by) {
  return transaction_.Query(DecodeTableRow<LeaseColumns>, LeaseSql().end_of_deleted,
                            {cluster_id, at, by});
}

absl::StatusOr<std::vector<int64_t>> LeaseStore::PassBegins(int32_t cluster_id,
                                                            const std::vector<int64_t>& ids) {
  return transaction_.Query(OnlyColumn<int64_t>, kPassBegins, {cluster_id, ids});
}

absl::StatusOr<std::vector<int64_t>> LeaseStore::PassEnds(int32_t cluster_id,
                                                          const std::vector<int64_t>& ids) {
  return transaction_.Query(OnlyColumn<int64_t>, kPassEnds, {cluster_id, ids});
}

absl::Status LeaseStore::DeleteBefore(int32_t cluster_id, absl::Time ended, absl::Time cancelled) {
  return ExecuteByIndex(transaction_, kDeleteLeases, {cluster_id, ended, cancelled}).status();
}

absl::Status LeaseStore::DeleteBeyond(int32_t cluster_id, const std::string& kind,
                                      const LeaseAuthors& authors, int64_t of_authors,
                                      int64_t of_kind) {
  std::string after = authors.begin;
  ++after.back();
  absl::Status status =
      ExecuteByIndex(transaction_, kDeleteBeyondOfAuthors,
                     {cluster_id, kind, authors.begin, after, authors.end, of_authors})
          .status();
  if (!status.ok()) return status;
  return ExecuteByIndex(transaction_, kDeleteBeyondOfKind, {cluster_id, kind, of_kind}).status();
}

}  // namespace priorityd::storage
