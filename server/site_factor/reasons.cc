#include "server/site_factor/reasons.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "server/site_factor/round.h"
#include "server/site_factor/site_factor_service.h"

namespace priorityd::site_factor {
namespace {

Question QuestionAbout(const priority::Snapshot& snapshot, const queue::TrackedJob& job) {
  const priority::Policy& policy = snapshot.policy();
  return {.cluster = snapshot.cluster().name,
          .as_of = snapshot.computed_at(),
          .parameters = policy.site_factor_parameters,
          .timeout = std::min(policy.site_factor_timeout, Reasons::kTimeout),
          .jobs = {job},
          .explains = true};
}

Answer AwaitAnswer(SiteFactorService& service, const Question& question) {
  absl::Notification answered;
  Answer result = absl::UnknownError("");
  service.Ask(question, [&](Answer answer) {
    result = std::move(answer);
    answered.Notify();
  });
  answered.WaitForNotification();
  return result;
}

}  // namespace

std::optional<queue::SiteFactor> Reasons::Ask(const priority::Snapshot& snapshot,
                                              const queue::TrackedJob& job) {
  const std::string& address = snapshot.policy().site_factor_plugin;
  if (!Enter(address)) return std::nullopt;
  Answer answer = AwaitAnswer(*connect_(address), QuestionAbout(snapshot, job));
  Leave(address, answer.ok());
  if (!answer.ok() || !CheckAnswer({job.job.job_id}, *answer).ok()) return std::nullopt;
  if (answer->empty() || answer->front().reason.empty()) return std::nullopt;
  return std::move(answer->front());
}

bool Reasons::Enter(const std::string& address) {
  const absl::Time now = clock_();
  absl::MutexLock lock(&mutex_);
  absl::erase_if(paused_, [now](const auto& paused) { return paused.second <= now; });
  if (is_waiting_ || paused_.contains(address)) return false;
  is_waiting_ = true;
  return true;
}

void Reasons::Leave(const std::string& address, bool answered) {
  const absl::Time until = clock_() + kPause;
  absl::MutexLock lock(&mutex_);
  is_waiting_ = false;
  if (!answered) paused_[address] = until;
}

}  // namespace priorityd::site_factor
