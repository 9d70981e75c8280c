#include "server/queue/state/job_fields.h"

#include <iterator>
#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

struct Field {
  absl::string_view name;
  void (*copy)(const TrackedJob& from, TrackedJob* to);
};

#define PRIORITYD_FIELD(name)                                                   \
  {                                                                             \
#name, [](const TrackedJob& from, TrackedJob* to) { to->name = from.name; } \
  }
#define PRIORITYD_JOB_FIELD(name)                                                       \
  {                                                                                     \
#name, [](const TrackedJob& from, TrackedJob* to) { to->job.name = from.job.name; } \
  }

void CopyState(const TrackedJob& from, TrackedJob* to) {
  if (from.keeps_state && !to->ended()) return;
  to->job.state = from.job.state;
  to->end = from.end;
}

void CopyReservation(const TrackedJob& from, TrackedJob* to) {
  to->reservation = from.reservation;
  to->job.has_reservation = from.job.has_reservation;
}

void CopyTaskIds(const TrackedJob& from, TrackedJob* to) {
  to->array_task_ids = from.array_task_ids;
  to->job.array_tasks = from.job.array_tasks;
}

constexpr Field kFields[] = {
    PRIORITYD_JOB_FIELD(user),
    PRIORITYD_JOB_FIELD(account),
    PRIORITYD_JOB_FIELD(partitions),
    PRIORITYD_JOB_FIELD(qos),
    {"state", CopyState},
    PRIORITYD_JOB_FIELD(eligible_time),
    PRIORITYD_JOB_FIELD(start_time),
    PRIORITYD_JOB_FIELD(hold),
    {"dependency_unmet",
     [](const TrackedJob& from, TrackedJob* to) {
       to->told_dependency_unmet = from.told_dependency_unmet;
     }},
    PRIORITYD_FIELD(dependency),
    PRIORITYD_JOB_FIELD(nodes),
    PRIORITYD_JOB_FIELD(cpus),
    PRIORITYD_JOB_FIELD(tres),
    PRIORITYD_JOB_FIELD(time_limit),
    PRIORITYD_JOB_FIELD(nice),
    {"site_factor",
     [](const TrackedJob& from, TrackedJob* to) {
       to->job.site_factor = from.job.site_factor;
       to->site_factor_answered = false;
     }},
    PRIORITYD_JOB_FIELD(admin_priority),
    PRIORITYD_JOB_FIELD(preemptor),
    {"reservation", CopyReservation},
    PRIORITYD_JOB_FIELD(array_tasks),
    PRIORITYD_FIELD(name),
    {"array_task_ids", CopyTaskIds},
    PRIORITYD_FIELD(array_job_id),
    PRIORITYD_FIELD(array_task_id),
};

#undef PRIORITYD_FIELD
#undef PRIORITYD_JOB_FIELD

constexpr size_t kCount = std::size(kFields);
static_assert(kCount <= 64);

std::optional<size_t> NumberOf(absl::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (kFields[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace

absl::Status JobFields::Add(absl::string_view name) {
  const std::optional<size_t> number = NumberOf(name);
  if (number.has_value()) {
    bits_ |= uint64_t{1} << *number;
    return absl::OkStatus();
  }
  std::string names;
  for (const Field& field : kFields) absl::StrAppend(&names, names.empty() ? "" : ", ", field.name);
  return absl::InvalidArgumentError(
      absl::StrCat("got \"", absl::CHexEscape(name.substr(0, 64)), "\", want one of ", names));
}

bool JobFields::Has(absl::string_view name) const {
  const std::optional<size_t> number = NumberOf(name);
  return number.has_value() && (bits_ >> *number & 1) != 0;
}

TrackedJob JobFields::Merge(const TrackedJob& old, const TrackedJob& change) const {
  TrackedJob merged = old;
  for (size_t i = 0; i < kCount; ++i) {
    if ((bits_ >> i & 1) != 0) kFields[i].copy(change, &merged);
  }
  return merged;
}

}  // namespace priorityd::queue
