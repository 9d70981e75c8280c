#include "storage/configuration/audit_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kOfCluster[] = "cluster_id = $1::integer";
constexpr char kWithoutCluster[] = "cluster_id IS NULL AND object = $1";
// A principal is stored with its credential and address: `amy (MUNGE, uid 1000; ...)`.
constexpr char kFilter[] =
    " AND ($2 = 0 OR id < $2::bigint) "
    "AND ($4::text[] = '{}' OR split_part(principal, ' (', 1) = ANY ($4::text[]) "
    "OR principal = ANY ($4::text[])) "
    "AND ($5::text[] = '{}' OR action = ANY ($5::text[])) "
    "AND ($6 = '' OR strpos(object, $6) > 0) "
    "AND ($7::timestamptz IS NULL OR at >= $7::timestamptz) "
    "AND ($8::timestamptz IS NULL OR at < $8::timestamptz) ";
constexpr char kNewest[] = "ORDER BY id DESC LIMIT $3::bigint";

// Of each principal, or action, the newest, by an index of its own (migration 28).
constexpr char kPrincipals[] =
    "SELECT DISTINCT split_part(given, ' (', 1) AS name FROM unnest($4::text[]) given";
constexpr char kIsPrincipal[] = " AND split_part(principal, ' (', 1) = wanted.name";
constexpr char kActions[] = "SELECT DISTINCT given AS name FROM unnest($5::text[]) given";
constexpr char kIsAction[] = " AND action = wanted.name";

// The newest of all, in case that they are enough.
constexpr char kAmongTheNewest[] =
    " AND id > (SELECT coalesce(max(id), 0) FROM priorityd.audit_event WHERE cluster_id = $1 "
    "AND ($2 = 0 OR id < $2::bigint)) - 10000";
// Each object is looked at once, in an index that has nothing else.
constexpr char kOfTheseObjects[] =
    " AND object = ANY (ARRAY(SELECT DISTINCT object FROM priorityd.audit_event "
    "WHERE cluster_id = $1 AND strpos(object, $6) > 0))";

// Lengths are known without reading long texts.
constexpr char kUse[] =
    "SELECT count(*), coalesce(sum(octet_length(object) + octet_length(before) + "
    "octet_length(after) + octet_length(comment)), 0)::bigint "
    "FROM (SELECT * FROM priorityd.audit_event WHERE cluster_id = $1::integer "
    "AND split_part(principal, ' (', 1) = split_part($2::text, ' (', 1) "
    "ORDER BY id DESC LIMIT $5::bigint) newest "
    "WHERE at > now() - make_interval(secs => $4::double precision) "
    "AND starts_with(principal, $2::text) AND right(principal, length($3::text)) = $3::text";

AuditUse DecodeUse(RowReader& row) {
  AuditUse use;
  row.Read(&use.events, &use.bytes);
  return use;
}

std::string Insert() {
  const ColumnTable<AuditEvent>& columns = AuditEventColumns();
  return absl::StrCat("INSERT INTO ", columns.Table(), " (", columns.Written(), ") SELECT ",
                      columns.Written(), " FROM ", columns.GivenWithPlace(1), " ORDER BY place");
}

std::string Select(const char* whose, const char* condition = "") {
  const ColumnTable<AuditEvent>& columns = AuditEventColumns();
  return absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(), " WHERE ", whose,
                      condition, kFilter, kNewest);
}

std::string SelectOfEach(const char* wanted, const char* is_wanted) {
  return absl::StrCat("SELECT e.* FROM (", wanted, ") wanted CROSS JOIN LATERAL (",
                      Select(kOfCluster, is_wanted), ") e ", kNewest);
}

}  // namespace

const ColumnTable<AuditEvent>& AuditEventColumns() {
  using C = ColumnTable<AuditEvent>;
  using E = AuditEvent;
  static const auto* const columns = new C(
      "audit_event", {},
      {C::ReadOnly<&E::id>("id"), C::Key<&E::cluster_id>("cluster_id"), C::ReadOnly<&E::at>("at"),
       C::Key<&E::principal>("principal"), C::Key<&E::action>("action"),
       C::Key<&E::object>("object"), C::Key<&E::before>("before"), C::Key<&E::after>("after"),
       C::Key<&E::comment>("comment")});
  return *columns;
}

absl::Status AuditStore::Append(absl::Span<const AuditEvent> events) {
  if (events.empty()) return absl::OkStatus();
  static const auto* const insert = new std::string(Insert());
  return transaction_.Execute(*insert, AuditEventColumns().Parameters(events)).status();
}

absl::StatusOr<std::vector<AuditEvent>> AuditStore::List(int32_t cluster_id, int64_t before,
                                                         int64_t limit, const AuditFilter& filter) {
  if (!filter.principals.empty()) {
    return Run(SelectOfEach(kPrincipals, kIsPrincipal), cluster_id, before, limit, filter);
  }
  if (!filter.actions.empty()) {
    return Run(SelectOfEach(kActions, kIsAction), cluster_id, before, limit, filter);
  }
  if (!filter.object_contains.empty()) return ListOfObjects(cluster_id, before, limit, filter);
  return Run(Select(kOfCluster), cluster_id, before, limit, filter);
}

absl::StatusOr<std::vector<AuditEvent>> AuditStore::ListOfObjects(int32_t cluster_id,
                                                                  int64_t before, int64_t limit,
                                                                  const AuditFilter& filter) {
  auto newest = Run(Select(kOfCluster, kAmongTheNewest), cluster_id, before, limit, filter);
  if (!newest.ok() || static_cast<int64_t>(newest->size()) == limit) return newest;
  return Run(Select(kOfCluster, kOfTheseObjects), cluster_id, before, limit, filter);
}

absl::StatusOr<std::vector<AuditEvent>> AuditStore::ListWithoutCluster(const std::string& object,
                                                                       int64_t before,
                                                                       int64_t limit,
                                                                       const AuditFilter& filter) {
  return Run(Select(kWithoutCluster), object, before, limit, filter);
}

absl::StatusOr<std::vector<AuditEvent>> AuditStore::Run(const std::string& statement,
                                                        const Parameter& whose, int64_t before,
                                                        int64_t limit, const AuditFilter& filter) {
  return transaction_.Query(DecodeTableRow<AuditEventColumns>, statement,
                            {whose, before, limit, filter.principals, filter.actions,
                             filter.object_contains, filter.start, filter.end});
}

absl::StatusOr<AuditUse> AuditStore::Use(int32_t cluster_id, const LeaseAuthors& authors,
                                         absl::Duration period, int64_t newest) {
  return transaction_.QueryOne(
      DecodeUse, kUse,
      {cluster_id, authors.begin, authors.end, absl::ToDoubleSeconds(period), newest});
}

}  // namespace priorityd::storage
