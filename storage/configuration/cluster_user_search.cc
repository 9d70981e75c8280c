#include "storage/configuration/cluster_user_search.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kCountJobsOfUser[] =
    "SELECT count(*) FROM priorityd.job WHERE cluster_id = $1 AND account = ANY ($2::text[]) "
    "AND ended_as = ''";

std::string SearchedUserStatement(const char* condition) {
  return absl::StrCat("SELECT ", ClusterUserColumns().Selected(), " FROM ",
                      ClusterUserColumns().Table(), " WHERE cluster_id = $1 AND ", condition,
                      " ORDER BY name COLLATE \"C\"");
}

}  // namespace

absl::StatusOr<std::vector<ClusterUser>> ClusterUserSearch::Named(
    int32_t cluster_id, const std::vector<std::string>& names) {
  static const auto* const statement =
      new std::string(SearchedUserStatement("name = ANY ($2::text[])"));
  return transaction_.Query(DecodeTableRow<ClusterUserColumns>, *statement, {cluster_id, names});
}

absl::StatusOr<std::vector<ClusterUser>> ClusterUserSearch::After(int32_t cluster_id,
                                                                  const std::string& name,
                                                                  int64_t most) {
  static const auto* const statement =
      new std::string(absl::StrCat(SearchedUserStatement("name COLLATE \"C\" > $2"), " LIMIT $3"));
  return transaction_.Query(DecodeTableRow<ClusterUserColumns>, *statement,
                            {cluster_id, name, most});
}

// Its condition is that of the index cluster_user_rights (migration 20), and more.
absl::StatusOr<std::vector<ClusterUser>> ClusterUserSearch::Coordinating(
    int32_t cluster_id, const std::vector<std::string>& accounts) {
  static const auto* const statement =
      new std::string(SearchedUserStatement("coordinated <> '{}' AND coordinated && $2::text[]"));
  return transaction_.Query(DecodeTableRow<ClusterUserColumns>, *statement, {cluster_id, accounts});
}

absl::StatusOr<int64_t> ClusterUserSearch::CountJobs(int32_t cluster_id,
                                                     const std::vector<std::string>& accounts) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountJobsOfUser, {cluster_id, accounts});
}

}  // namespace priorityd::storage
