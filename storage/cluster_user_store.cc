#include "storage/cluster_user_store.h"

namespace priorityd::storage {
namespace {

constexpr char kList[] =
    "SELECT cluster_id, name, default_account, admin_level FROM priorityd.cluster_user "
    "WHERE cluster_id = $1 ORDER BY name COLLATE \"C\"";
constexpr char kUpsert[] =
    "INSERT INTO priorityd.cluster_user (cluster_id, name, default_account, admin_level) "
    "SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[]) "
    "AS given (cluster_id, name, default_account, admin_level) ORDER BY cluster_id, name "
    "ON CONFLICT (cluster_id, name) DO UPDATE SET default_account = EXCLUDED.default_account, "
    "admin_level = EXCLUDED.admin_level";
constexpr char kDelete[] =
    "DELETE FROM priorityd.cluster_user WHERE cluster_id = $1 AND name = ANY($2::text[])";

ClusterUser Decode(RowReader& row) {
  ClusterUser user;
  row.Read(&user.cluster_id, &user.name, &user.default_account, &user.admin_level);
  return user;
}

}  // namespace

absl::StatusOr<std::vector<ClusterUser>> ClusterUserStore::List(int32_t cluster_id,
                                                                Edition edition) {
  return transaction_.Query(Decode, InEdition(kList, edition).c_str(), {cluster_id});
}

absl::Status ClusterUserStore::Upsert(absl::Span<const ClusterUser> users) {
  if (users.empty()) return absl::OkStatus();
  auto column = [&](auto field) {
    return Column(users, [field](const ClusterUser& user) { return user.*field; });
  };
  return transaction_
      .Execute(kUpsert, {column(&ClusterUser::cluster_id), column(&ClusterUser::name),
                         column(&ClusterUser::default_account), column(&ClusterUser::admin_level)})
      .status();
}

absl::Status ClusterUserStore::Delete(int32_t cluster_id, const std::vector<std::string>& names) {
  return transaction_.Execute(kDelete, {cluster_id, names}).status();
}

}  // namespace priorityd::storage
