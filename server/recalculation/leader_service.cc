#include "server/recalculation/leader_service.h"

#include "absl/strings/str_cat.h"
#include "server/recalculation/leader_requests.h"
#include "server/recalculation/recalculation.h"

namespace priorityd::recalculation {

absl::Status LeaderService::AnswerAll() {
  const auto requests = ListRequests(*database_, patience_);
  if (!requests.ok()) return requests.status();
  for (const storage::RecalculationRequest& request : *requests) Answer(request);
  return absl::OkStatus();
}

void LeaderService::Answer(const storage::RecalculationRequest& request) {
  const auto answer = [this, request](const SnapshotOr& snapshot) {
    if (IsNotLeader(snapshot.status())) return;  // The next leader answers it.
    AnswerRequest(*recalculations_, request, snapshot).IgnoreError();
  };
  demands_->Add(
      absl::StrCat("request ", request.id),
      {.cluster = request.cluster_name, .as_of = request.as_of, .done = answer, .numbers_of = {}});
}

}  // namespace priorityd::recalculation
