#include "storage/schema/cluster_copy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "storage/configuration/principal_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/snapshots/packed_usage.h"
#include "storage/snapshots/publication_store.h"

namespace priorityd::storage {
namespace {

constexpr char kColumns[] =
    "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('priorityd.' || $1) "
    "AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
constexpr char kPrincipals[] =
    "SELECT p.id, p.name FROM priorityd.principal p WHERE p.id IN (SELECT recorded_by "
    "FROM priorityd.usage_record WHERE cluster_id = $1 AND seq > $2 AND seq <= $3)";
constexpr char kSaveTres[] =
    "INSERT INTO priorityd.cluster_move_tres (cluster_name, source_id, tres_id) "
    "SELECT $1, s, t FROM unnest($2::integer[], $3::integer[]) AS n (s, t) ON CONFLICT DO NOTHING";
constexpr char kSavedTres[] =
    "SELECT source_id, tres_id FROM priorityd.cluster_move_tres WHERE cluster_name = $1";
constexpr char kProgress[] =
    "SELECT table_name, after, complete, rows FROM priorityd.cluster_move_progress "
    "WHERE cluster_name = $1";
constexpr char kWriteProgress[] =
    "INSERT INTO priorityd.cluster_move_progress (cluster_name, table_name, after, complete, rows) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (cluster_name, table_name) DO UPDATE SET "
    "after = excluded.after, complete = excluded.complete, rows = excluded.rows";
// Records without accounting have no row, but are looked at.
constexpr char kReadAccounting[] =
    "SELECT t::text, ARRAY[u.seq::text] FROM (SELECT seq, source, record_id "
    "FROM priorityd.usage_record WHERE cluster_id = $1 AND seq > $2::bigint AND seq <= $3 "
    "ORDER BY seq LIMIT $4) AS u LEFT JOIN LATERAL (SELECT * FROM priorityd.job_accounting a "
    "WHERE a.cluster_id = $1 AND a.source = u.source AND a.record_id = u.record_id) AS t ON true "
    "ORDER BY u.seq";
constexpr char kWriteCluster[] = "UPDATE priorityd.cluster c SET ";
constexpr char kWriteParents[] =
    "UPDATE priorityd.association a SET parent_id = r.parent_id "
    "FROM unnest($2::priorityd.association[]) AS r WHERE a.cluster_id = $1 AND a.id = r.id";
// Until kLaterParents a row has the root as its parent where its own follows later.
constexpr char kParent[] =
    "CASE WHEN r.parent_id IS NULL OR r.parent_id < r.id OR EXISTS (SELECT FROM root "
    "WHERE root.id = r.parent_id) THEN r.parent_id ELSE (SELECT min(id) FROM root) END";
constexpr char kRoot[] =
    "WITH root AS (SELECT id FROM priorityd.association WHERE cluster_id = $1 AND parent_id IS "
    "NULL "
    "UNION SELECT g.id FROM unnest($2::priorityd.association[]) AS g WHERE g.parent_id IS NULL) ";
constexpr char kRecordedBy[] =
    "(SELECT p.target FROM unnest($5::integer[], $6::integer[]) AS p (source, target) "
    "WHERE p.source = r.recorded_by)";

struct ReadRow {
  std::optional<std::string> row;
  std::vector<std::string> key;
};

ReadRow DecodeRow(RowReader& row) {
  ReadRow read;
  row.Read(&read.row, &read.key);
  return read;
}

template <typename First, typename Second>
std::pair<First, Second> DecodePair(RowReader& row) {
  std::pair<First, Second> pair;
  row.Read(&pair.first, &pair.second);
  return pair;
}

CopyProgress DecodeProgress(RowReader& row) {
  CopyProgress progress;
  row.Read(&progress.table, &progress.after, &progress.complete, &progress.rows);
  return progress;
}

// The table in the database, and the column with the cluster.
absl::string_view StoredIn(const MovedTable& table) {
  return absl::string_view(table.name) == kLaterParents ? "association" : table.name;
}
absl::string_view ClusterColumn(absl::string_view table) {
  return table == "cluster" || table == "published_cluster" ? "id" : "cluster_id";
}

std::string ConditionOf(const MovedTable& table) {
  const absl::string_view name = table.name;
  if (name == kLaterParents) return " AND t.parent_id > t.id";
  return name == "usage_record" ? " AND t.seq <= $2" : "";
}

// Parameter 1 is the cluster, 2 the last record, 3 the limit, the next ones are the key.
std::string ReadStatement(const MovedTable& table, bool from_first) {
  const absl::string_view stored = StoredIn(table);
  const std::string key = absl::StrJoin(table.key, ", ");
  const std::string texts = absl::StrJoin(
      table.key, ", ",
      [](std::string* out, const char* expression) { absl::StrAppend(out, expression, "::text"); });
  std::string statement = absl::StrCat("SELECT t::text, ARRAY[", texts, "]::text[] FROM priorityd.",
                                       stored, " t WHERE t.", ClusterColumn(stored),
                                       " = $1 AND $2::bigint IS NOT NULL", ConditionOf(table));
  if (!from_first) {
    absl::StrAppend(&statement, " AND (", key, ") > (");
    for (size_t i = 0; i < table.key.size(); ++i) {
      absl::StrAppend(&statement, i > 0 ? ", " : "", "$", 4 + i, "::", table.key_types[i]);
    }
    absl::StrAppend(&statement, ")");
  }
  if (stored == "job_record") absl::StrAppend(&statement, " GROUP BY t.*, ", key);
  if (!table.key.empty()) absl::StrAppend(&statement, " ORDER BY ", key);
  return absl::StrCat(statement, " LIMIT $3");
}

// The expression for a column of the target; "" = its default.
std::string Written(absl::string_view table, absl::string_view amounts, const std::string& column) {
  if (column == "cluster_id") return "$1::integer";
  if (column == "changed_xid") return "";
  if (table == "published_cluster" && column == "id") return "$1::integer";
  if (table == "published_cluster" && column == "name") return "chr(1) || $1::text";
  if (table == "association" && column == "parent_id") return kParent;
  if (table == "usage_record" && column == "recorded_by") return kRecordedBy;
  if (table == "job_queue" && column == "forgotten_change") return "r.last_change";
  if (table == "job_queue" && column == "frozen") return "false";
  if (table == "publication" && column == "numbers_generation") return "0";
  if (table == "publication" && column == "numbers_wanted_until") return "'-infinity'";
  if (!amounts.empty() && column == amounts) return "n.new_amounts";
  if (!amounts.empty() && column == "tres_ids") return "n.new_ids";
  return absl::StrCat("r.", column);
}

// The column of the amounts of `tres_ids`; "" = the table has none.
std::string AmountsOf(const std::vector<std::string>& columns) {
  if (std::find(columns.begin(), columns.end(), "tres_ids") == columns.end()) return "";
  const bool counts = std::find(columns.begin(), columns.end(), "tres_counts") != columns.end();
  return counts ? "tres_counts" : "tres_seconds";
}

// Parameter 1 is the cluster, 2 the rows, 3 and 4 the numbers of TRES, 5 and 6 of principals.
std::string InsertStatement(const std::string& table, const std::vector<std::string>& columns,
                            bool translates_tres) {
  const std::string amounts = translates_tres ? AmountsOf(columns) : "";
  std::vector<std::string> names, values;
  for (const std::string& column : columns) {
    std::string value = Written(table, amounts, column);
    if (value.empty()) continue;
    names.push_back(column);
    values.push_back(std::move(value));
  }
  return absl::StrCat(
      table == "association" ? kRoot : "", "INSERT INTO priorityd.", table, " (",
      absl::StrJoin(names, ", "), ") OVERRIDING SYSTEM VALUE SELECT ", absl::StrJoin(values, ", "),
      " FROM unnest($2::priorityd.", table, "[]) AS r",
      amounts.empty() ? ""
                      : absl::StrCat(" CROSS JOIN LATERAL priorityd.translate_tres(r.tres_ids, r.",
                                     amounts, ", $3, $4) AS n"),
      " WHERE $3::integer[] IS NOT NULL AND $4::integer[] IS NOT NULL AND $5::integer[] IS NOT "
      "NULL "
      "AND $6::integer[] IS NOT NULL",
      table == "configuration_revision"
          ? " ON CONFLICT (cluster_id) DO UPDATE SET revision = excluded.revision"
          : "");
}

// All columns of the cluster except its names; REQUIRES: as InsertStatement.
std::string UpdateCluster(const std::vector<std::string>& columns) {
  std::vector<std::string> values;
  for (const std::string& column : columns) {
    if (column == "id" || column == "name" || column == "former_name") continue;
    values.push_back(absl::StrCat(column, " = r.", column));
  }
  return absl::StrCat(kWriteCluster, absl::StrJoin(values, ", "),
                      " FROM unnest($2::priorityd.cluster[]) AS r WHERE c.id = $1");
}

template <typename Map>
std::vector<int32_t> KeysOf(const Map& map) {
  std::vector<int32_t> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}
std::vector<int32_t> ValuesOf(const std::map<int32_t, int32_t>& map) {
  std::vector<int32_t> values;
  for (const auto& [key, value] : map) values.push_back(value);
  return values;
}

// Leaves only numbers that differ: PostgreSQL copies the lists of a page without any.
void KeepDifferent(std::map<int32_t, int32_t>* numbers) {
  for (auto i = numbers->begin(); i != numbers->end();) {
    i = i->first == i->second ? numbers->erase(i) : std::next(i);
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ClusterCopy::ColumnsOf(const std::string& table) {
  return transaction_.Query(OnlyColumn<std::string>, kColumns, {table});
}

absl::StatusOr<CopiedRows> ClusterCopy::Read(const MovedTable& table, int32_t cluster_id,
                                             const std::vector<std::string>& after,
                                             int64_t last_seq) {
  if (!after.empty() && after.size() != table.key.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("after: got ", after.size(), " values, want ", table.key.size(), " or none"));
  }
  CopiedRows page;
  auto columns = ColumnsOf(std::string(StoredIn(table)));
  if (!columns.ok()) return columns.status();
  page.columns = *std::move(columns);
  const bool is_accounting = absl::string_view(table.name) == "job_accounting";
  std::vector<Parameter> parameters = {cluster_id, last_seq, table.rows};
  if (is_accounting) {
    parameters = {cluster_id, after.empty() ? "0" : after[0], last_seq, table.rows};
  } else {
    parameters.insert(parameters.end(), after.begin(), after.end());
  }
  auto rows = transaction_.Query(
      DecodeRow, is_accounting ? kReadAccounting : ReadStatement(table, after.empty()), parameters);
  if (!rows.ok()) return rows.status();
  page.complete = static_cast<int>(rows->size()) < table.rows;
  page.last = after;
  size_t bytes = 0;
  for (ReadRow& row : *rows) {
    if (bytes > kPageBytes) {
      page.complete = false;
      break;
    }
    page.last = std::move(row.key);
    if (!row.row.has_value()) continue;
    bytes += row.row->size();
    page.rows.push_back(*std::move(row.row));
  }
  if (absl::Status s = ReadNames(cluster_id, after, &page); !s.ok()) return s;
  return page;
}

absl::Status ClusterCopy::ReadNames(int32_t cluster_id, const std::vector<std::string>& after,
                                    CopiedRows* page) {
  auto tres = TresStore(transaction_).ListOf(cluster_id);
  if (!tres.ok()) return tres.status();
  for (const auto& [name, id] : *tres) {
    if (id > static_cast<int32_t>(kSlurmsOwnTres)) page->tres[id] = name;
  }
  const bool recorded =
      std::find(page->columns.begin(), page->columns.end(), "recorded_by") != page->columns.end();
  if (!recorded || page->rows.empty()) return absl::OkStatus();
  auto principals = transaction_.Query(DecodePair<int32_t, std::string>, kPrincipals,
                                       {cluster_id, after.empty() ? "0" : after[0], page->last[0]});
  if (!principals.ok()) return principals.status();
  page->principals.insert(principals->begin(), principals->end());
  return absl::OkStatus();
}

absl::StatusOr<ClusterCopy::Numbers> ClusterCopy::RegisterTres(
    const std::string& cluster, int32_t cluster_id, const std::map<int32_t, std::string>& names,
    size_t most) {
  std::vector<std::string> all;
  for (const auto& [id, name] : names) all.push_back(name);
  auto ids = TresStore(transaction_).Register(cluster_id, all, most);
  if (!ids.ok()) return ids.status();
  Numbers numbers;
  for (const auto& [id, name] : names) {
    const auto found = ids->find(name);
    if (found == ids->end()) {
      return absl::InvalidArgumentError(absl::StrCat("rows.tres: got a name that would be number ",
                                                     most + 1, " of the cluster, want at most ",
                                                     most));
    }
    numbers[id] = found->second;
  }
  absl::Status saved =
      transaction_.Execute(kSaveTres, {cluster, KeysOf(numbers), ValuesOf(numbers)}).status();
  if (!saved.ok()) return saved;
  KeepDifferent(&numbers);
  return numbers;
}

absl::StatusOr<ClusterCopy::Numbers> ClusterCopy::RegisterPrincipals(
    const std::map<int32_t, std::string>& names) {
  Numbers numbers;
  for (const auto& [id, name] : names) {
    auto number = PrincipalStore(transaction_).Register(name);
    if (!number.ok()) return number.status();
    numbers[id] = *number;
  }
  return numbers;
}

absl::Status ClusterCopy::Write(const MovedTable& table, const std::string& cluster,
                                int32_t cluster_id, const CopiedRows& page, size_t most_tres) {
  const std::string stored(StoredIn(table));
  auto columns = ColumnsOf(stored);
  if (!columns.ok()) return columns.status();
  if (*columns != page.columns) {
    return absl::FailedPreconditionError(absl::StrCat(
        "table ", stored, ": got columns ", absl::StrJoin(page.columns, ","), ", want ",
        absl::StrJoin(*columns, ","), "; run the same version in both cells"));
  }
  auto tres = RegisterTres(cluster, cluster_id, page.tres, most_tres);
  if (!tres.ok()) return tres.status();
  if (page.rows.empty()) return absl::OkStatus();
  if (stored == "cluster") {
    return transaction_.Execute(UpdateCluster(*columns), {cluster_id, page.rows}).status();
  }
  if (absl::string_view(table.name) == kLaterParents) {
    return transaction_.Execute(kWriteParents, {cluster_id, page.rows}).status();
  }
  auto principals = RegisterPrincipals(page.principals);
  if (!principals.ok()) return principals.status();
  return transaction_
      .Execute(InsertStatement(stored, *columns, !tres->empty()),
               {cluster_id, page.rows, KeysOf(*tres), ValuesOf(*tres), KeysOf(*principals),
                ValuesOf(*principals)})
      .status();
}

absl::StatusOr<std::vector<CopyProgress>> ClusterCopy::Progress(const std::string& cluster) {
  auto stored = transaction_.Query(DecodeProgress, kProgress, {cluster});
  if (!stored.ok()) return stored.status();
  std::vector<CopyProgress> all;
  for (const MovedTable& table : MovedTables()) {
    const auto found = std::find_if(stored->begin(), stored->end(), [&](const CopyProgress& row) {
      return row.table == table.name;
    });
    all.push_back(found != stored->end() ? *found : CopyProgress{.table = table.name});
  }
  return all;
}

absl::Status ClusterCopy::WriteProgress(const std::string& cluster, const CopyProgress& progress) {
  return transaction_
      .Execute(kWriteProgress,
               {cluster, progress.table, progress.after, progress.complete, progress.rows})
      .status();
}

absl::Status ClusterCopy::TranslatePublication(const std::string& cluster, int32_t cluster_id) {
  auto saved = transaction_.Query(DecodePair<int32_t, int32_t>, kSavedTres, {cluster});
  if (!saved.ok()) return saved.status();
  Numbers numbers(saved->begin(), saved->end());
  KeepDifferent(&numbers);
  PublicationStore store(transaction_);
  auto publication = store.Find(cluster_id);
  if (!publication.ok()) return publication.status();
  if (numbers.empty() || publication->generation == 0) return absl::OkStatus();
  auto parts = store.ListParts(cluster_id, 0);
  if (!parts.ok()) return parts.status();
  ClusterState state;
  absl::Status status = ApplyUsage(*parts, &state);
  if (!status.ok()) return status;
  for (UsageRow& row : state.association_usage) {
    for (TresAmount& tres : row.tres_seconds) {
      const auto found = numbers.find(tres.tres_id);
      if (found != numbers.end()) tres.tres_id = found->second;
    }
    std::sort(row.tres_seconds.begin(), row.tres_seconds.end(),
              [](const TresAmount& a, const TresAmount& b) { return a.tres_id < b.tres_id; });
  }
  publication->first_generation = publication->generation;
  publication->changed_entries = 0;
  status = store.DeleteParts(cluster_id);
  if (status.ok()) {
    status = store.AppendParts(cluster_id, publication->generation, PackUsage(state, {}).parts);
  }
  return status.ok() ? store.Write(cluster_id, *publication) : status;
}

}  // namespace priorityd::storage
