#include "storage/configuration/cluster_user_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/row_version.h"

namespace priorityd::storage {
namespace {

using ClusterUserTable = ColumnTable<ClusterUser>;

struct ClusterUserStatements {
  const ClusterUserTable& columns = ClusterUserColumns();
  std::string list[2] = {ListOf(Edition::kCurrent), ListOf(Edition::kPublished)};
  std::string upsert = absl::StrCat("INSERT INTO ", columns.Table(), " (", columns.Written(),
                                    ") SELECT ", columns.GivenValues(), " FROM ", columns.Given(1),
                                    " ORDER BY given.cluster_id, given.name "
                                    "ON CONFLICT (cluster_id, name) DO UPDATE SET ",
                                    columns.AssignExcluded());
  std::string unchanged =
      absl::StrCat("SELECT count(*) = $2::bigint AND count(*) FILTER (WHERE ", WrittenSince(3),
                   ") = 0 FROM ", columns.Table(), " WHERE cluster_id = $1");

  std::string ListOf(Edition edition) const {
    return absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(edition),
                        " WHERE cluster_id = $1 ORDER BY name COLLATE \"C\"");
  }
};

const ClusterUserStatements& ClusterUserSql() {
  static const auto* const statements = new ClusterUserStatements;
  return *statements;
}

constexpr char kDeleteClusterUser[] =
    "DELETE FROM priorityd.cluster_user WHERE cluster_id = $1 AND name = ANY($2::text[])";

// Its condition is that of the index cluster_user_rights (migration 21).
constexpr char kListPrivileged[] =
    "SELECT c.name, u.name, u.admin_level, u.coordinated FROM priorityd.cluster_user u "
    "JOIN priorityd.cluster c ON c.id = u.cluster_id "
    "WHERE lower(u.admin_level) NOT IN ('', 'none') OR u.coordinated <> '{}'";

PrivilegedUser DecodePrivileged(RowReader& row) {
  PrivilegedUser user;
  row.Read(&user.cluster_name, &user.name, &user.admin_level, &user.coordinated);
  return user;
}

}  // namespace

const ColumnTable<ClusterUser>& ClusterUserColumns() {
  using C = ClusterUserTable;
  static const auto* const columns =
      new C("cluster_user", {},
            {C::Key<&ClusterUser::cluster_id>("cluster_id"), C::Key<&ClusterUser::name>("name"),
             C::Value<&ClusterUser::default_account>("default_account"),
             C::Value<&ClusterUser::admin_level>("admin_level"),
             C::Value<&ClusterUser::coordinated>("coordinated")});
  return *columns;
}

absl::StatusOr<std::vector<ClusterUser>> ClusterUserStore::List(int32_t cluster_id,
                                                                Edition edition) {
  return transaction_.Query(DecodeTableRow<ClusterUserColumns>,
                            ClusterUserSql().list[static_cast<int>(edition)], {cluster_id});
}

absl::StatusOr<bool> ClusterUserStore::AreUnchanged(int32_t cluster_id, int64_t count,
                                                    int64_t watermark) {
  return transaction_.QueryOne(OnlyColumn<bool>, ClusterUserSql().unchanged,
                               {cluster_id, count, watermark});
}

absl::StatusOr<std::vector<PrivilegedUser>> ClusterUserStore::ListPrivileged() {
  return transaction_.Query(DecodePrivileged, kListPrivileged);
}

absl::Status ClusterUserStore::Upsert(absl::Span<const ClusterUser> users) {
  if (users.empty()) return absl::OkStatus();
  return transaction_.Execute(ClusterUserSql().upsert, ClusterUserColumns().Parameters(users))
      .status();
}

absl::Status ClusterUserStore::Delete(int32_t cluster_id, const std::vector<std::string>& names) {
  return transaction_.Execute(kDeleteClusterUser, {cluster_id, names}).status();
}

}  // namespace priorityd::storage
