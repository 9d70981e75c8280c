#include "server/queue/state/job_fields.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/queue/state/job_members.h"

namespace priorityd::queue {
namespace {

// Whether an update can name the field of a member.
template <typename Member>
bool CanBeNamed(const Member& member) {
  const FieldClass of_pending = member.classes[static_cast<size_t>(UserStanding::kPending)];
  return !member.field.empty() && of_pending != FieldClass::kService && member.field != "job_id" &&
         member.field != "submit_time";
}

// The members of a field, as bits; 0 = no update can name it.
uint64_t BitsOf(absl::string_view field) {
  uint64_t bits = 0;
  ForEachJobMember([&](const auto& member, size_t number) {
    if (member.field == field && CanBeNamed(member)) bits |= uint64_t{1} << number;
  });
  return bits;
}

std::string AllNames() {
  uint64_t listed = 0;
  std::string names;
  ForEachJobMember([&](const auto& member, size_t) {
    const uint64_t bits = CanBeNamed(member) ? BitsOf(member.field) & ~listed : 0;
    if (bits != 0) absl::StrAppend(&names, names.empty() ? "" : ", ", member.field);
    listed |= bits;
  });
  return names;
}

}  // namespace

absl::Status JobFields::Add(absl::string_view name) {
  const uint64_t bits = BitsOf(name);
  bits_ |= bits;
  if (bits != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got \"", absl::CHexEscape(name.substr(0, 64)), "\", want one of ", AllNames()));
}

bool JobFields::Has(absl::string_view name) const { return (bits_ & BitsOf(name)) != 0; }

TrackedJob JobFields::Merge(const TrackedJob& old, const TrackedJob& change) const {
  TrackedJob merged = old;
  ForEachJobMember([&](const auto& member, size_t number) {
    if ((bits_ >> number & 1) != 0) member.Of(merged) = member.Of(change);
  });
  if (change.keeps_state && !old.ended()) {
    merged.job.state = old.job.state;
    merged.end = old.end;
  }
  if (Has("array_task_ids")) merged.job.array_tasks = change.job.array_tasks;
  if (Has("site_factor")) merged.site_factor_answered = false;
  return merged;
}

}  // namespace priorityd::queue
