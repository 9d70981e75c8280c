#include "server/queue/state/queue_update.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/priority/job_id.h"
#include "server/priority/microseconds.h"
#include "server/queue/state/accrual.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/site_factors.h"

namespace priorityd::queue {
namespace {

// How long a job that ended can still be named by a new dependency.
constexpr absl::Duration kEndedKept = absl::Hours(1);

// Whether `a` was submitted before `b`.
bool Earlier(const TrackedJob& a, const TrackedJob& b) {
  if (*a.job.submit_time != *b.job.submit_time) return *a.job.submit_time < *b.job.submit_time;
  return priority::CompareJobIds(a.job.job_id, b.job.job_id) < 0;
}

// Null = it has ended, or there is none.
const TrackedJob* LiveJob(const std::optional<TrackedJob>& job) {
  return job.has_value() && !job->ended() ? &*job : nullptr;
}

}  // namespace

QueueUpdate::QueueUpdate(const TrackedQueue& queue, absl::Time now, const QueueRoom& room,
                         JobRights rights)
    : queue_(queue),
      now_(priority::CutToMicroseconds(now)),
      room_(room),
      rights_(std::move(rights)),
      jobs_(queue.size()),
      site_service_(!queue.state()->snapshot().policy().site_factor_plugin.empty()),
      limits_(*queue.state()) {}

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

size_t QueueUpdate::AddResult(UpdateOutcome outcome) {
  results_.emplace_back().outcome = outcome;
  return results_.size() - 1;
}

size_t QueueUpdate::AddViolation(absl::string_view field, absl::string_view message) {
  results_.push_back({UpdateOutcome::kInvalid, "InvalidJob", std::string(field),
                      absl::StrCat(field, ": ", message)});
  return results_.size() - 1;
}

size_t QueueUpdate::AddDenied(const DeniedChange& denied) {
  results_.push_back(
      {UpdateOutcome::kRefused, "AccessDenied", std::string(denied.field), denied.message});
  return results_.size() - 1;
}

size_t QueueUpdate::AddOtherSource(absl::string_view got, absl::string_view want) {
  results_.push_back(
      {UpdateOutcome::kRefused, "OtherSource", "source",
       absl::StrCat("source: got ", got, ", want ", want, ", which told of the job and keeps it")});
  return results_.size() - 1;
}

bool QueueUpdate::IsOfAnother(const TrackedJob* live, absl::string_view source) const {
  return live != nullptr && !rights_.user.has_value() && !source.empty() && !live->source.empty() &&
         live->source != source;
}

size_t QueueUpdate::AddTwice() { return AddViolation("job_id", "got it twice, want it once"); }

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
    if (denied.has_value() && rights_.jobs_are_private) return RemoveNothing(job_id);
    if (denied.has_value()) return AddDenied(*denied);
  }
  Entry* entry = AddEntry(job_id);
  if (entry == nullptr) return AddTwice();
  if (IsOfAnother(LiveJob(entry->old), source)) return AddOtherSource(source, entry->old->source);
  const size_t result = AddResult(UpdateOutcome::kUnchanged);
  entry->result = result;
  if (entry->old.has_value()) RemoveEntry(entry);
  return result;
}

size_t QueueUpdate::RemoveNothing(absl::string_view job_id) {
  return AddEntry(job_id) == nullptr ? AddTwice() : AddResult(UpdateOutcome::kUnchanged);
}

void QueueUpdate::RemoveEntry(Entry* entry) {
  entry->removed = true;
  --jobs_;
  limits_.Count(*entry->old, false);
}

std::string QueueUpdate::Overfull() const {
  const size_t all = jobs_ + room_.other_jobs;
  if (jobs_ >= room_.bounds.cluster_jobs) {
    return absl::StrCat("tracked jobs of the cluster: got ", jobs_ + 1, ", want at most ",
                        room_.bounds.cluster_jobs);
  }
  if (all < room_.bounds.all_jobs) return "";
  return absl::StrCat("tracked jobs of all clusters: got ", all + 1, ", want at most ",
                      room_.bounds.all_jobs);
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
  queue_.ForEachEnded([&](const TrackedJob& job) {
    if (now_ - job.end_time.value_or(now_) < kEndedKept || IsWaitedFor(job.job.job_id)) return;
    if (Entry* entry = AddEntry(job.job.job_id)) entry->removed = true;
  });
}

size_t QueueUpdate::Upsert(const TrackedJob& job) {
  if (!job.job.violation.empty()) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(job.job.violation, absl::MaxSplits(": ", 1));
    return AddViolation(parts.first, parts.second);
  }
  absl::StatusOr<Dependency> dependency = Dependency();
  if (!job.dependency.empty()) dependency = ParseDependency(job.dependency);
  if (!dependency.ok()) return AddViolation("dependency", dependency.status().message());
  if (by_id_.contains(job.job.job_id)) return AddTwice();

  if (rights_.user.has_value()) {
    const std::optional<TrackedJob> old = queue_.Find(job.job.job_id);
    const auto denied =
        DenyUpsert(rights_, old.has_value() ? &*old : nullptr, AccountCharged(old), job, now_);
    if (denied.has_value()) return AddDenied(*denied);
  }
  Entry* entry = AddEntry(job.job.job_id);
  if (!entry->old.has_value()) {
    std::string overfull = Overfull();
    if (!overfull.empty()) {
      results_.push_back({UpdateOutcome::kRefused, "MaxJobCount", "", std::move(overfull)});
      return results_.size() - 1;
    }
  }
  const TrackedJob* live = LiveJob(entry->old);
  if (IsOfAnother(live, job.source)) return AddOtherSource(job.source, live->source);
  const auto exceeded = job.ended() ? std::nullopt : limits_.Check(job, live);
  if (exceeded.has_value()) {
    results_.push_back(
        {UpdateOutcome::kRefused, std::string(exceeded->reason), "", exceeded->message});
    return results_.size() - 1;
  }
  if (live != nullptr) limits_.Count(*live, false);
  if (!job.ended()) limits_.Count(job, true);
  if (entry->removed) ++jobs_;
  entry->removed = false;
  entry->job = job;
  // The frontend's full_sync must find it still.
  if (live != nullptr && !live->source.empty()) entry->job.source = live->source;
  entry->result = AddResult(UpdateOutcome::kUnchanged);
  for (const DependencyTerm& term : dependency->terms) {
    waited_for_.insert(term.job_ids.begin(), term.job_ids.end());
  }
  if (!job.name.empty()) {
    named_[absl::StrCat(job.job.user, absl::string_view("\0", 1), job.name)].push_back(
        entry->job_id);
  }
  return entry->result;
}

std::optional<TrackedJob> QueueUpdate::Find(absl::string_view job_id) {
  const Entry* entry = FindEntry(job_id);
  if (entry == nullptr) return queue_.Find(job_id);
  if (!entry->removed) return entry->job;
  if (!entry->old.has_value()) return std::nullopt;
  TrackedJob ended = *entry->old;
  if (!ended.ended()) ended.end = JobEnd::kCancelled;
  return ended;
}

TrackedQueue::JobIds QueueUpdate::Waiting() {
  TrackedQueue::JobIds waiting;
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> names;
  const auto add = [&waiting](const TrackedQueue::JobIds& ids) {
    waiting.insert(ids.begin(), ids.end());
  };
  for (const Entry& entry : entries_) {
    if (!entry.removed && !entry.job.dependency.empty()) waiting.insert(entry.job_id);
    add(queue_.WaitingFor(entry.job_id));
    for (const TrackedJob* job : {&entry.job, entry.old.has_value() ? &*entry.old : nullptr}) {
      if (job == nullptr || job->name.empty()) continue;
      // Once for all jobs of the name: a user may have many of one.
      if (!names.emplace(job->job.user, job->name).second) continue;
      add(queue_.Singletons(job->job.user, job->name));
    }
  }
  return waiting;
}

void QueueUpdate::ResolveDependency(absl::string_view job_id) {
  const std::optional<TrackedJob> waits = Find(job_id);
  if (!waits.has_value() || waits->ended() || waits->dependency.empty()) return;
  const auto dependency = ParseDependency(waits->dependency);
  if (!dependency.ok()) return;
  const DependencyState state = Evaluate(
      *dependency, [this](absl::string_view id) { return Find(id); },
      [&] { return Alone(*waits); });
  const bool unmet = waits->told_dependency_unmet || state != DependencyState::kMet;
  Entry* entry = FindEntry(job_id);
  if (entry == nullptr && unmet == waits->job.dependency_unmet) return;
  if (entry == nullptr) entry = AddEntry(job_id);
  entry->job.job.dependency_unmet = unmet;
}

bool QueueUpdate::Alone(const TrackedJob& job) {
  if (job.name.empty()) return true;
  const auto keeps_back = [&](const std::string& id) {
    if (id == job.job.job_id) return false;
    const std::optional<TrackedJob> other = Find(id);
    if (!other.has_value() || other->ended() || other->name != job.name) return false;
    return other->job.state != priority::JobState::kPending || Earlier(*other, job);
  };
  if (absl::c_any_of(queue_.Named(job.job.user, job.name), keeps_back)) return false;
  const auto here = named_.find(absl::StrCat(job.job.user, absl::string_view("\0", 1), job.name));
  return here == named_.end() || absl::c_none_of(here->second, keeps_back);
}

bool QueueUpdate::IsWaitedFor(absl::string_view job_id) {
  if (waited_for_.contains(job_id)) return true;
  for (const std::string& id : queue_.WaitingFor(job_id)) {
    const Entry* entry = FindEntry(id);
    if (entry == nullptr || (!entry->removed && !entry->job.ended())) return true;
  }
  return false;
}

std::vector<JobChange> QueueUpdate::Finish() {
  for (Entry& entry : entries_) {
    if (entry.removed || entry.result == kNoResult) continue;
    // What the frontend need not say again.
    TrackedJob& job = entry.job;
    const bool known = entry.old.has_value();
    if (!job.job.submit_time.has_value()) {
      job.job.submit_time = known ? entry.old->job.submit_time : now_;
    }
    if (known) {
      job.job.previous_priority = entry.old->job.previous_priority;
      job.job.pair_priorities = entry.old->job.pair_priorities;
      if (site_service_) CarrySiteFactor(*entry.old, &job);
    }
    if (job.ended()) job.end_time = known && entry.old->ended() ? entry.old->end_time : now_;
    job.job.dependency_unmet = job.told_dependency_unmet;
  }
  for (const std::string& id : Waiting()) ResolveDependency(id);
  std::vector<JobChange> changes;
  for (Entry& entry : entries_) FinishEntry(entry, &changes);
  return changes;
}

void QueueUpdate::FinishEntry(Entry& entry, std::vector<JobChange>* changes) {
  const bool known = entry.old.has_value();
  if (entry.removed && !known) return;
  const bool removed = entry.removed;
  if (removed && IsWaitedFor(entry.job_id)) {
    // Whoever waits for it has to learn how it ended.
    entry.removed = false;
    entry.job = *entry.old;
    if (!entry.job.ended()) {
      entry.job.end = JobEnd::kCancelled;
      entry.job.end_time = now_;
    }
  }
  if (!entry.removed) {
    if (known && !entry.old->ended()) {
      CarryAccrual(*entry.old, now_, &entry.job);
    } else if (!known || !entry.job.ended()) {
      BeginAccrual(now_, &entry.job);
    }
  }
  JobChange change{entry.job_id, entry.removed ? "" : PackJob(entry.job)};
  if (change.packed == entry.before) return;
  if (entry.result != kNoResult) {
    results_[entry.result].outcome = removed ? UpdateOutcome::kRemoved : UpdateOutcome::kUpserted;
  }
  changes->push_back(std::move(change));
}

}  // namespace priorityd::queue
