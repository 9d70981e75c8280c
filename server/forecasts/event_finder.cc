#include "server/forecasts/event_finder.h"

#include <algorithm>
#include <utility>

namespace priorityd::forecasts {
namespace {

using queue::TrackedJob;

int64_t Seconds(std::optional<absl::Time> time, int64_t otherwise) {
  return time.has_value() ? absl::ToUnixSeconds(*time) : otherwise;
}

bool IsHeld(const priority::Job& job) {
  return job.hold != priority::Hold::kNone || job.dependency_unmet || job.dependency_never ||
         job.array_limited || !job.violation.empty() || job.admin_priority == 0u;
}

const Phase* Find(const Phases& phases, absl::string_view job_id) {
  const auto found = phases.find(job_id);
  return found == phases.end() ? nullptr : &found->second;
}

// The time at which a job that is eligible now began to wait; `now` for a job that a dependency or
// a hold blocked until now.
int64_t SubmitOf(const TrackedJob& tracked, bool was_seen, int64_t now) {
  if (was_seen || !tracked.dependency.empty()) return now;
  const priority::Job& job = tracked.job;
  return std::min(now, std::max(Seconds(job.submit_time, now), Seconds(job.begin_time(), 0)));
}

}  // namespace

bool EventFinder::IsChanged(const queue::QueueState& state, size_t chunk) const {
  return last_ == nullptr || chunk >= last_->chunks().size() ||
         last_->chunks()[chunk]->jobs() != state.chunks()[chunk]->jobs();
}

std::vector<Event> EventFinder::Find(std::shared_ptr<const queue::QueueState> state,
                                     const Phases& phases, int64_t now) {
  found_.clear();
  before_ = JobsBefore(*state);
  JobIds present;
  for (size_t chunk = 0; chunk < state->chunks().size(); ++chunk) {
    if (!IsChanged(*state, chunk)) continue;
    const queue::PackedJobs& jobs = *state->chunks()[chunk]->jobs();
    for (size_t i = 0; i < jobs.size(); ++i) {
      const TrackedJob job = jobs.job(i);
      present.emplace(job.job.job_id);
      FindOf(*state, job, phases, now);
    }
  }
  FindGone(*state, present, phases, now);
  FindBegun(phases, now);
  last_ = std::move(state);
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
  return std::exchange(found_, {});
}

EventFinder::JobIds EventFinder::JobsBefore(const queue::QueueState& state) const {
  JobIds before;
  if (last_ == nullptr) return before;
  for (size_t chunk = 0; chunk < last_->chunks().size(); ++chunk) {
    if (chunk < state.chunks().size() && !IsChanged(state, chunk)) continue;
    for (const absl::string_view id : last_->chunks()[chunk]->table().job_id) before.emplace(id);
  }
  return before;
}

void EventFinder::FindOf(const queue::QueueState& state, const TrackedJob& tracked,
                         const Phases& phases, int64_t now) {
  const priority::Job& job = tracked.job;
  const Phase* phase = forecasts::Find(phases, job.job_id);
  later_.erase(std::string(job.job_id));
  if (job.state == priority::JobState::kPending) {
    return FindWaiting(state, tracked, phase, now);
  }
  if (phase != nullptr && *phase == Phase::kRuns) return;
  const int64_t start = std::min(now, Seconds(job.start_time, now));
  if (phase != nullptr) {
    found_.push_back(MakeEvent(EventKind::kStart, job.job_id, start));
    return;
  }
  // It was submitted since the last look, and has started already.
  if (last_ != nullptr && !before_.contains(job.job_id) && tracked.array_job_id.empty()) {
    const int64_t submit = std::min(start, SubmitOf(tracked, false, now));
    found_.push_back(MakeEvent(EventKind::kSubmit, job, submit));
    found_.push_back(MakeEvent(EventKind::kStart, job.job_id, start));
    return;
  }
  const Phase* array =
      tracked.array_job_id.empty() ? nullptr : forecasts::Find(phases, tracked.array_job_id);
  if (array != nullptr && *array == Phase::kWaits) {
    found_.push_back(MakeEvent(EventKind::kStart, tracked.array_job_id, start));
  }
  found_.push_back(MakeEvent(EventKind::kRun, job, start));
}

void EventFinder::FindWaiting(const queue::QueueState& state, const TrackedJob& tracked,
                              const Phase* phase, int64_t now) {
  const priority::Job& job = tracked.job;
  const bool is_requeued =
      phase != nullptr && *phase == Phase::kRuns && tracked.array_task_ids.empty();
  if (is_requeued) {
    found_.push_back(MakeEvent(EventKind::kEnd, job.job_id, now));
    phase = nullptr;
  }
  if (IsHeld(job) || !FitsCluster(job, state.snapshot().cluster())) {
    if (phase != nullptr && *phase == Phase::kWaits) {
      found_.push_back(MakeEvent(EventKind::kCancel, job.job_id, now));
    }
    return;
  }
  if (phase != nullptr) return;
  const bool was_seen = is_requeued || before_.contains(job.job_id);
  const int64_t begin = Seconds(job.begin_time(), 0);
  if (begin > now) {
    later_[std::string(job.job_id)] = MakeEvent(EventKind::kSubmit, job, begin);
  } else {
    found_.push_back(MakeEvent(EventKind::kSubmit, job, SubmitOf(tracked, was_seen, now)));
  }
}

void EventFinder::FindGone(const queue::QueueState& state, const JobIds& present,
                           const Phases& phases, int64_t now) {
  if (last_ == nullptr) {
    for (const auto& [job_id, phase] : phases) {
      if (!present.contains(job_id)) FindGone(state, job_id, phase, now);
    }
    return;
  }
  for (const std::string& job_id : before_) {
    if (present.contains(job_id)) continue;
    later_.erase(job_id);
    const Phase* phase = forecasts::Find(phases, job_id);
    if (phase != nullptr) FindGone(state, job_id, *phase, now);
  }
}

void EventFinder::FindGone(const queue::QueueState& state, const std::string& job_id, Phase phase,
                           int64_t now) {
  const absl::string_view packed = state.ended().Find(job_id);
  const TrackedJob ended = packed.empty() ? TrackedJob() : queue::UnpackJob(packed);
  if (phase == Phase::kWaits) {
    if (!ended.job.start_time.has_value()) {
      found_.push_back(MakeEvent(EventKind::kCancel, job_id, now));
      return;
    }
    found_.push_back(
        MakeEvent(EventKind::kStart, job_id, std::min(now, Seconds(ended.job.start_time, now))));
  }
  found_.push_back(MakeEvent(EventKind::kEnd, job_id, std::min(now, Seconds(ended.end_time, now))));
}

void EventFinder::FindBegun(const Phases& phases, int64_t now) {
  for (auto at = later_.begin(); at != later_.end();) {
    if (at->second.at > now) {
      ++at;
      continue;
    }
    if (forecasts::Find(phases, at->first) == nullptr) found_.push_back(at->second);
    at = later_.erase(at);
  }
}

}  // namespace priorityd::forecasts
