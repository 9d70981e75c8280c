#include "server/queue/state/job_field_rules.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

using priority::Hold;

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

FieldChange MemberChange(const JobTres& old, const JobTres& wanted) {
  JobTres before = old;
  JobTres after = wanted;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  return OtherIf(before != after);
}

template <typename Value>
std::optional<absl::Time> TimeOf(const Value&) {
  return std::nullopt;
}
std::optional<absl::Time> TimeOf(const std::optional<absl::Time>& time) { return time; }

template <auto... kPath>
constexpr JobFieldRule RuleOf(const JobMember<kPath...>& member) {
  using Member = JobMember<kPath...>;
  return {member.field,
          [](const TrackedJob& old, const TrackedJob& wanted) {
            return MemberChange(Member::Of(old), Member::Of(wanted));
          },
          [](const TrackedJob& job) { return TimeOf(Member::Of(job)); }, member.classes};
}

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
      return !IsBefore(rule.time(wanted), earliest);
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

absl::Span<const JobFieldRule> JobFieldRules() {
  static constexpr auto kRules =
      std::apply([](const auto&... member) { return std::array{RuleOf(member)...}; }, kJobMembers);
  return kRules;
}

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
