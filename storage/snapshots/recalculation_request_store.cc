#include "storage/snapshots/recalculation_request_store.h"

namespace priorityd::storage {
namespace {

constexpr char kAdd[] =
    "WITH notified AS MATERIALIZED (SELECT pg_notify('priorityd', 'request ' || $1::text)) "
    "INSERT INTO priorityd.recalculation_request (cluster_name, as_of) "
    "SELECT $1::text, $2::timestamptz FROM notified RETURNING id";
constexpr char kListOpen[] =
    "SELECT id, cluster_name, as_of FROM priorityd.recalculation_request "
    "WHERE answered_at IS NULL AND requested_at > now() - make_interval(secs => $1) ORDER BY id";
constexpr char kAnswer[] =
    "UPDATE priorityd.recalculation_request SET answered_at = now(), generation = $2, "
    "status_code = $3, reason = $4, message = $5 WHERE id = $1";
constexpr char kFindAnswer[] =
    "SELECT generation, status_code, reason, message FROM priorityd.recalculation_request "
    "WHERE id = $1 AND answered_at IS NOT NULL";
constexpr char kDeleteOld[] =
    "DELETE FROM priorityd.recalculation_request "
    "WHERE requested_at < now() - make_interval(secs => $1)";

RecalculationRequest DecodeRequest(RowReader& row) {
  RecalculationRequest request;
  row.Read(&request.id, &request.cluster_name, &request.as_of);
  return request;
}

RecalculationAnswer DecodeAnswer(RowReader& row) {
  RecalculationAnswer answer;
  row.Read(&answer.generation, &answer.status_code, &answer.reason, &answer.message);
  return answer;
}

}  // namespace

absl::StatusOr<int64_t> RecalculationRequestStore::Add(const RecalculationRequest& request) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kAdd, {request.cluster_name, request.as_of});
}

absl::StatusOr<std::vector<RecalculationRequest>> RecalculationRequestStore::ListOpen(
    absl::Duration patience) {
  return transaction_.Query(DecodeRequest, kListOpen, {absl::ToDoubleSeconds(patience)});
}

absl::Status RecalculationRequestStore::Answer(int64_t id, const RecalculationAnswer& answer) {
  return transaction_
      .Execute(kAnswer, {id, answer.generation, answer.status_code, answer.reason, answer.message})
      .status();
}

absl::StatusOr<std::optional<RecalculationAnswer>> RecalculationRequestStore::FindAnswer(
    int64_t id) {
  return transaction_.QueryOptional(DecodeAnswer, kFindAnswer, {id});
}

absl::Status RecalculationRequestStore::DeleteOld(absl::Duration age) {
  return transaction_.Execute(kDeleteOld, {absl::ToDoubleSeconds(age)}).status();
}

}  // namespace priorityd::storage
