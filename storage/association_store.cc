#include "storage/association_store.h"

#include "absl/strings/str_cat.h"
#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

#define PRIORITYD_ASSOCIATION_COLUMNS                                                \
  "id, cluster_id, parent_id, account, user_name, partition, raw_shares, priority, " \
  "default_qos, qos, description, organization, max_jobs_accrue, grp_jobs_accrue, "  \
  "max_submit_jobs, grp_tres_mins_names, grp_tres_mins_amounts, grp_wall_minutes, "  \
  "other_limit_names, other_limit_values"

// The rows given to Write, under the columns' names; lists come as literals.
#define PRIORITYD_ASSOCIATION_ROWS                                                              \
  "(SELECT id, cluster_id, parent_id, account, user_name, partition, raw_shares, priority, "    \
  "default_qos, qos::text[] AS qos, description, organization, max_jobs_accrue, "               \
  "grp_jobs_accrue, max_submit_jobs, grp_tres_mins_names::text[] AS grp_tres_mins_names, "      \
  "grp_tres_mins_amounts::double precision[] AS grp_tres_mins_amounts, grp_wall_minutes, "      \
  "other_limit_names::text[] AS other_limit_names, "                                            \
  "other_limit_values::text[] AS other_limit_values "                                           \
  "FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::text[], $5::text[], $6::text[], " \
  "$7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], "             \
  "$13::bigint[], $14::bigint[], $15::bigint[], $16::text[], $17::text[], "                     \
  "$18::double precision[], $19::text[], $20::text[]) "                                         \
  "AS given (" PRIORITYD_ASSOCIATION_COLUMNS ")) "

constexpr char kList[] = "SELECT " PRIORITYD_ASSOCIATION_COLUMNS
                         ", deleted_at FROM priorityd.association "
                         "WHERE cluster_id = $1 AND deleted_at IS NULL ORDER BY id";
constexpr char kListDeleted[] = "SELECT " PRIORITYD_ASSOCIATION_COLUMNS
                                ", deleted_at FROM priorityd.association "
                                "WHERE cluster_id = $1 AND deleted_at IS NOT NULL ORDER BY id";
constexpr char kReserveIds[] =
    "SELECT nextval(pg_get_serial_sequence('priorityd.association', 'id')) "
    "FROM generate_series(1, $1::bigint)";
constexpr char kInsert[] = "INSERT INTO priorityd.association (" PRIORITYD_ASSOCIATION_COLUMNS
                           ") "
                           "SELECT * FROM " PRIORITYD_ASSOCIATION_ROWS "AS row ORDER BY id";
constexpr char kUpdate[] =
    "UPDATE priorityd.association a SET parent_id = row.parent_id, account = row.account, "
    "user_name = row.user_name, partition = row.partition, raw_shares = row.raw_shares, "
    "priority = row.priority, default_qos = row.default_qos, qos = row.qos, "
    "description = row.description, organization = row.organization, "
    "max_jobs_accrue = row.max_jobs_accrue, grp_jobs_accrue = row.grp_jobs_accrue, "
    "max_submit_jobs = row.max_submit_jobs, grp_tres_mins_names = row.grp_tres_mins_names, "
    "grp_tres_mins_amounts = row.grp_tres_mins_amounts, "
    "grp_wall_minutes = row.grp_wall_minutes, other_limit_names = row.other_limit_names, "
    "other_limit_values = row.other_limit_values FROM " PRIORITYD_ASSOCIATION_ROWS
    "AS row WHERE a.id = row.id AND a.cluster_id = row.cluster_id AND a.deleted_at IS NULL";
constexpr char kDelete[] =
    "UPDATE priorityd.association SET deleted_at = $2 "
    "WHERE id = ANY($1::bigint[]) AND deleted_at IS NULL";

#undef PRIORITYD_ASSOCIATION_ROWS
#undef PRIORITYD_ASSOCIATION_COLUMNS

Association Decode(RowReader& row) {
  Association a;
  row.Read(&a.id, &a.cluster_id, &a.parent_id, &a.account, &a.user_name, &a.partition,
           &a.raw_shares, &a.priority, &a.default_qos, &a.qos, &a.description, &a.organization,
           &a.max_jobs_accrue, &a.grp_jobs_accrue, &a.max_submit_jobs, &a.grp_tres_mins,
           &a.grp_wall_minutes, &a.other_limits, &a.deleted_at);
  return a;
}

int64_t DecodeId(RowReader& row) {
  int64_t id = 0;
  row.Read(&id);
  return id;
}

absl::Status AllThere(const absl::StatusOr<pqxx::result>& result, size_t want) {
  if (!result.ok()) return result.status();
  if (result->affected_rows() == want) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("associations: got ", want, " ids, of which ",
                                          result->affected_rows(), " are there, want all"));
}

}  // namespace

absl::StatusOr<std::vector<Association>> AssociationStore::List(int32_t cluster_id,
                                                                Edition edition) {
  return transaction_.Query(Decode, InEdition(kList, edition).c_str(), {cluster_id});
}

absl::StatusOr<std::vector<Association>> AssociationStore::ListDeleted(int32_t cluster_id) {
  return transaction_.Query(Decode, kListDeleted, {cluster_id});
}

absl::StatusOr<std::vector<int64_t>> AssociationStore::ReserveIds(int64_t count) {
  return transaction_.Query(DecodeId, kReserveIds, {count});
}

absl::Status AssociationStore::Insert(absl::Span<const Association> associations) {
  return Write(kInsert, associations);
}

absl::Status AssociationStore::Update(absl::Span<const Association> associations) {
  return Write(kUpdate, associations);
}

absl::Status AssociationStore::Delete(absl::Span<const int64_t> ids, absl::Time at) {
  if (ids.empty()) return absl::OkStatus();
  return AllThere(transaction_.Execute(kDelete, {std::vector<int64_t>(ids.begin(), ids.end()), at}),
                  ids.size());
}

absl::Status AssociationStore::Write(const char* statement,
                                     absl::Span<const Association> associations) {
  if (associations.empty()) return absl::OkStatus();
  auto column = [&](auto field) {
    return Column(associations, [field](const Association& a) { return a.*field; });
  };
  auto result = transaction_.Execute(
      statement,
      {column(&Association::id),
       column(&Association::cluster_id),
       column(&Association::parent_id),
       column(&Association::account),
       column(&Association::user_name),
       column(&Association::partition),
       column(&Association::raw_shares),
       column(&Association::priority),
       column(&Association::default_qos),
       column(&Association::qos),
       column(&Association::description),
       column(&Association::organization),
       column(&Association::max_jobs_accrue),
       column(&Association::grp_jobs_accrue),
       column(&Association::max_submit_jobs),
       Column(associations, [](const Association& a) { return Names(a.grp_tres_mins); }),
       Column(associations, [](const Association& a) { return Amounts(a.grp_tres_mins); }),
       column(&Association::grp_wall_minutes),
       Column(associations, [](const Association& a) { return Keys(a.other_limits); }),
       Column(associations, [](const Association& a) { return Values(a.other_limits); })});
  return AllThere(result, associations.size());
}

}  // namespace priorityd::storage
