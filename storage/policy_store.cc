#include "storage/policy_store.h"

namespace priorityd::storage {
namespace {

constexpr char kList[] =
    "SELECT cluster_id, version, file_names, file_contents, applied_at, applied_by, comment, "
    "reset_anchor, reset_floor FROM priorityd.policy_version "
    "WHERE cluster_id = $1 AND ($2 = 0 OR version < $2::bigint) "
    "ORDER BY version DESC LIMIT $3::bigint";
constexpr char kFind[] =
    "SELECT cluster_id, version, file_names, file_contents, applied_at, applied_by, comment, "
    "reset_anchor, reset_floor FROM priorityd.policy_version "
    "WHERE cluster_id = $1 AND version = $2";
constexpr char kAppend[] =
    "INSERT INTO priorityd.policy_version (cluster_id, version, file_names, file_contents, "
    "applied_at, applied_by, comment, reset_anchor, reset_floor) "
    "SELECT $1::integer, coalesce(max(version), 0) + 1, $2::text[], $3::text[], "
    "$4::timestamptz, $5, $6, $7::timestamptz, $8::timestamptz "
    "FROM priorityd.policy_version WHERE cluster_id = $1::integer RETURNING version";
constexpr char kHalfLives[] =
    "SELECT effective_at, half_life_seconds FROM priorityd.half_life "
    "WHERE cluster_id = $1 ORDER BY effective_at";
constexpr char kSetHalfLife[] =
    "INSERT INTO priorityd.half_life (cluster_id, effective_at, half_life_seconds) "
    "VALUES ($1, $2, $3) ON CONFLICT (cluster_id, effective_at) "
    "DO UPDATE SET half_life_seconds = EXCLUDED.half_life_seconds";
constexpr char kDeleteHalfLives[] = "DELETE FROM priorityd.half_life WHERE cluster_id = $1";

PolicyVersion Decode(RowReader& row) {
  PolicyVersion policy;
  std::vector<std::string> names;
  std::vector<std::string> contents;
  row.Read(&policy.cluster_id, &policy.version, &names, &contents, &policy.applied_at,
           &policy.applied_by, &policy.comment, &policy.reset_anchor, &policy.reset_floor);
  for (size_t i = 0; i < names.size() && i < contents.size(); ++i) {
    policy.files.push_back({std::move(names[i]), std::move(contents[i])});
  }
  return policy;
}

int64_t DecodeVersion(RowReader& row) {
  int64_t version = 0;
  row.Read(&version);
  return version;
}

HalfLife DecodeHalfLife(RowReader& row) {
  HalfLife half_life;
  row.Read(&half_life.effective_at, &half_life.half_life);
  return half_life;
}

}  // namespace

absl::StatusOr<std::optional<PolicyVersion>> PolicyStore::Newest(int32_t cluster_id) {
  return transaction_.QueryOptional(Decode, kList, {cluster_id, 0, 1});
}

absl::StatusOr<std::optional<PolicyVersion>> PolicyStore::Find(int32_t cluster_id,
                                                               int64_t version) {
  return transaction_.QueryOptional(Decode, kFind, {cluster_id, version});
}

absl::StatusOr<std::vector<PolicyVersion>> PolicyStore::List(int32_t cluster_id, int64_t before,
                                                             int64_t limit) {
  return transaction_.Query(Decode, kList, {cluster_id, before, limit});
}

absl::StatusOr<int64_t> PolicyStore::Append(const PolicyVersion& policy) {
  return transaction_.QueryOne(
      DecodeVersion, kAppend,
      {policy.cluster_id, Column(policy.files, [](const PolicyFile& file) { return file.name; }),
       Column(policy.files, [](const PolicyFile& file) { return file.content; }), policy.applied_at,
       policy.applied_by, policy.comment, policy.reset_anchor, policy.reset_floor});
}

absl::StatusOr<std::vector<HalfLife>> PolicyStore::HalfLives(int32_t cluster_id, Edition edition) {
  return transaction_.Query(DecodeHalfLife, InEdition(kHalfLives, edition).c_str(), {cluster_id});
}

absl::Status PolicyStore::SetHalfLife(int32_t cluster_id, const HalfLife& half_life) {
  return transaction_
      .Execute(kSetHalfLife, {cluster_id, half_life.effective_at, half_life.half_life})
      .status();
}

absl::Status PolicyStore::ReplaceHalfLives(int32_t cluster_id,
                                           absl::Span<const HalfLife> timeline) {
  absl::Status status = transaction_.Execute(kDeleteHalfLives, {cluster_id}).status();
  for (const HalfLife& half_life : timeline) {
    if (!status.ok()) return status;
    status = SetHalfLife(cluster_id, half_life);
  }
  return status;
}

}  // namespace priorityd::storage
