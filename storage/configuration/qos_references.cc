#include "storage/configuration/qos_references.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kCountJobsWithQos[] =
    "SELECT count(*) FROM priorityd.job WHERE cluster_id = $1 AND ended_as = '' "
    "AND qos && $2::text[]";
constexpr char kCountJobsOfPartitions[] =
    "SELECT count(*) FROM priorityd.job WHERE cluster_id = $1 AND ended_as = '' "
    "AND partitions && $2::text[]";

}  // namespace

absl::StatusOr<std::vector<Association>> QosReferences::Associations(
    int32_t cluster_id, const std::vector<std::string>& names) {
  static const auto* const statement = new std::string(absl::StrCat(
      "SELECT ", AssociationColumns().Selected(), " FROM ", AssociationColumns().Table(),
      " WHERE cluster_id = $1 AND deleted_at IS NULL "
      "AND (qos && $2::text[] OR default_qos = ANY ($2::text[])) ORDER BY id"));
  return transaction_.Query(DecodeTableRow<AssociationColumns>, *statement, {cluster_id, names});
}

absl::StatusOr<int64_t> QosReferences::CountJobs(int32_t cluster_id,
                                                 const std::vector<std::string>& names) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountJobsWithQos, {cluster_id, names});
}

absl::StatusOr<int64_t> QosReferences::CountJobsOfPartitions(
    int32_t cluster_id, const std::vector<std::string>& names) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountJobsOfPartitions, {cluster_id, names});
}

}  // namespace priorityd::storage
