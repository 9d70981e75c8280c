#include "server/site_factor/reasons.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
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
  if (!Enter()) return std::nullopt;
  const absl::Cleanup leave = [this] { Leave(); };
  const std::unique_ptr<SiteFactorService> service = connect_(snapshot.policy().site_factor_plugin);
  Answer answer = AwaitAnswer(*service, QuestionAbout(snapshot, job));
  if (!answer.ok() || !CheckAnswer({job.job.job_id}, *answer).ok()) return std::nullopt;
  if (answer->empty() || answer->front().reason.empty()) return std::nullopt;
  return std::move(answer->front());
}

bool Reasons::Enter() {
  absl::MutexLock lock(&mutex_);
  if (waiting_ == kCallsAtOnce) return false;
  ++waiting_;
  return true;
}

void Reasons::Leave() {
  absl::MutexLock lock(&mutex_);
  --waiting_;
}

}  // namespace priorityd::site_factor
