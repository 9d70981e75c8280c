#include "server/queue/state/job_rights.h"

#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

using priority::Hold;
using priority::Job;
using priority::JobState;

// One rule: whether the wanted job breaks it, and what it says.
struct Rule {
  bool broken;
  absl::string_view field;
  absl::string_view message;
};

std::optional<DeniedChange> FirstBroken(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    if (rule.broken) return DeniedChange{rule.field, absl::StrCat(rule.field, ": ", rule.message)};
  }
  return std::nullopt;
}

bool IsBefore(const std::optional<absl::Time>& given, absl::Time earliest) {
  return given.has_value() && *given < earliest;
}

std::optional<DeniedChange> DenyOwner(const std::string& user, const TrackedJob* old,
                                      const TrackedJob& wanted) {
  return FirstBroken(
      {{wanted.job.user != user, "user", "got another user's job, want one of your own"},
       {old != nullptr && old->job.user != user, "job_id",
        "got the job of another user, want one of your own"}});
}

std::optional<DeniedChange> DenyWeight(const Job& old, const Job& wanted) {
  return FirstBroken({{wanted.nice < 0 && wanted.nice < old.nice, "nice",
                       "got a negative one, which only an operator or a frontend may set"},
                      {wanted.admin_priority != old.admin_priority, "admin_priority",
                       "got a change, which only an operator or a frontend may make"},
                      {wanted.site_factor > old.site_factor, "site_factor",
                       "got a higher one, which only an operator or a frontend may set"},
                      {wanted.preemptor.value_or(false) && !old.preemptor.value_or(false),
                       "preemptor", "got true, which only an operator or a frontend may set"}});
}

std::optional<DeniedChange> DenyStanding(const TrackedJob& old, const TrackedJob& wanted) {
  // Unset = none, which is the longest.
  const auto limit = [](const TrackedJob& job) {
    return job.job.time_limit.value_or(absl::InfiniteDuration());
  };
  const bool runs_longer = old.job.state != JobState::kPending && limit(wanted) > limit(old);
  const bool changes_state = wanted.job.state != old.job.state && !wanted.ended();
  return FirstBroken(
      {{(wanted.job.hold == Hold::kAdmin) != (old.job.hold == Hold::kAdmin), "hold",
        "got a change of an administrator's hold, which only an operator or a frontend may make"},
       {runs_longer, "time_limit",
        "got a longer one of a job that runs, which only an operator or a frontend may set"},
       {changes_state && wanted.job.state != JobState::kPending, "state",
        "got that it was started, which only a frontend may tell"},
       {wanted.ended() && wanted.end != JobEnd::kCancelled && wanted.end != old.end, "state",
        "got that it ended, which only a frontend may tell; cancel it, or remove it"}});
}

// Age is counted from these times.
std::optional<DeniedChange> DenyTimes(bool is_new, absl::Time earliest, const Job& old,
                                      const Job& wanted) {
  const bool begins_otherwise = wanted.eligible_time != old.eligible_time;
  return FirstBroken(
      {{IsBefore(wanted.submit_time, earliest), "submit_time",
        "got an earlier one than the job's, want none: it is the service's present time"},
       {begins_otherwise && IsBefore(wanted.eligible_time, earliest), "eligible_time",
        "got one before the job was submitted"},
       {is_new && IsBefore(wanted.accrue_time, earliest), "accrue_time",
        "got one before the job was submitted"},
       {is_new && wanted.previous_priority.has_value(), "previous_priority",
        "got one, which only a frontend may tell"}});
}

// What a queue keeps of a job whatever is sent, and what a coordinator may change: as `old` has it.
TrackedJob WithoutWhatACoordinatorMay(const TrackedJob& old, TrackedJob wanted) {
  const bool told = wanted.told_dependency_unmet;
  if (told == old.job.dependency_unmet) wanted.told_dependency_unmet = old.told_dependency_unmet;
  if (!wanted.job.submit_time.has_value()) wanted.job.submit_time = old.job.submit_time;
  if (old.site_factor_answered) wanted.job.site_factor = old.job.site_factor;
  wanted.job.accrue_time = old.job.accrue_time;
  wanted.job.accrual_stopped = old.job.accrual_stopped;
  wanted.job.previous_priority = old.job.previous_priority;
  wanted.job.pair_priorities = old.job.pair_priorities;
  wanted.job.dependency_unmet = old.job.dependency_unmet;
  wanted.job.dependency_never = old.job.dependency_never;
  wanted.job.dependency_until = old.job.dependency_until;
  wanted.job.array_limited = old.job.array_limited;
  wanted.job.hold = old.job.hold;
  wanted.job.nice = old.job.nice;
  wanted.source = old.source;
  wanted.site_factor_answered = old.site_factor_answered;
  wanted.end = old.end;
  wanted.end_time = old.end_time;
  return wanted;
}

std::optional<DeniedChange> DenyCoordinator(const TrackedJob& old, const TrackedJob& wanted) {
  return FirstBroken(
      {{wanted.job.user != old.job.user, "user", "got another than the job's, want that"},
       {PackJob(WithoutWhatACoordinatorMay(old, wanted)) != PackJob(old), "job_id",
        "got a change of the job of another user, of which a coordinator changes hold and nice "
        "only, and cancels it"}});
}

bool IsAnothers(const JobRights& rights, const TrackedJob& old) {
  return old.job.user != *rights.user;
}

}  // namespace

bool IsOfAnother(const JobRights& rights, const std::optional<TrackedJob>& old,
                 absl::string_view source) {
  if (!old.has_value() || old->ended() || rights.user.has_value()) return false;
  return !source.empty() && !old->source.empty() && old->source != source;
}

bool Coordinates(const JobRights& rights, const TrackedJob& old, absl::string_view account) {
  return rights.user.has_value() && IsAnothers(rights, old) && rights.coordinated.contains(account);
}

std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old,
                                        absl::string_view account) {
  if (!rights.user.has_value() || old == nullptr || !IsAnothers(rights, *old) ||
      Coordinates(rights, *old, account)) {
    return std::nullopt;
  }
  return DeniedChange{"job_id", "job_id: got the job of another user, want one of your own"};
}

std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       absl::string_view account, const TrackedJob& wanted,
                                       absl::Time now) {
  if (!rights.user.has_value()) return std::nullopt;
  if (old != nullptr && Coordinates(rights, *old, account)) {
    if (auto denied = DenyWeight(old->job, wanted.job)) return denied;
    if (auto denied = DenyStanding(*old, wanted)) return denied;
    return DenyCoordinator(*old, wanted);
  }
  if (auto denied = DenyOwner(*rights.user, old, wanted)) return denied;
  const TrackedJob before = old == nullptr ? TrackedJob() : *old;
  if (auto denied = DenyWeight(before.job, wanted.job)) return denied;
  if (auto denied = DenyStanding(before, wanted)) return denied;
  const absl::Time earliest = before.job.submit_time.value_or(now);
  return DenyTimes(old == nullptr, earliest, before.job, wanted.job);
}

}  // namespace priorityd::queue
