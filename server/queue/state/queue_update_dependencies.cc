// The dependencies of jobs that an update may concern.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/queue/state/queue_update.h"

namespace priorityd::queue {

// The queue after the update.
class QueueUpdate::Seen : public DependencyJobs {
 public:
  explicit Seen(QueueUpdate& update) : update_(update) {}

  std::optional<TrackedJob> Find(absl::string_view job_id) override { return update_.Find(job_id); }
  void ForEachTask(absl::string_view array_job_id,
                   absl::FunctionRef<void(const TrackedJob&)> visit) override {
    update_.ForEachTask(array_job_id, visit);
  }
  bool IsAlone(const TrackedJob& waits) override {
    return waits.name.empty() || update_.ForemostOf(waits.job.user, waits.name).IsAlone(waits);
  }

 private:
  QueueUpdate& update_;
};

const Foremost& QueueUpdate::ForemostOf(absl::string_view user, absl::string_view name) {
  const std::string key = absl::StrCat(user, absl::string_view("\0", 1), name);
  const auto [place, is_new] = foremost_.try_emplace(key);
  if (!is_new) return place->second;
  const auto find_namesake = [&](absl::string_view job_id) {
    std::optional<TrackedJob> job = Find(job_id);
    const bool is_one =
        job.has_value() && !job->ended() && job->name == name && job->job.user == user;
    return is_one ? std::move(job) : std::nullopt;
  };
  const auto is_changed = [&](absl::string_view job_id) { return by_id_.contains(job_id); };
  return place->second = Foremost(queue_.Named(user, name), named_[key], is_changed, find_namesake);
}

void QueueUpdate::AddSingletons(absl::string_view user, absl::string_view name,
                                TrackedQueue::JobIds* waiting) {
  const TrackedQueue::JobIds& singletons = queue_.Singletons(user, name);
  if (singletons.empty()) return;
  // All others are unmet before and after.
  const Foremost before(queue_.Named(user, name));
  for (const Foremost* foremost : {&before, &ForemostOf(user, name)}) {
    const std::vector<std::string> ids = foremost->ids();
    for (const std::string& id : ids) {
      if (singletons.contains(id)) waiting->insert(id);
    }
  }
}

TrackedQueue::JobIds QueueUpdate::Waiting() {
  TrackedQueue::JobIds waiting;
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> names;
  for (const Entry& entry : entries_) {
    if (!entry.removed && !entry.job.dependency.empty()) waiting.insert(entry.job_id);
    for (const TrackedJob* job : {&entry.job, entry.old.has_value() ? &*entry.old : nullptr}) {
      if (job == nullptr) continue;
      for (const std::string& id : IdsThatName(*job)) {
        const TrackedQueue::JobIds& ids = queue_.WaitingFor(id);
        waiting.insert(ids.begin(), ids.end());
      }
      // Computed once per name: a user may have many jobs of one name.
      if (job->name.empty() || !names.emplace(job->job.user, job->name).second) continue;
      AddSingletons(job->job.user, job->name, &waiting);
    }
  }
  return waiting;
}

absl::Status QueueUpdate::ResolveDependencies(Check check) {
  Seen seen(*this);
  JobProgress progress(seen);
  const TrackedQueue::JobIds waiting = Waiting();
  for (const std::string& id : waiting) {
    if (absl::Status s = check(); !s.ok()) return s;
    ResolveDependency(id, progress);
  }
  return absl::OkStatus();
}

void QueueUpdate::ResolveDependency(absl::string_view job_id, JobProgress& progress) {
  const std::optional<TrackedJob> waits = Find(job_id);
  if (!waits.has_value() || waits->ended() || waits->dependency.empty()) return;
  Resolution resolved = Resolve(*waits, now_, progress);
  Entry* entry = FindEntry(job_id);
  if (entry == nullptr && IsApplied(resolved, *waits)) return;
  if (entry == nullptr) entry = AddEntry(job_id);
  entry->resolution = std::move(resolved);
  Apply(entry->resolution, &entry->job);
}

bool QueueUpdate::IsWaitedFor(const TrackedJob& job) {
  for (const std::string& name : IdsThatName(job)) {
    if (waited_for_.contains(name)) return true;
    for (const std::string& id : queue_.WaitingFor(name)) {
      const Entry* entry = FindEntry(id);
      if (entry == nullptr || (!entry->removed && !entry->job.ended())) return true;
    }
  }
  return false;
}

}  // namespace priorityd::queue
