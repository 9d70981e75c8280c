#include "server/queue/state/namesakes.h"

#include "absl/algorithm/container.h"
#include "engine/priority/jobs/job_id.h"

namespace priorityd::queue {

SubmitPlace SubmitPlace::Of(const TrackedJob& job) {
  return {job.job.submit_time.value_or(absl::InfinitePast()), std::string(job.job.job_id)};
}

bool SubmitPlace::operator<(const SubmitPlace& other) const {
  if (submit_time != other.submit_time) return submit_time < other.submit_time;
  return priority::CompareJobIds(job_id, other.job_id) < 0;
}

void Namesakes::Enter(const TrackedJob& job, bool there) {
  if (job.job.state == priority::JobState::kPending) {
    const SubmitPlace place = SubmitPlace::Of(job);
    there ? void(waiting_.insert(place)) : void(waiting_.erase(place));
    return;
  }
  const std::string id(job.job.job_id);
  there ? void(running_.insert(id)) : void(running_.erase(id));
}

Foremost::Foremost(const Namesakes& namesakes) {
  if (!namesakes.waiting().empty()) AddWaiting(*namesakes.waiting().begin());
  for (const std::string& id : namesakes.running()) {
    if (knows_running()) break;
    AddRunning(id);
  }
}

Foremost::Foremost(const Namesakes& before, absl::Span<const std::string> joined,
                   absl::FunctionRef<bool(absl::string_view)> is_changed,
                   absl::FunctionRef<std::optional<TrackedJob>(absl::string_view)> find_namesake) {
  const auto add_changed = [&](absl::string_view id) {
    if (const auto job = find_namesake(id)) Add(*job);
  };
  for (const SubmitPlace& place : before.waiting()) {
    if (!is_changed(place.job_id)) {
      AddWaiting(place);
      break;  // All others that have not changed are later.
    }
    add_changed(place.job_id);
  }
  for (const std::string& id : before.running()) {
    if (knows_running()) break;
    is_changed(id) ? add_changed(id) : AddRunning(id);
  }
  for (const std::string& id : joined) add_changed(id);
}

bool Foremost::IsAlone(const TrackedJob& job) const {
  const absl::string_view id = job.job.job_id;
  if (absl::c_any_of(running_, [id](const std::string& other) { return other != id; })) {
    return false;
  }
  return !first_.has_value() || !(*first_ < SubmitPlace::Of(job));
}

std::vector<std::string> Foremost::ids() const {
  std::vector<std::string> ids = running_;
  if (first_.has_value()) ids.push_back(first_->job_id);
  return ids;
}

void Foremost::Add(const TrackedJob& job) {
  job.job.state == priority::JobState::kPending ? AddWaiting(SubmitPlace::Of(job))
                                                : AddRunning(job.job.job_id);
}

void Foremost::AddWaiting(const SubmitPlace& place) {
  if (!first_.has_value() || place < *first_) first_ = place;
}

void Foremost::AddRunning(absl::string_view job_id) {
  if (!knows_running() && !absl::c_linear_search(running_, job_id)) running_.emplace_back(job_id);
}

}  // namespace priorityd::queue
