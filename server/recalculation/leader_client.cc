#include "server/recalculation/leader_client.h"

#include "engine/errors/error_details.h"
#include "server/recalculation/leader_requests.h"

namespace priorityd::recalculation {
namespace {

// Covers a lost notification of the leader's answer.
constexpr absl::Duration kBetweenLooks = absl::Seconds(1);

absl::Status NoLeaderError(bool clock_agrees) {
  return errors::WithReason(
      absl::UnavailableError(
          clock_agrees ? "no replica leads at the moment; retry"
                       : "no replica leads at the moment, this one because its clock differs from "
                         "the database's; set the clock that is wrong and retry"),
      "NO_LEADER");
}

}  // namespace

SnapshotOr LeaderClient::Recalculate(const std::string& cluster, std::optional<absl::Time> as_of) {
  const absl::Time deadline = clock_() + patience_;
  const absl::StatusOr<int64_t> id =
      PostRequest(*database_, {.cluster_name = cluster, .as_of = as_of});
  if (!id.ok()) return id.status();
  for (;;) {
    const int64_t seen = answers();
    const absl::StatusOr<std::optional<int64_t>> generation = FindAnswer(*database_, *id);
    if (!generation.ok()) return generation.status();
    if (generation->has_value()) {
      return registry_->AwaitGeneration(cluster, **generation, patience_);
    }
    if (clock_() > deadline) return NoLeaderError(leadership_->clock_agrees());
    AwaitAnswer(seen);
  }
}

void LeaderClient::HandleNotifications(const storage::Notifications& notifications) {
  absl::MutexLock lock(&mutex_);
  for (const storage::Notification& notification : notifications) {
    answers_ += notification.subject == storage::Subject::kAnswer ||
                notification.subject == storage::Subject::kAnything;
  }
  answered_.SignalAll();
}

int64_t LeaderClient::answers() const {
  absl::MutexLock lock(&mutex_);
  return answers_;
}

void LeaderClient::AwaitAnswer(int64_t seen) const {
  absl::MutexLock lock(&mutex_);
  while (answers_ == seen) {
    if (answered_.WaitWithTimeout(&mutex_, kBetweenLooks)) return;
  }
}

}  // namespace priorityd::recalculation
