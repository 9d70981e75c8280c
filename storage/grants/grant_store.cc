#include "storage/grants/grant_store.h"

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kListVersions[] =
    "SELECT grant_id, effective_at, amount, changed_by, comment FROM priorityd.usage_grant_version "
    "WHERE cluster_id = $1 ORDER BY grant_id, number";
constexpr char kListTransfers[] =
    "SELECT from_id, to_id, transferred_at, amount, changed_by, comment "
    "FROM priorityd.usage_grant_transfer WHERE cluster_id = $1 ORDER BY id";
constexpr char kAddVersion[] =
    "INSERT INTO priorityd.usage_grant_version (cluster_id, grant_id, number, effective_at, "
    "amount, "
    "changed_by, comment) SELECT $1::integer, $2::bigint, coalesce(max(number), 0) + 1, "
    "$3::timestamptz, $4::numeric, $5::text, $6::text FROM priorityd.usage_grant_version "
    "WHERE cluster_id = $1 AND grant_id = $2";
constexpr char kAddTransfer[] =
    "INSERT INTO priorityd.usage_grant_transfer (cluster_id, from_id, to_id, transferred_at, "
    "amount, changed_by, comment) VALUES ($1::integer, $2::bigint, $3::bigint, $4::timestamptz, "
    "$5::numeric, $6::text, $7::text)";

struct GrantStatements {
  const ColumnTable<Grant>& grants = GrantColumns();
  std::string list = absl::StrCat("SELECT ", grants.Selected(), " FROM ", grants.Table(),
                                  " WHERE cluster_id = $1 ORDER BY id");
  std::string insert = absl::StrCat(
      "INSERT INTO ", grants.Table(), " (", grants.Written("cluster_id, "),
      ") SELECT $1::integer, ", grants.GivenValues(), " FROM ", grants.Given(2), " RETURNING id");
  std::string update =
      absl::StrCat("UPDATE ", grants.Table(), " r SET ", grants.AssignGiven(), " FROM ",
                   grants.Given(3), " WHERE r.cluster_id = $1 AND r.id = $2");
};

const GrantStatements& GrantSql() {
  static const auto* const statements = new GrantStatements;
  return *statements;
}

GrantVersion DecodeGrantVersion(RowReader& row) {
  GrantVersion version;
  row.Read(&version.grant_id, &version.effective_at, &version.amount, &version.changed_by,
           &version.comment);
  return version;
}

GrantTransfer DecodeGrantTransfer(RowReader& row) {
  GrantTransfer transfer;
  row.Read(&transfer.from_id, &transfer.to_id, &transfer.transferred_at, &transfer.amount,
           &transfer.changed_by, &transfer.comment);
  return transfer;
}

}  // namespace

const ColumnTable<Grant>& GrantColumns() {
  using C = ColumnTable<Grant>;
  using G = Grant;
  static const auto* const columns = new C("usage_grant", {"cluster_id"},
                                           {C::ReadOnly<&G::id>("id"),
                                            C::Key<&G::name>("name"),
                                            C::Value<&G::accounts>("accounts"),
                                            C::Value<&G::user_name>("user_name"),
                                            C::Value<&G::tres>("tres"),
                                            C::Value<&G::begin_time>("begin_time"),
                                            C::Value<&G::end_time>("end_time"),
                                            C::Value<&G::window_kind>("window_kind"),
                                            C::Value<&G::rolling_days>("rolling_days"),
                                            C::Value<&G::carry_over>("carry_over"),
                                            C::Value<&G::carry_cap>("carry_cap"),
                                            C::Value<&G::carry_windows>("carry_windows"),
                                            C::Value<&G::carry_half_life>("carry_half_life_us"),
                                            C::Value<&G::borrow>("borrow"),
                                            C::Value<&G::grace>("grace"),
                                            C::Value<&G::use_order>("use_order"),
                                            C::Value<&G::consequence>("consequence"),
                                            C::Value<&G::demoted_qos>("demoted_qos"),
                                            C::Value<&G::consequence_value>("consequence_value"),
                                            C::Value<&G::revoked_at>("revoked_at"),
                                            C::Value<&G::by_coordinator>("by_coordinator")});
  return *columns;
}

absl::StatusOr<std::vector<Grant>> GrantStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<GrantColumns>, GrantSql().list, {cluster_id});
}

absl::StatusOr<std::vector<GrantVersion>> GrantStore::ListVersions(int32_t cluster_id) {
  return transaction_.Query(DecodeGrantVersion, kListVersions, {cluster_id});
}

absl::StatusOr<std::vector<GrantTransfer>> GrantStore::ListTransfers(int32_t cluster_id) {
  return transaction_.Query(DecodeGrantTransfer, kListTransfers, {cluster_id});
}

absl::StatusOr<int64_t> GrantStore::Insert(int32_t cluster_id, const Grant& grant) {
  return transaction_.QueryOne(
      OnlyColumn<int64_t>, GrantSql().insert,
      GrantColumns().Parameters(absl::MakeConstSpan(&grant, 1), {cluster_id}));
}

absl::Status GrantStore::Update(int32_t cluster_id, const Grant& grant) {
  auto updated = transaction_.Execute(
      GrantSql().update,
      GrantColumns().Parameters(absl::MakeConstSpan(&grant, 1), {cluster_id, grant.id}));
  if (!updated.ok()) return updated.status();
  if (*updated == 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("usage_grant: got id ", grant.id, ", want a known one"));
}

absl::Status GrantStore::AddVersion(int32_t cluster_id, const GrantVersion& version) {
  return transaction_
      .Execute(kAddVersion, {cluster_id, version.grant_id, version.effective_at, version.amount,
                             version.changed_by, version.comment})
      .status();
}

absl::Status GrantStore::AddTransfer(int32_t cluster_id, const GrantTransfer& transfer) {
  return transaction_
      .Execute(kAddTransfer, {cluster_id, transfer.from_id, transfer.to_id, transfer.transferred_at,
                              transfer.amount, transfer.changed_by, transfer.comment})
      .status();
}

}  // namespace priorityd::storage
