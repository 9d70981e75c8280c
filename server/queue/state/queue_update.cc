#include "server/queue/state/queue_update.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/priority/site/microseconds.h"
#include "server/queue/state/array_limit.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/site_factors.h"

namespace priorityd::queue {

QueueUpdate::QueueUpdate(const TrackedQueue& queue, absl::Time now, const QueueRoom& room,
                         JobRights rights, Intake intake)
    : queue_(queue),
      now_(priority::CutToMicroseconds(now)),
      room_(room),
      rights_(std::move(rights)),
      intake_(std::move(intake)),
      jobs_(CountsFor(queue, rights_)),
      live_jobs_(static_cast<int64_t>(queue.live_jobs())),
      site_service_(!queue.state()->snapshot().policy().site_factor_plugin.empty()),
      limits_(*queue.state()),
      accruals_(queue.state()->snapshot()),
      submission_(*queue.state(), room.bounds.in_group) {}

QueueUpdate::Entry* QueueUpdate::AddEntry(absl::string_view job_id) {
  if (by_id_.contains(job_id)) return nullptr;
  Entry& entry = entries_.emplace_back();
  entry.job_id = std::string(job_id);
  by_id_.emplace(entry.job_id, &entry);
  if (const std::optional<TrackedJob> old = queue_.Find(job_id)) {
    entry.before = PackJob(*old);
    entry.old = UnpackJob(entry.before);
    entry.job = *entry.old;
  } else {
    entry.removed = true;
  }
  return &entry;
}

QueueUpdate::Entry* QueueUpdate::FindEntry(absl::string_view job_id) {
  const auto found = by_id_.find(job_id);
  return found == by_id_.end() ? nullptr : found->second;
}

size_t QueueUpdate::AddNotFound(absl::string_view job_id) {
  if (AddEntry(job_id) == nullptr) return results_.AddTwice();
  return results_.Add(UpdateOutcome::kNotFound);
}

bool QueueUpdate::MayKnow(const TrackedJob& job) const {
  return !rights_.user.has_value() || !rights_.jobs_are_private || Owns(rights_, job.job.user) ||
         Coordinates(rights_, job, AccountCharged(job));
}

absl::string_view QueueUpdate::AccountCharged(const std::optional<TrackedJob>& job) const {
  if (!job.has_value()) return "";
  if (!job->job.account.empty()) return job->job.account;
  return queue_.state()->snapshot().DefaultAccount(job->job.user);
}

size_t QueueUpdate::Remove(absl::string_view job_id, absl::string_view source) {
  if (rights_.user.has_value()) {
    const std::optional<TrackedJob> old = queue_.Find(job_id);
    const auto denied =
        DenyRemoval(rights_, old.has_value() ? &*old : nullptr, AccountCharged(old));
    if (denied.has_value() && !MayKnow(*old)) return RemoveNothing(job_id);
    if (denied.has_value()) return results_.AddDenied(*denied);
  }
  Entry* entry = AddEntry(job_id);
  if (entry == nullptr) return results_.AddTwice();
  if (IsOfAnother(rights_, entry->old, source)) {
    return results_.AddOtherSource(source, entry->old->source);
  }
  const size_t result = results_.Add(UpdateOutcome::kUnchanged);
  entry->result = result;
  if (entry->old.has_value()) RemoveEntry(entry);
  return result;
}

void QueueUpdate::RemoveEntry(Entry* entry) {
  entry->removed = true;
  if (!entry->old->ended()) --live_jobs_;
  jobs_.Count(*entry->old, IsOwn(*entry->old), /*there=*/false);
  limits_.Count(*entry->old, false);
}

size_t QueueUpdate::RemoveOthersOf(absl::string_view source,
                                   const absl::flat_hash_set<absl::string_view>& named) {
  size_t removed = 0;
  queue_.ForEach([&](const TrackedJob& job) {
    if (job.source != source || named.contains(job.job.job_id)) return;
    Entry* entry = AddEntry(job.job.job_id);
    if (entry == nullptr) return;
    RemoveEntry(entry);
    ++removed;
  });
  return removed;
}

void QueueUpdate::ForgetEnded() {
  const auto kept = std::max(kEndedKept, queue_.state()->snapshot().policy().min_job_age);
  queue_.ForEachEnded([&](const TrackedJob& job) {
    if (now_ - job.ended_at.value_or(now_) < kept || IsWaitedFor(job)) return;
    if (Entry* entry = AddEntry(job.job.job_id)) entry->removed = true;
  });
}

std::optional<size_t> QueueUpdate::Refuse(const std::optional<TrackedJob>& old,
                                          const TrackedJob& wanted) {
  if (!wanted.dependency.empty()) {
    const auto dependency = ParseDependency(wanted.dependency);
    if (!dependency.ok()) return results_.AddViolation("dependency", dependency.status().message());
    // A job that has it already can still be changed.
    const bool is_new = !old.has_value() || old->dependency != wanted.dependency;
    if (const size_t ids = CountJobIds(*dependency); is_new && ids > kMaxDependencyIds) {
      return results_.AddViolation(
          "dependency", absl::StrCat("got ", ids, " job ids, want at most ", kMaxDependencyIds));
    }
    if (is_new && !wanted.ended() && NamesItself(*dependency, wanted)) {
      return results_.AddViolation("dependency", "got the job itself, want other jobs");
    }
  }
  if (wanted.array_task_id.has_value() && wanted.array_job_id.empty()) {
    return results_.AddViolation("array_task_id",
                                 "got one without array_job_id, want its array's id as well");
  }
  if (wanted.end_time.has_value() && wanted.end_time < wanted.job.start_time) {
    return results_.AddViolation("end_time", "got a time before start_time, want a later one");
  }
  if (by_id_.contains(wanted.job.job_id)) return results_.AddTwice();
  if (!rights_.user.has_value()) return std::nullopt;
  const auto denied =
      DenyUpsert(rights_, old.has_value() ? &*old : nullptr, AccountCharged(old), wanted, now_);
  return denied.has_value() ? std::optional<size_t>(results_.AddDenied(*denied)) : std::nullopt;
}

size_t QueueUpdate::Upsert(const TrackedJob& job) {
  if (!job.job.violation.empty()) return results_.AddViolation(job.job.violation);
  const std::optional<TrackedJob> old = queue_.Find(job.job.job_id);
  std::optional<TrackedJob> kept;
  if (old.has_value() && (job.keeps_state || rights_.user.has_value())) {
    kept = WithKeptFields(rights_, *old, job);
  }
  const TrackedJob& wanted = kept.has_value() ? *kept : job;
  const auto refused = Refuse(old, wanted);
  return refused.has_value() ? *refused : Accept(wanted);
}

size_t QueueUpdate::Change(const TrackedJob& change, const JobFields& fields) {
  if (!change.job.violation.empty()) return results_.AddViolation(change.job.violation);
  const std::optional<TrackedJob> old = queue_.Find(change.job.job_id);
  const bool there = old.has_value() && (!old->ended() || fields.Has("state"));
  if (!there || !MayKnow(*old)) return AddNotFound(change.job.job_id);
  if (IsOfAnother(rights_, old, "")) return results_.AddOtherSource(change.source, old->source);
  const TrackedJob wanted = WithKeptFields(rights_, *old, fields.Merge(*old, change));
  const bool counted = fields.Has("array_tasks") && !fields.Has("array_task_ids");
  if (counted && !old->array_task_ids.empty() && change.job.array_tasks != old->job.array_tasks) {
    return results_.AddViolation(
        "array_tasks",
        absl::StrCat("got ", change.job.array_tasks, " of a job whose array_task_ids are ",
                     old->job.array_tasks, ", want the two to agree"));
  }
  const auto refused = Refuse(old, wanted);
  return refused.has_value() ? *refused : Accept(wanted);
}

std::optional<Refusal> QueueUpdate::RefuseSubmission(const TrackedJob& wanted,
                                                     const TrackedJob* live) {
  const bool waits = !wanted.ended() && wanted.job.state == priority::JobState::kPending;
  if (!waits || intake_.mirrored) return std::nullopt;
  if (auto refusal = limits_.Check(wanted, live)) return refusal;
  const priority::Policy& policy = queue_.state()->snapshot().policy();
  if (auto full = CheckMaxJobCount(policy, live == nullptr ? live_jobs_ : 0)) return full;
  return submission_.Refuse(wanted, live, intake_.admitted.contains(wanted.job.job_id));
}

std::optional<Refusal> QueueUpdate::RoomFor(const Entry& entry, const TrackedJob& wanted) const {
  const absl::string_view cluster = queue_.state()->snapshot().cluster().name;
  if (!entry.old.has_value()) {
    if (auto full = CheckRoom(room_, jobs_, rights_.user, cluster)) return full;
  }
  const TrackedJob* old = entry.old.has_value() ? &*entry.old : nullptr;
  return CheckBytes(room_.bounds, jobs_, rights_.user, old, wanted);
}

size_t QueueUpdate::Accept(const TrackedJob& wanted) {
  Entry* entry = AddEntry(wanted.job.job_id);
  if (const auto full = RoomFor(*entry, wanted)) return results_.AddRefused(*full, wanted);
  const TrackedJob* live = entry->old.has_value() && !entry->old->ended() ? &*entry->old : nullptr;
  if (IsOfAnother(rights_, entry->old, wanted.source)) {
    return results_.AddOtherSource(wanted.source, live->source);
  }
  const auto refusal = RefuseSubmission(wanted, live);
  if (refusal.has_value()) return results_.AddRefused(*refusal, wanted);
  if (live != nullptr) limits_.Count(*live, false);
  if (!wanted.ended()) limits_.Count(wanted, true);
  live_jobs_ += int{!wanted.ended()} - int{live != nullptr};
  if (entry->old.has_value()) jobs_.Count(*entry->old, IsOwn(*entry->old), /*there=*/false);
  jobs_.Count(wanted, IsOwn(wanted), /*there=*/true);
  entry->removed = false;
  entry->job = wanted;
  // The frontend's full_sync must still find it.
  if (live != nullptr) entry->job.source = SourceKept(*live, wanted.source);
  entry->result = results_.Add(UpdateOutcome::kUnchanged);
  Note(*entry, wanted);
  return entry->result;
}

void QueueUpdate::Note(const Entry& entry, const TrackedJob& wanted) {
  const auto dependency = ParseDependency(wanted.dependency);
  if (!wanted.dependency.empty() && dependency.ok()) {
    for (const DependencyTerm& term : dependency->terms) {
      for (const absl::string_view id : term.job_ids) {
        for (const absl::string_view heard : IdsToHearOf(id)) waited_for_.emplace(heard);
      }
    }
  }
  if (!wanted.name.empty()) {
    named_[absl::StrCat(wanted.job.user, absl::string_view("\0", 1), wanted.name)].push_back(
        entry.job_id);
  }
  if (!wanted.array_job_id.empty()) {
    tasks_[std::string(wanted.array_job_id)].push_back(entry.job_id);
  }
}

std::optional<TrackedJob> QueueUpdate::Find(absl::string_view job_id) {
  const Entry* entry = FindEntry(job_id);
  if (entry == nullptr) return queue_.Find(job_id);
  if (!entry->removed) return entry->job;
  if (!entry->old.has_value()) return std::nullopt;
  TrackedJob ended = *entry->old;
  if (!ended.ended()) {
    ended.end = JobEnd::kCancelled;
    ended.ended_at = now_;
  }
  return ended;
}

void QueueUpdate::ForEachTask(absl::string_view array_job_id,
                              absl::FunctionRef<void(const TrackedJob&)> visit) {
  const auto visit_if_task = [&](const std::string& id) {
    const std::optional<TrackedJob> task = Find(id);
    if (task.has_value() && task->array_job_id == array_job_id) visit(*task);
  };
  const TrackedQueue::JobIds& stored = queue_.TasksOf(array_job_id);
  for (const std::string& id : stored) visit_if_task(id);
  const auto here = tasks_.find(array_job_id);
  if (here == tasks_.end()) return;
  for (const std::string& id : here->second) {
    if (!stored.contains(id)) visit_if_task(id);
  }
}

TrackedQueue::JobIds QueueUpdate::LimitedArrays() {
  TrackedQueue::JobIds arrays;
  for (const Entry& entry : entries_) {
    for (const TrackedJob* job : {&entry.job, entry.old.has_value() ? &*entry.old : nullptr}) {
      if (job == nullptr || ArrayOf(*job).empty()) continue;
      const std::string array(ArrayOf(*job));
      const std::optional<TrackedJob> rest = Find(array);
      if (HasTaskLimit(*job) || (rest.has_value() && HasTaskLimit(*rest))) arrays.insert(array);
    }
  }
  return arrays;
}

void QueueUpdate::LimitArray(const std::string& array_job_id) {
  const std::optional<TrackedJob> rest = Find(array_job_id);
  const auto for_each = [&](absl::FunctionRef<void(const TrackedJob&)> visit) {
    ForEachTask(array_job_id, visit);
    // If it names itself as its array, it is among the tasks.
    if (rest.has_value() && rest->array_job_id.empty()) visit(*rest);
  };
  ArrayLimit limit(rest);
  for_each([&](const TrackedJob& task) { limit.Count(task); });
  for_each([&](const TrackedJob& task) {
    if (!MayBeLimited(task)) return;
    const bool is_limited = limit.Holds(task);
    Entry* entry = FindEntry(task.job.job_id);
    if (entry == nullptr && is_limited == task.job.array_limited) return;
    if (entry == nullptr) entry = AddEntry(task.job.job_id);
    entry->job.job.array_limited = is_limited;
  });
}

void QueueUpdate::FillKeptFields(Entry& entry) {
  TrackedJob& job = entry.job;
  const std::optional<TrackedJob>& old = entry.old;
  if (!job.job.submit_time.has_value()) job.job.submit_time = old ? old->job.submit_time : now_;
  Apply(entry.resolution, &job);
  job.job.array_limited = false;
  if (old.has_value()) {
    job.job.previous_priority = old->job.previous_priority;
    job.job.pair_priorities = old->job.pair_priorities;
    if (site_service_) KeepSiteFactor(*old, &job);
    // Keep the time when a start was reported, if its own time is unknown.
    if (job.dependency == old->dependency) job.job.dependency_until = old->job.dependency_until;
  }
  job.SetEndedAt(old.has_value() && old->ended() ? old->ended_at : now_);
  job.job.dependency_unmet = job.told_dependency_unmet;
}

std::vector<JobChange> QueueUpdate::Finish() {
  return Finish([] { return absl::OkStatus(); }).value();
}

absl::StatusOr<std::vector<JobChange>> QueueUpdate::Finish(Check check) {
  for (Entry& entry : entries_) {
    if (!entry.removed && entry.result != kNoResult) FillKeptFields(entry);
  }
  if (absl::Status s = ResolveDependencies(check); !s.ok()) return s;
  const TrackedQueue::JobIds limited = LimitedArrays();
  for (const std::string& array : limited) {
    if (absl::Status s = check(); !s.ok()) return s;
    LimitArray(array);
  }
  std::vector<JobChange> changes;
  for (Entry& entry : entries_) FinishEntry(entry, &changes);
  return changes;
}

void QueueUpdate::FinishEntry(Entry& entry, std::vector<JobChange>* changes) {
  const bool known = entry.old.has_value();
  if (entry.removed && !known) return;
  const bool removed = entry.removed;
  if (removed && IsWaitedFor(*entry.old)) {
    // Jobs that wait for it need its outcome.
    entry.removed = false;
    entry.job = *entry.old;
    if (!entry.job.ended()) {
      entry.job.end = JobEnd::kCancelled;
      entry.job.ended_at = now_;
    }
  }
  if (!entry.removed && known) accruals_.Continue(*entry.old, now_, &entry.job);
  if (!entry.removed && !known) accruals_.Begin(now_, &entry.job);
  JobChange change{entry.job_id, entry.removed ? "" : PackJob(entry.job)};
  if (change.packed == entry.before) return;
  if (entry.result != kNoResult) {
    results_.Set(entry.result, removed ? UpdateOutcome::kRemoved : UpdateOutcome::kUpserted);
  }
  changes->push_back(std::move(change));
}

}  // namespace priorityd::queue
