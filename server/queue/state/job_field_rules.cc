#include "server/queue/state/job_field_rules.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

using priority::Hold;
using priority::Job;

constexpr FieldChange Ordered(bool lower, bool higher) {
  if (lower) return FieldChange::kLower;
  return higher ? FieldChange::kHigher : FieldChange::kNone;
}

constexpr FieldChange OtherIf(bool differs) {
  return differs ? FieldChange::kOther : FieldChange::kNone;
}

template <typename Value>
FieldChange MemberChange(const Value& old, const Value& wanted) {
  if constexpr (std::is_arithmetic_v<Value>) {
    return Ordered(wanted<old, wanted> old);
  } else {
    return OtherIf(old != wanted);
  }
}

// The queue keeps microseconds.
FieldChange MemberChange(const std::optional<absl::Time>& old,
                         const std::optional<absl::Time>& wanted) {
  if (!old.has_value() || !wanted.has_value())
    return OtherIf(old.has_value() != wanted.has_value());
  const int64_t before = absl::ToUnixMicros(*old);
  const int64_t after = absl::ToUnixMicros(*wanted);
  return Ordered(after<before, after> before);
}

// No limit is the longest.
FieldChange MemberChange(const std::optional<absl::Duration>& old,
                         const std::optional<absl::Duration>& wanted) {
  const auto length = [](const std::optional<absl::Duration>& limit) {
    return absl::ToInt64Microseconds(limit.value_or(absl::InfiniteDuration()));
  };
  return Ordered(length(wanted) < length(old), length(wanted) > length(old));
}

// Unset means the value of the QOS or the partition, which may be either.
FieldChange MemberChange(const std::optional<bool>& old, const std::optional<bool>& wanted) {
  const auto rank = [](const std::optional<bool>& flag) {
    return flag.has_value() ? 2 * int{*flag} : 1;
  };
  return Ordered(rank(wanted) < rank(old), rank(wanted) > rank(old));
}

using Tres = decltype(Job::tres);

FieldChange MemberChange(const Tres& old, const Tres& wanted) {
  Tres before = old;
  Tres after = wanted;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  return OtherIf(before != after);
}

FieldChange MemberChange(const std::vector<priority::PairPriority>& old,
                         const std::vector<priority::PairPriority>& wanted) {
  return OtherIf(old.size() != wanted.size());  // Requests never contain any.
}

using TimeMember = std::optional<absl::Time> Job::*;

template <typename Member>
constexpr TimeMember TimeOf(Member Job::*member) {
  if constexpr (std::is_same_v<Member Job::*, TimeMember>) {
    return member;
  } else {
    return nullptr;
  }
}

// The members of priority::Job but job_id: MEMBER, the field of the API, and its classes in the
// order of UserStanding.
// clang-format off
#define PRIORITYD_JOB_MEMBERS(F)                                                                 \
  F(user, "user", kName, kName, kName, kName, kName)                                             \
  F(account, "account", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                         \
  F(partitions, "partitions", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                   \
  F(qos, "qos", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                                 \
  F(state, "state", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)                       \
  F(submit_time, "submit_time", kLaterOnly, kRaisesOnly, kFrontend, kFrontend, kFrontend)        \
  F(eligible_time, "eligible_time", kLaterOnly, kLaterOnly, kFrontend, kFrontend, kFrontend)     \
  F(accrue_time, "accrue_time", kLaterOnly, kService, kService, kService, kService)              \
  F(accrual_stopped, "", kService, kService, kService, kService, kService)                       \
  F(start_time, "start_time", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)             \
  F(hold, "hold", kUserHold, kUserHold, kFrontend, kUserHold, kFrontend)                         \
  F(dependency_unmet, "", kService, kService, kService, kService, kService)                      \
  F(dependency_never, "", kService, kService, kService, kService, kService)                      \
  F(dependency_until, "", kService, kService, kService, kService, kService)                      \
  F(array_limited, "", kService, kService, kService, kService, kService)                         \
  F(nodes, "nodes", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                             \
  F(cpus, "cpus", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                               \
  F(tres, "tres", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                               \
  F(time_limit, "time_limit", kOwner, kOwner, kLowersOnly, kFrontend, kFrontend)                 \
  F(nice, "nice", kNotNegative, kNotNegative, kRaisesOnly, kNotNegative, kRaisesOnly)            \
  F(site_factor, "site_factor", kLowersOnly, kLowersOnly, kFrontend, kFrontend, kFrontend)       \
  F(admin_priority, "admin_priority", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)     \
  F(previous_priority, "previous_priority", kFrontend, kService, kService, kService, kService)   \
  F(pair_priorities, "", kService, kService, kService, kService, kService)                       \
  F(preemptor, "preemptor", kLowersOnly, kLowersOnly, kFrontend, kFrontend, kFrontend)           \
  F(has_reservation, "reservation", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)       \
  F(array_tasks, "array_tasks", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                 \
  F(violation, "", kService, kService, kService, kService, kService)

// The members of TrackedJob except the job. The array of a task determines for which limits and
// dependencies it counts.
#define PRIORITYD_TRACKED_MEMBERS(F)                                                             \
  F(source, "", kService, kService, kService, kService, kService)                                \
  F(name, "name", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                               \
  F(reservation, "reservation", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)           \
  F(dependency, "dependency", kOwner, kOwner, kFrontend, kFrontend, kFrontend)                   \
  F(array_task_ids, "array_task_ids", kOwner, kOwner, kFrontend, kFrontend, kFrontend)           \
  F(array_job_id, "array_job_id", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)         \
  F(array_task_id, "array_task_id", kFrontend, kFrontend, kFrontend, kFrontend, kFrontend)       \
  F(told_dependency_unmet, "dependency_unmet", kFrontend, kFrontend, kFrontend, kFrontend,       \
    kFrontend)                                                                                   \
  F(keeps_state, "", kService, kService, kService, kService, kService)                           \
  F(site_factor_answered, "", kService, kService, kService, kService, kService)                  \
  F(end, "state", kCancels, kCancels, kFrontend, kCancels, kFrontend)                            \
  F(end_time, "", kService, kService, kService, kService, kService)

// A member without a row does not compile, as a structured binding names every member: "2 names
// provided for structured binding, while 'priorityd::priority::Job' decomposes into 3 elements".
#define PRIORITYD_NAME(member, ...) , member
[[maybe_unused]] void EveryMemberHasARow(const TrackedJob& tracked) {
  [[maybe_unused]] const auto& [job PRIORITYD_TRACKED_MEMBERS(PRIORITYD_NAME)] = tracked;
}
[[maybe_unused]] void EveryMemberHasARow(const Job& job) {
  [[maybe_unused]] const auto& [job_id PRIORITYD_JOB_MEMBERS(PRIORITYD_NAME)] = job;
}
#undef PRIORITYD_NAME

#define PRIORITYD_JOB_ROW(member, field, ...)                                                    \
  {field,                                                                                        \
   [](const TrackedJob& a, const TrackedJob& b) { return MemberChange(a.job.member, b.job.member); }, \
   TimeOf(&Job::member), {__VA_ARGS__}},
#define PRIORITYD_TRACKED_ROW(member, field, ...)                                                \
  {field, [](const TrackedJob& a, const TrackedJob& b) { return MemberChange(a.member, b.member); },  \
   nullptr, {__VA_ARGS__}},

// clang-format on

bool IsBefore(const std::optional<absl::Time>& time, absl::Time earliest) {
  return time.has_value() && absl::ToUnixMicros(*time) < absl::ToUnixMicros(earliest);
}

constexpr bool Runs(UserStanding standing) {
  return standing == UserStanding::kRunning || standing == UserStanding::kCoordinatedRunning;
}

// The message for a change that the class does not allow.
absl::string_view WhyNot(FieldClass field_class) {
  using enum FieldClass;
  switch (field_class) {
    case kName:
      return "got another value than the job's, want the same";
    case kLowersOnly:
      return "got a higher value, which only an operator or a frontend may set";
    case kRaisesOnly:
      return "got a lower value, which only an operator or a frontend may set";
    case kNotNegative:
      return "got a lower and negative value, which only an operator or a frontend may set";
    case kLaterOnly:
      return "got a time before the submission, want none or a later one";
    case kUserHold:
      return "got a change of an administrator's hold, which only an operator or a frontend may "
             "make";
    case kCancels:
      return "got an end of the job, which only a frontend may report; cancel or remove the job";
    case kOwner:
    case kFrontend:
    case kService:
      break;
  }
  return "got a change, which only an operator or a frontend may make";
}

bool Allows(const JobFieldRule& rule, FieldClass field_class, FieldChange change,
            const TrackedJob& old, const TrackedJob& wanted, absl::Time earliest) {
  using enum FieldClass;
  switch (field_class) {
    case kOwner:
    case kService:
      return true;
    case kLowersOnly:
      return change == FieldChange::kLower;
    case kRaisesOnly:
      return change == FieldChange::kHigher;
    case kNotNegative:
      return change == FieldChange::kHigher || wanted.job.nice >= 0;
    case kLaterOnly:
      return !IsBefore(wanted.job.*rule.time, earliest);
    case kUserHold:
      return old.job.hold != Hold::kAdmin && wanted.job.hold != Hold::kAdmin;
    case kCancels:
      return wanted.end == JobEnd::kCancelled;
    case kName:
    case kFrontend:
      break;
  }
  return false;
}

}  // namespace

// clang-format off
absl::Span<const JobFieldRule> JobFieldRules() {
  using enum FieldClass;
  static constexpr JobFieldRule kRules[] = {
      PRIORITYD_JOB_ROW(job_id, "job_id", kName, kName, kName, kName, kName)
      PRIORITYD_JOB_MEMBERS(PRIORITYD_JOB_ROW)
      PRIORITYD_TRACKED_MEMBERS(PRIORITYD_TRACKED_ROW)};
  return kRules;
}
// clang-format on

#undef PRIORITYD_TRACKED_ROW
#undef PRIORITYD_JOB_ROW
#undef PRIORITYD_TRACKED_MEMBERS
#undef PRIORITYD_JOB_MEMBERS

std::string Breach(const JobFieldRule& rule, UserStanding standing, const TrackedJob& old,
                   const TrackedJob& wanted, absl::Time earliest) {
  const FieldChange change = rule.change(old, wanted);
  const FieldClass field_class = rule.ClassOf(standing);
  if (change == FieldChange::kNone || Allows(rule, field_class, change, old, wanted, earliest)) {
    return "";
  }
  if (!Runs(standing) || field_class != FieldClass::kFrontend) {
    return absl::StrCat(rule.name, ": ", WhyNot(field_class));
  }
  if (wanted.end == JobEnd::kCancelled && !old.ended()) {
    return absl::StrCat(rule.name,
                        ": got the cancellation of a running job, which only its frontend or an "
                        "operator may report; cancel it with the command of its frontend");
  }
  return absl::StrCat(rule.name,
                      ": got a change of a job that has started, which only an operator "
                      "or a frontend may make");
}

}  // namespace priorityd::queue
