#include "server/recalculation/leader_requests.h"

#include <string>

#include "engine/errors/error_details.h"
#include "storage/database/notification.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kRequestsAreKept = absl::Hours(1);

storage::RecalculationAnswer ToAnswer(
    const absl::StatusOr<std::shared_ptr<const priority::Snapshot>>& snapshot) {
  storage::RecalculationAnswer answer;
  if (snapshot.ok()) {
    answer.generation = (*snapshot)->generation();
  } else {
    answer.status_code = static_cast<int32_t>(snapshot.status().code());
    answer.reason = errors::ReasonOf(snapshot.status());
    answer.message = std::string(snapshot.status().message());
  }
  return answer;
}

absl::Status ToStatus(const storage::RecalculationAnswer& answer) {
  return errors::WithReason(
      absl::Status(static_cast<absl::StatusCode>(answer.status_code), answer.message),
      answer.reason);
}

}  // namespace

absl::StatusOr<int64_t> PostRequest(storage::Database& database,
                                    const storage::RecalculationRequest& request) {
  int64_t id = 0;
  absl::Status status = database.Write([&](storage::Transaction& transaction) {
    auto added = storage::RecalculationRequestStore(transaction).Add(request);
    if (added.ok()) id = *added;
    return added.status();
  });
  if (!status.ok()) return status;
  return id;
}

absl::StatusOr<std::optional<int64_t>> FindAnswer(storage::Database& database, int64_t id) {
  const auto found = database.Read([&](storage::Transaction& transaction) {
    return storage::RecalculationRequestStore(transaction).FindAnswer(id);
  });
  if (!found.ok()) return found.status();
  const std::optional<storage::RecalculationAnswer>& answer = *found;
  if (!answer.has_value()) return std::optional<int64_t>();
  if (answer->status_code != 0) return ToStatus(*answer);
  return std::optional<int64_t>(answer->generation);
}

absl::StatusOr<std::vector<storage::RecalculationRequest>> ListRequests(storage::Database& database,
                                                                        absl::Duration patience) {
  return database.Read([&](storage::Transaction& transaction) {
    return storage::RecalculationRequestStore(transaction).ListOpen(patience);
  });
}

absl::Status AnswerRequest(
    storage::Database& database, const storage::RecalculationRequest& request,
    const absl::StatusOr<std::shared_ptr<const priority::Snapshot>>& result) {
  return database.Write([&](storage::Transaction& transaction) {
    storage::RecalculationRequestStore requests(transaction);
    absl::Status status = requests.Answer(request.id, ToAnswer(result));
    if (status.ok()) status = requests.DeleteOld(kRequestsAreKept);
    if (!status.ok()) return status;
    return storage::Notify(transaction, {storage::Subject::kAnswer, request.cluster_name});
  });
}

}  // namespace priorityd::recalculation
