#include "server/queue/state/job_rights.h"

#include <initializer_list>

#include "absl/strings/str_cat.h"

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
  const bool changes_state = wanted.job.state != old.job.state && !wanted.ended();
  return FirstBroken(
      {{(wanted.job.hold == Hold::kAdmin) != (old.job.hold == Hold::kAdmin), "hold",
        "got a change of an administrator's hold, which only an operator or a frontend may make"},
       {changes_state && wanted.job.state != JobState::kPending, "state",
        "got that it was started, which only a frontend may tell"},
       {wanted.ended() && wanted.end != JobEnd::kCancelled && wanted.end != old.end, "state",
        "got that it ended, which only a frontend may tell; cancel it, or remove it"}});
}

// Age is counted from these times.
std::optional<DeniedChange> DenyTimes(bool is_new, absl::Time earliest, const Job& wanted) {
  return FirstBroken(
      {{IsBefore(wanted.submit_time, earliest), "submit_time",
        "got an earlier one than the job's, want none: it is the service's present time"},
       {IsBefore(wanted.eligible_time, earliest), "eligible_time",
        "got one before the job was submitted"},
       {is_new && IsBefore(wanted.accrue_time, earliest), "accrue_time",
        "got one before the job was submitted"},
       {is_new && wanted.previous_priority.has_value(), "previous_priority",
        "got one, which only a frontend may tell"}});
}

}  // namespace

std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old) {
  if (!rights.user.has_value() || old == nullptr || old->job.user == *rights.user) {
    return std::nullopt;
  }
  return DeniedChange{"job_id", "job_id: got the job of another user, want one of your own"};
}

std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       const TrackedJob& wanted, absl::Time now) {
  if (!rights.user.has_value()) return std::nullopt;
  if (auto denied = DenyOwner(*rights.user, old, wanted)) return denied;
  const TrackedJob before = old == nullptr ? TrackedJob() : *old;
  if (auto denied = DenyWeight(before.job, wanted.job)) return denied;
  if (auto denied = DenyStanding(before, wanted)) return denied;
  const absl::Time earliest = before.job.submit_time.value_or(now);
  return DenyTimes(old == nullptr, earliest, wanted.job);
}

}  // namespace priorityd::queue
