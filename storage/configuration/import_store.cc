#include "storage/configuration/import_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {
namespace {

// The rules to restore a table's rows.
struct Kind {
  absl::string_view table;
  absl::string_view key;      // Identifies a row of `t`, as the trigger writes it.
  absl::string_view cluster;  // The column of the cluster.
  // The end of a row that the import created: assignments, or empty = it is deleted.
  absl::string_view end;
  // Whether `o` has the name, unique among rows that are not deleted, of `t`; empty = no such name.
  absl::string_view same_name;
  absl::string_view also = "";  // More assignments of a row that gets its former state.
  bool is_deleted = false;      // An import deletes rows, which are inserted again.
  bool ends_at_time = false;    // Rows that the import created end by kEndImported.
};

constexpr Kind kKinds[] = {
    {"cluster", "t.id::text", "id", "", ""},
    {"qos", "t.id::text", "cluster_id", "deleted_at = now()", "o.name = t.name"},
    {"partition", "t.id::text", "cluster_id", "deleted_at = now()", "o.name = t.name"},
    {"association", "t.id::text", "cluster_id", "deleted_at = now()",
     "(o.account, o.user_name, o.partition) = (t.account, t.user_name, t.partition)"},
    {"cluster_user", "t.name", "cluster_id", "", "", "", true},
    {"opening_usage", "t.association_id::text", "cluster_id",
     "value = 0, changed_xid = pg_current_xact_id()::text::bigint", "",
     "changed_xid = pg_current_xact_id()::text::bigint"},
    // As the trigger of many columns writes keys.
    {"usage_grant_version", "jsonb_build_array(t.grant_id, t.number)::text", "cluster_id", "", ""},
    {"usage_grant_transfer", "jsonb_build_array(t.id)::text", "cluster_id", "", ""},
    {"usage_grant", "jsonb_build_array(t.id)::text", "cluster_id", "", ""},
    {"price_book", "jsonb_build_array(t.name, t.begin_time)::text", "cluster_id", "", "", "", true},
    // The next recalculation passes the end of a lease that ends later again, and the begin of one
    // that was cancelled.
    {"setting_lease", "jsonb_build_array(t.id)::text", "cluster_id", "", "",
     "end_passed = false, "
     "begin_passed = t.begin_passed AND coalesce(t.ended_at > t.begin_time, true)",
     false, true},
    {"user_merge", "jsonb_build_array(t.from_user)::text", "cluster_id", "", "", "", true},
    {"user_alias", "jsonb_build_array(t.source, t.alias)::text", "cluster_id", "", "", "", true},
};

// Times in jsonb have the session's zone.
constexpr char kZone[] = "SET LOCAL timezone = 'UTC'";
constexpr char kBegin[] =
    "INSERT INTO priorityd.import_run (cluster_id, id, principal, policy_before, policy_after) "
    "SELECT $1::integer, coalesce(max(id), 0) + 1, $2::text, $3::bigint, $3::bigint "
    "FROM priorityd.import_run WHERE cluster_id = $1 RETURNING id";
constexpr char kNote[] = "SELECT set_config('priorityd.import_id', $1::text, true)";
constexpr char kDropSame[] =
    "DELETE FROM priorityd.import_change WHERE cluster_id = $1 AND import_id = $2 "
    "AND before IS NOT DISTINCT FROM after";
constexpr char kEnd[] =
    "UPDATE priorityd.import_run SET policy_after = $3 WHERE cluster_id = $1 AND id = $2 "
    "RETURNING policy_before <> policy_after OR EXISTS (SELECT FROM priorityd.import_change "
    "WHERE cluster_id = $1 AND import_id = $2)";
constexpr char kForgetChanges[] =
    "DELETE FROM priorityd.import_change WHERE cluster_id = $1 AND (import_id = $2 OR "
    "import_id <= $3)";
constexpr char kForgetRuns[] =
    "DELETE FROM priorityd.import_run WHERE cluster_id = $1 AND (id = $2 OR id <= $3)";
constexpr char kFindImport[] =
    "SELECT id, policy_before, policy_after, undone_at IS NOT NULL FROM priorityd.import_run "
    "WHERE cluster_id = $1 AND (id = $2 OR ($2::bigint = 0 AND undone_at IS NULL)) "
    "ORDER BY id DESC LIMIT 1";
constexpr char kCountImports[] =
    "SELECT count(*) FILTER (WHERE kind = 'association'), "
    "count(*) FILTER (WHERE kind = 'cluster_user'), count(*) FILTER (WHERE kind = 'qos'), "
    "count(*) FILTER (WHERE kind = 'partition'), count(*) FILTER (WHERE kind = 'opening_usage'), "
    "count(DISTINCT coalesce(after, before) ->> CASE kind WHEN 'usage_grant' THEN 'id' "
    "ELSE 'grant_id' END) FILTER (WHERE kind IN ('usage_grant', 'usage_grant_version')) "
    "+ count(*) FILTER (WHERE kind = 'price_book'), "
    "count(*) FILTER (WHERE kind = 'usage_grant_transfer'), "
    "count(*) FILTER (WHERE kind = 'setting_lease'), count(*) FILTER (WHERE kind = 'user_merge'), "
    "count(*) FILTER (WHERE kind = 'user_alias') "
    "FROM priorityd.import_change WHERE cluster_id = $1 AND import_id = $2";
constexpr char kUndone[] =
    "UPDATE priorityd.import_run SET undone_at = now() WHERE cluster_id = $1 AND id = $2";

// The name for users of the row `r` of the kind `kind`.
constexpr char kObject[] =
    "CASE WHEN c.kind = 'cluster' THEN 'totals of the cluster' "
    "WHEN c.kind = 'cluster_user' THEN 'user ' || (r ->> 'name') "
    "WHEN c.kind = 'opening_usage' THEN 'opening usage of ' || (SELECT CASE WHEN a.user_name = '' "
    "THEN 'account ' || a.account ELSE 'user ' || a.user_name || ' of account ' || a.account END "
    "FROM priorityd.association a WHERE a.cluster_id = $1 "
    "AND a.id = (r ->> 'association_id')::bigint) "
    "WHEN c.kind = 'usage_grant' THEN 'grant ' || (r ->> 'name') "
    "WHEN c.kind = 'price_book' THEN 'price book ' || (r ->> 'name') "
    "WHEN c.kind = 'setting_lease' THEN 'lease of ' || (r ->> 'object') "
    "WHEN c.kind = 'user_merge' THEN 'merge of user ' || (r ->> 'from_user') "
    "WHEN c.kind = 'user_alias' THEN 'alias ' || (r ->> 'alias') "
    "WHEN c.kind IN ('usage_grant_version', 'usage_grant_transfer') THEN CASE c.kind "
    "WHEN 'usage_grant_version' THEN 'amount' ELSE 'transfer' END || ' of grant ' || "
    "coalesce((SELECT g.name FROM priorityd.usage_grant g WHERE g.cluster_id = $1 "
    "AND g.id = (r ->> CASE c.kind WHEN 'usage_grant_version' THEN 'grant_id' ELSE 'from_id' END)"
    "::bigint), (SELECT n.after ->> 'name' FROM priorityd.import_change n WHERE n.cluster_id = $1 "
    "AND n.import_id = $2 AND n.kind = 'usage_grant' AND n.row_key = jsonb_build_array("
    "(r ->> CASE c.kind WHEN 'usage_grant_version' THEN 'grant_id' ELSE 'from_id' END)::bigint)"
    "::text), '') "
    "WHEN c.kind <> 'association' THEN c.kind || ' ' || (r ->> 'name') "
    "WHEN r ->> 'user_name' = '' THEN 'account ' || (r ->> 'account') "
    "ELSE 'user ' || (r ->> 'user_name') || ' of account ' || (r ->> 'account') || "
    "CASE WHEN r ->> 'partition' = '' THEN '' ELSE ' in partition ' || (r ->> 'partition') END END";

// `column=value` of the columns of `row` whose value in `other` differs; without `other`, of those
// that are not empty.
std::string Differences(absl::string_view row, absl::string_view other) {
  return absl::StrCat(
      "coalesce((SELECT string_agg(e.key || '=' || coalesce(e.value, ''), ' ' "
      "ORDER BY e.key) FROM jsonb_each_text(",
      row, ") e WHERE e.key NOT IN ('cluster_id', 'id') AND CASE WHEN ", other,
      " IS NULL THEN coalesce(e.value, '') NOT IN ('', '[]') ELSE ", other,
      " -> e.key IS DISTINCT FROM ", row, " -> e.key END), '')");
}

// The rows $1, $2 of a kind beside the present ones.
std::string Beside(const Kind& kind) {
  return absl::StrCat("FROM (SELECT kind, row_key, before, after, coalesce(after, before) AS r ",
                      "FROM priorityd.import_change WHERE cluster_id = $1 AND import_id = $2 ",
                      "AND kind = '", kind.table, "') AS c LEFT JOIN priorityd.", kind.table,
                      " t ON t.", kind.cluster, " = $1 AND ", kind.key, " = c.row_key");
}

// Of columns that were added later, an import knows nothing.
std::string ChangedSinceStatement(const Kind& kind) {
  std::string changed =
      "(SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(to_jsonb(t)) e "
      "WHERE c.after ? e.key) IS DISTINCT FROM c.after";
  if (!kind.same_name.empty()) {
    absl::StrAppend(&changed, " OR (c.before IS NOT NULL AND c.before ->> 'deleted_at' IS NULL ",
                    "AND c.after ->> 'deleted_at' IS NOT NULL AND EXISTS (SELECT FROM priorityd.",
                    kind.table, " o WHERE o.cluster_id = $1 AND o.deleted_at IS NULL AND ",
                    "o.id <> t.id AND ", kind.same_name, "))");
  }
  if (kind.is_deleted) {
    absl::StrAppend(&changed, " OR (c.after IS NULL AND t.", kind.cluster, " IS NOT NULL)");
  }
  return absl::StrCat("SELECT ", kObject, " ", Beside(kind), " WHERE ", changed,
                      " ORDER BY 1 LIMIT $3::bigint");
}

// Grants that the import created or gave an amount, and that have others since. Subqueries with
// OFFSET look into the primary key for each row, whatever the planner knows of the import.
constexpr char kGrantsChangedSince[] =
    "WITH given AS (SELECT (after ->> CASE kind WHEN 'usage_grant' THEN 'id' ELSE 'grant_id' END)"
    "::bigint AS id, bool_or(kind = 'usage_grant' AND before IS NULL) AS is_new, "
    "min((after ->> 'number')::integer) AS number FROM priorityd.import_change "
    "WHERE cluster_id = $1 AND import_id = $2 AND kind IN ('usage_grant', 'usage_grant_version') "
    "GROUP BY 1) "
    "SELECT 'grant ' || g.name FROM (SELECT v.grant_id FROM given "
    "JOIN priorityd.usage_grant_version v ON v.cluster_id = $1 AND v.grant_id = given.id "
    "AND (given.is_new OR v.number > given.number) "
    "WHERE NOT EXISTS (SELECT FROM priorityd.import_change n WHERE n.cluster_id = $1 "
    "AND n.import_id = $2 AND n.kind = 'usage_grant_version' "
    "AND n.row_key = jsonb_build_array(v.grant_id, v.number)::text OFFSET 0) "
    "UNION SELECT e.id FROM priorityd.usage_grant_transfer t "
    "CROSS JOIN LATERAL (VALUES (t.from_id), (t.to_id)) AS e (id) "
    "WHERE t.cluster_id = $1 AND EXISTS (SELECT FROM given WHERE is_new) "
    "AND EXISTS (SELECT FROM priorityd.import_change n WHERE n.cluster_id = $1 "
    "AND n.import_id = $2 AND n.kind = 'usage_grant' AND n.before IS NULL "
    "AND n.row_key = jsonb_build_array(e.id)::text OFFSET 0) "
    "AND NOT EXISTS (SELECT FROM priorityd.import_change n WHERE n.cluster_id = $1 "
    "AND n.import_id = $2 AND n.kind = 'usage_grant_transfer' "
    "AND n.row_key = jsonb_build_array(t.id)::text OFFSET 0)) AS found "
    "JOIN priorityd.usage_grant g ON g.cluster_id = $1 AND g.id = found.grant_id "
    "ORDER BY 1 LIMIT $3::bigint";

constexpr char kColumns[] =
    "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute "
    "WHERE attrelid = ('priorityd.' || $1::text)::regclass AND attnum > 0 AND NOT attisdropped "
    "AND attidentity = '' "
    "AND attname NOT IN ('cluster_id', 'changed_xid', 'begin_passed', 'end_passed')";

// Leases that the import created and that have not ended, as LeaseStore::End ends them.
constexpr char kEndImported[] =
    "UPDATE priorityd.setting_lease t SET ended_by = $4::text, "
    "ended_at = CASE WHEN t.begin_passed THEN greatest($3::timestamptz, t.begin_time + "
    "interval '1 microsecond') ELSE $3::timestamptz END, end_passed = t.end_passed OR "
    "(NOT t.begin_passed AND t.begin_time >= $3::timestamptz) FROM priorityd.import_change c "
    "WHERE c.cluster_id = $1 AND c.import_id = $2 AND c.kind = 'setting_lease' "
    "AND c.before IS NULL AND t.cluster_id = $1 AND jsonb_build_array(t.id)::text = c.row_key "
    "AND least(t.end_time, t.ended_at) > $3::timestamptz";

constexpr char kOfChange[] = "c.cluster_id = $1 AND c.import_id = $2 AND c.kind = ";

std::vector<std::string> RestoreStatements(const Kind& kind, const std::string& columns) {
  const std::string of = absl::StrCat(kOfChange, "'", kind.table, "'");
  const std::string row =
      absl::StrCat("t.", kind.cluster, " = $1 AND ", kind.key, " = c.row_key AND ", of);
  std::vector<std::string> statements = {absl::StrCat(
      "UPDATE priorityd.", kind.table, " t SET ", kind.also, kind.also.empty() ? "" : ", ", "(",
      columns, ") = (SELECT ", columns,
      " FROM jsonb_populate_record(t, c.before)) FROM priorityd.import_change c WHERE ", row,
      " AND c.before IS NOT NULL AND c.after IS NOT NULL")};
  if (kind.ends_at_time) return statements;
  statements.push_back(
      kind.end.empty()
          ? absl::StrCat("DELETE FROM priorityd.", kind.table,
                         " t USING priorityd.import_change c WHERE ", row, " AND c.before IS NULL")
          : absl::StrCat("UPDATE priorityd.", kind.table, " t SET ", kind.end,
                         " FROM priorityd.import_change c WHERE ", row, " AND c.before IS NULL"));
  if (kind.is_deleted) {
    statements.push_back(absl::StrCat("INSERT INTO priorityd.", kind.table,
                                      " SELECT (jsonb_populate_record(NULL::priorityd.", kind.table,
                                      ", c.before)).* FROM priorityd.import_change c WHERE ", of,
                                      " AND c.after IS NULL"));
  }
  return statements;
}

// $3: at most so many.
constexpr char kDependents[] =
    "WITH RECURSIVE created AS (SELECT kind, row_key, after AS r FROM priorityd.import_change "
    "WHERE cluster_id = $1 AND import_id = $2 AND before IS NULL), "
    "reached AS (SELECT id FROM priorityd.association WHERE cluster_id = $1 AND parent_id IS NULL "
    "AND deleted_at IS NULL UNION SELECT a.id FROM priorityd.association a JOIN reached "
    "ON a.parent_id = reached.id WHERE a.cluster_id = $1 AND a.deleted_at IS NULL), "
    "names AS (SELECT coalesce(array_agg(r ->> 'name') FILTER (WHERE kind = 'qos'), '{}') AS qos, "
    "coalesce(array_agg(r ->> 'name') FILTER (WHERE kind = 'partition'), '{}') AS partitions, "
    "coalesce(array_agg(r ->> 'account') FILTER (WHERE kind = 'association' "
    "AND r ->> 'user_name' = ''), '{}') AS accounts FROM created) "
    "SELECT 'account ' || a.account || CASE WHEN a.user_name = '' THEN '' ELSE ', user ' || "
    "a.user_name END FROM priorityd.association a WHERE a.cluster_id = $1 "
    "AND a.deleted_at IS NULL AND NOT EXISTS (SELECT FROM reached WHERE reached.id = a.id) "
    "UNION ALL SELECT 'qos of account ' || a.account || CASE WHEN a.user_name = '' THEN '' "
    "ELSE ', user ' || a.user_name END FROM priorityd.association a, names "
    "WHERE a.cluster_id = $1 AND a.deleted_at IS NULL "
    "AND (a.qos && names.qos OR a.default_qos = ANY (names.qos)) "
    "UNION ALL SELECT 'default account of user ' || u.name FROM priorityd.cluster_user u, names "
    "WHERE u.cluster_id = $1 AND u.default_account = ANY (names.accounts) "
    "UNION ALL SELECT 'tracked job ' || j.job_id FROM priorityd.job j, names "
    "WHERE j.cluster_id = $1 AND j.ended_as = '' "
    "AND (j.qos && names.qos OR j.partitions && names.partitions) "
    // Users whose usage would be the account's: the import created or revived their association.
    "UNION ALL SELECT DISTINCT 'merge of user ' || a.user_name FROM priorityd.import_change c "
    "JOIN priorityd.association a ON a.cluster_id = $1 AND a.id::text = c.row_key "
    "WHERE c.cluster_id = $1 AND c.import_id = $2 AND c.kind = 'association' "
    "AND c.after ->> 'deleted_at' IS NULL AND a.deleted_at IS NOT NULL AND EXISTS "
    "(SELECT FROM priorityd.user_merge m WHERE m.cluster_id = $1 "
    "AND m.from_user = a.user_name COLLATE \"C\") "
    // Changes by others since then of merges and aliases that the import removed.
    "UNION ALL SELECT 'merge of user ' || m.from_user FROM priorityd.user_merge m "
    "JOIN priorityd.user_merge n ON n.cluster_id = $1 AND n.from_user = m.into_user "
    "WHERE m.cluster_id = $1 "
    "UNION ALL SELECT 'alias ' || a.alias FROM priorityd.user_alias a "
    "JOIN priorityd.user_alias b ON b.cluster_id = $1 AND b.alias = a.user_name COLLATE \"C\" "
    "WHERE a.cluster_id = $1 LIMIT $3::bigint";

ImportRun DecodeRun(RowReader& row) {
  ImportRun run;
  row.Read(&run.id, &run.policy_before, &run.policy_after, &run.undone);
  return run;
}

ImportedCounts DecodeCounts(RowReader& row) {
  ImportedCounts counts;
  row.Read(&counts.associations, &counts.users, &counts.qos, &counts.partitions,
           &counts.opening_usage, &counts.grants, &counts.grant_transfers, &counts.leases,
           &counts.user_merges, &counts.user_aliases);
  return counts;
}

ImportedRow DecodeRow(RowReader& row) {
  ImportedRow imported;
  row.Read(&imported.object, &imported.before, &imported.after);
  return imported;
}

}  // namespace

absl::StatusOr<int64_t> ImportStore::Begin(int32_t cluster_id, const std::string& principal,
                                           int64_t policy) {
  auto id = transaction_.QueryOne(OnlyColumn<int64_t>, kBegin, {cluster_id, principal, policy});
  if (!id.ok()) return id.status();
  if (absl::Status s = transaction_.ExecuteScript(kZone); !s.ok()) return s;
  absl::Status noted = transaction_.Execute(kNote, {absl::StrCat(*id)}).status();
  if (!noted.ok()) return noted;
  return *id;
}

absl::StatusOr<bool> ImportStore::Finish(int32_t cluster_id, int64_t id, int64_t policy) {
  absl::Status status = transaction_.Execute(kNote, {""}).status();
  if (status.ok()) status = transaction_.Execute(kDropSame, {cluster_id, id}).status();
  if (!status.ok()) return status;
  auto changed = transaction_.QueryOne(OnlyColumn<bool>, kEnd, {cluster_id, id, policy});
  if (!changed.ok()) return changed.status();
  const int64_t forgotten = *changed ? 0 : id;
  for (const char* statement : {kForgetChanges, kForgetRuns}) {
    status = transaction_.Execute(statement, {cluster_id, forgotten, id - kKept}).status();
    if (!status.ok()) return status;
  }
  return *changed;
}

absl::StatusOr<std::optional<ImportRun>> ImportStore::Find(int32_t cluster_id, int64_t id) {
  return transaction_.QueryOptional(DecodeRun, kFindImport, {cluster_id, id});
}

absl::StatusOr<std::vector<std::string>> ImportStore::ChangedSince(int32_t cluster_id, int64_t id,
                                                                   int64_t limit) {
  if (absl::Status s = transaction_.ExecuteScript(kZone); !s.ok()) return s;
  std::vector<std::string> objects;
  for (const Kind& kind : kKinds) {
    auto found = transaction_.Query(OnlyColumn<std::string>, ChangedSinceStatement(kind),
                                    {cluster_id, id, limit});
    if (!found.ok()) return found.status();
    objects.insert(objects.end(), found->begin(), found->end());
  }
  auto grants =
      transaction_.Query(OnlyColumn<std::string>, kGrantsChangedSince, {cluster_id, id, limit});
  if (!grants.ok()) return grants.status();
  objects.insert(objects.end(), grants->begin(), grants->end());
  objects.resize(std::min(objects.size(), static_cast<size_t>(limit)));
  return objects;
}

absl::StatusOr<ImportedCounts> ImportStore::Count(int32_t cluster_id, int64_t id) {
  return transaction_.QueryOne(DecodeCounts, kCountImports, {cluster_id, id});
}

absl::StatusOr<std::vector<ImportedRow>> ImportStore::List(int32_t cluster_id, int64_t id,
                                                           int64_t limit) {
  return transaction_.Query(
      DecodeRow,
      absl::StrCat("SELECT ", kObject, ", ", Differences("c.before", "c.after"), ", ",
                   Differences("c.after", "c.before"),
                   " FROM (SELECT kind, row_key, before, after, coalesce(after, before) AS r FROM "
                   "priorityd.import_change WHERE cluster_id = $1 AND import_id = $2 "
                   "ORDER BY kind, row_key LIMIT $3::bigint) AS c ORDER BY kind, row_key"),
      {cluster_id, id, limit});
}

absl::Status ImportStore::Restore(int32_t cluster_id, int64_t id, absl::Time at,
                                  const std::string& by) {
  for (const Kind& kind : kKinds) {
    auto columns =
        transaction_.QueryOne(OnlyColumn<std::string>, kColumns, {std::string(kind.table)});
    if (!columns.ok()) return columns.status();
    for (const std::string& statement : RestoreStatements(kind, *columns)) {
      absl::Status done = transaction_.Execute(statement, {cluster_id, id}).status();
      if (!done.ok()) return done;
    }
  }
  absl::Status ended = transaction_.Execute(kEndImported, {cluster_id, id, at, by}).status();
  if (!ended.ok()) return ended;
  return transaction_.Execute(kUndone, {cluster_id, id}).status();
}

absl::StatusOr<std::vector<std::string>> ImportStore::Dependents(int32_t cluster_id, int64_t id,
                                                                 int64_t limit) {
  return transaction_.Query(OnlyColumn<std::string>, kDependents, {cluster_id, id, limit});
}

}  // namespace priorityd::storage
