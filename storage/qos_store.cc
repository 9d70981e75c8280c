#include "storage/qos_store.h"

#include "absl/strings/str_cat.h"
#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

constexpr char kList[] =
    "SELECT id, cluster_id, name, priority, usage_factor, flags, preempt, usage_threshold, "
    "grp_tres_mins_names, grp_tres_mins_amounts, grp_wall_minutes, max_submit_jobs_per_user, "
    "other_limit_names, other_limit_values, deleted_at FROM priorityd.qos "
    "WHERE cluster_id = $1 AND (deleted_at IS NOT NULL) = $2 ORDER BY id";
constexpr char kInsert[] =
    "INSERT INTO priorityd.qos (cluster_id, name, priority, usage_factor, flags, preempt, "
    "usage_threshold, grp_tres_mins_names, grp_tres_mins_amounts, grp_wall_minutes, "
    "max_submit_jobs_per_user, other_limit_names, other_limit_values) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id";
constexpr char kUpdate[] =
    "UPDATE priorityd.qos SET name = $2, priority = $3, usage_factor = $4, flags = $5, "
    "preempt = $6, usage_threshold = $7, grp_tres_mins_names = $8, grp_tres_mins_amounts = $9, "
    "grp_wall_minutes = $10, max_submit_jobs_per_user = $11, other_limit_names = $12, "
    "other_limit_values = $13 WHERE id = $1 AND deleted_at IS NULL";
constexpr char kDelete[] =
    "UPDATE priorityd.qos SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

Qos Decode(RowReader& row) {
  Qos qos;
  row.Read(&qos.id, &qos.cluster_id, &qos.name, &qos.priority, &qos.usage_factor, &qos.flags,
           &qos.preempt, &qos.usage_threshold, &qos.grp_tres_mins, &qos.grp_wall_minutes,
           &qos.max_submit_jobs_per_user, &qos.other_limits, &qos.deleted_at);
  return qos;
}

int64_t DecodeId(RowReader& row) {
  int64_t id = 0;
  row.Read(&id);
  return id;
}

// `key` ($1), then the fields in the order of kInsert and kUpdate.
template <typename Key>
std::vector<Parameter> Fields(Key key, const Qos& qos) {
  return {key,
          qos.name,
          qos.priority,
          qos.usage_factor,
          qos.flags,
          qos.preempt,
          qos.usage_threshold,
          Names(qos.grp_tres_mins),
          Amounts(qos.grp_tres_mins),
          qos.grp_wall_minutes,
          qos.max_submit_jobs_per_user,
          Keys(qos.other_limits),
          Values(qos.other_limits)};
}

absl::Status WantOne(const absl::StatusOr<pqxx::result>& result, int64_t id) {
  if (!result.ok()) return result.status();
  if (result->affected_rows() == 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("qos: got id ", id, ", want a known one"));
}

}  // namespace

absl::StatusOr<std::vector<Qos>> QosStore::List(int32_t cluster_id, Edition edition) {
  return transaction_.Query(Decode, InEdition(kList, edition).c_str(), {cluster_id, false});
}

absl::StatusOr<std::vector<Qos>> QosStore::ListDeleted(int32_t cluster_id) {
  return transaction_.Query(Decode, kList, {cluster_id, true});
}

absl::StatusOr<int64_t> QosStore::Insert(const Qos& qos) {
  return transaction_.QueryOne(DecodeId, kInsert, Fields(qos.cluster_id, qos));
}

absl::Status QosStore::Update(const Qos& qos) {
  return WantOne(transaction_.Execute(kUpdate, Fields(qos.id, qos)), qos.id);
}

absl::Status QosStore::Delete(int64_t id, absl::Time at) {
  return WantOne(transaction_.Execute(kDelete, {id, at}), id);
}

}  // namespace priorityd::storage
