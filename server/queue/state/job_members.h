// The one list of a job's fields: packing, rows, rights, update masks and messages come from it.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_MEMBERS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_MEMBERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The changes of a field that a user may make. Frontends and operators set every field except those
// of kService.
enum class FieldClass : uint8_t {
  kName,         // Identifies the job; never changes.
  kOwner,        // Any value.
  kLowersOnly,   // A lower value; unset means the default.
  kRaisesOnly,   // A higher value.
  kNotNegative,  // A higher value, or a non-negative one.
  kLaterOnly,    // No time before the submission.
  kUserHold,     // Everything except an administrator's hold.
  kCancels,      // Cancellation only.
  kFrontend,     // None: set by frontends and operators.
  kService,      // None: set by the service, which ignores sent values.
};

// A user's relation to a job. An ended job counts as running.
enum class UserStanding : uint8_t {
  kNew,                 // Their own, not in the queue yet.
  kPending,             // Their own.
  kRunning,             // Their own.
  kCoordinated,         // Another user's, in an account that the user coordinates.
  kCoordinatedRunning,  // The same, running.
};
inline constexpr size_t kStandings = 5;

using FieldClasses = std::array<FieldClass, kStandings>;  // By UserStanding.

constexpr FieldClasses Always(FieldClass field_class) {
  return {field_class, field_class, field_class, field_class, field_class};
}
// `field_class` for the user's own job until it starts; afterwards, and for other users' jobs, the
// frontend's.
constexpr FieldClasses Own(FieldClass field_class) {
  return {field_class, field_class, FieldClass::kFrontend, FieldClass::kFrontend,
          FieldClass::kFrontend};
}

// F(MEMBER, the field of v1.Job, the column of table job, its classes). A field without a column
// belongs to requests only; the queue forgets it. Members of a type with several columns
// (server/queue/replication/job_rows.cc) name the first. FIRST is F, or F without its separator.
// clang-format off
#define PRIORITYD_JOB_MEMBERS(FIRST, F)                                                          \
  FIRST(job_id, job_id, job_id, Always(kName))                                                   \
  F(user, user, user_name, Always(kName))                                                        \
  F(account, account, account, Own(kOwner))                                                      \
  F(partitions, partitions, partitions, Own(kOwner))                                             \
  F(qos, qos, qos, Own(kOwner))                                                                  \
  F(state, state, state, Always(kFrontend))                                                      \
  F(submit_time, submit_time, submit_time,                                                       \
    {kLaterOnly, kRaisesOnly, kFrontend, kFrontend, kFrontend})                                  \
  F(eligible_time, eligible_time, eligible_time, Own(kLaterOnly))                                \
  F(accrue_time, accrue_time, accrue_time,                                                       \
    {kLaterOnly, kService, kService, kService, kService})                                        \
  F(accrual_stopped, none, accrual_stopped, Always(kService))                                    \
  F(start_time, start_time, start_time, Always(kFrontend))                                       \
  F(hold, hold, hold, {kUserHold, kUserHold, kFrontend, kUserHold, kFrontend})                   \
  F(dependency_unmet, dependency_unmet, dependency_unmet, Always(kService))                      \
  F(dependency_never, none, dependency_never, Always(kService))                                  \
  F(dependency_until, none, dependency_until, Always(kService))                                  \
  F(array_limited, none, array_limited, Always(kService))                                        \
  F(nodes, nodes, nodes, Own(kOwner))                                                            \
  F(cpus, cpus, cpus, Own(kOwner))                                                               \
  F(tres, tres, tres_names, Own(kOwner))                                                         \
  F(time_limit, time_limit, time_limit_us, {kOwner, kOwner, kLowersOnly, kFrontend, kFrontend})  \
  F(nice, nice, nice, {kNotNegative, kNotNegative, kRaisesOnly, kNotNegative, kRaisesOnly})      \
  F(site_factor, site_factor, site_factor, Own(kLowersOnly))                                     \
  F(admin_priority, admin_priority, admin_priority, Always(kFrontend))                           \
  F(previous_priority, previous_priority, previous_priority,                                     \
    {kFrontend, kService, kService, kService, kService})                                         \
  F(pair_priorities, none, pair_partitions, Always(kService))                                    \
  F(preemptor, preemptor, preemptor, Own(kLowersOnly))                                           \
  F(requeue, requeue, requeue, Own(kOwner))                                                      \
  F(interactive, interactive, interactive, Own(kOwner))                                          \
  F(node_list, node_list, node_list, Always(kFrontend))                                          \
  F(reservation, reservation, reservation, Always(kFrontend))                                    \
  F(array_tasks, array_tasks, array_tasks, Own(kOwner))                                          \
  F(violation, none, none, Always(kService))

// The members of TrackedJob except the job. The array of a task determines for which limits and
// dependencies it counts.
#define PRIORITYD_TRACKED_MEMBERS(F)                                                             \
  F(source, none, source, Always(kService))                                                      \
  F(name, name, name, Own(kOwner))                                                               \
  F(dependency, dependency, dependency, Own(kOwner))                                             \
  F(array_task_ids, array_task_ids, array_task_ids, Own(kOwner))                                 \
  F(array_job_id, array_job_id, array_job_id, Always(kFrontend))                                 \
  F(array_task_id, array_task_id, array_task_id, Always(kFrontend))                              \
  F(unmet_dependency, none, unmet_dependency, Always(kService))                                  \
  F(told_dependency_unmet, dependency_unmet, told_dependency_unmet, Always(kFrontend))           \
  F(keeps_state, none, none, Always(kService))                                                   \
  F(site_factor_answered, none, site_factor_answered, Always(kService))                          \
  F(end, state, ended_as, {kCancels, kCancels, kFrontend, kCancels, kFrontend})                  \
  F(ended_at, none, end_time, Always(kService))                                                  \
  F(end_time, end_time, reported_end_time, Always(kFrontend))                                    \
  F(exit_code, exit_code, exit_code, Always(kFrontend))                                          \
  F(exit_signal, exit_signal, exit_signal, Always(kFrontend))
// clang-format on

// A member without a row does not compile, as a structured binding names every member: "2 names
// provided for structured binding, while 'priorityd::priority::Job' decomposes into 3 elements".
#define PRIORITYD_NAME(member, ...) member
#define PRIORITYD_NEXT_NAME(member, ...) , member
inline void EveryMemberHasARow(const priority::Job& job) {
  [[maybe_unused]] const auto& [PRIORITYD_JOB_MEMBERS(PRIORITYD_NAME, PRIORITYD_NEXT_NAME)] = job;
}
inline void EveryMemberHasARow(const TrackedJob& tracked) {
  [[maybe_unused]] const auto& [job PRIORITYD_TRACKED_MEMBERS(PRIORITYD_NEXT_NAME)] = tracked;
}
#undef PRIORITYD_NEXT_NAME
#undef PRIORITYD_NAME

// The types of members with several values.
using JobNames = decltype(priority::Job::partitions);
using JobTres = decltype(priority::Job::tres);
using JobPairs = decltype(priority::Job::pair_priorities);

// A row of the list.
template <auto... kPath>
struct JobMember {
  absl::string_view field;  // Of v1.Job; empty = none.
  const char* column;       // Of table job; null = none.
  FieldClasses classes;

  template <typename Tracked>
  static auto& Of(Tracked& tracked) {
    return (tracked.*....*kPath);
  }
};

constexpr auto MakeJobMembers() {
  using enum FieldClass;
  constexpr auto name = [](const char* text) {
    return absl::string_view(text) == "none" ? nullptr : text;
  };
#define PRIORITYD_JOB_ROW(member, field, column, ...) \
  JobMember<&TrackedJob::job, &priority::Job::member>{name(#field), name(#column), __VA_ARGS__},
#define PRIORITYD_TRACKED_ROW(member, field, column, ...) \
  JobMember<&TrackedJob::member>{name(#field), name(#column), __VA_ARGS__},
  return std::tuple{PRIORITYD_JOB_MEMBERS(PRIORITYD_JOB_ROW, PRIORITYD_JOB_ROW)
                        PRIORITYD_TRACKED_MEMBERS(PRIORITYD_TRACKED_ROW)};
#undef PRIORITYD_TRACKED_ROW
#undef PRIORITYD_JOB_ROW
}
inline constexpr auto kJobMembers = MakeJobMembers();
static_assert(std::tuple_size_v<decltype(kJobMembers)> <= 64,
              "sets of members are bits of a uint64_t");

// Calls visit(JobMember, its number from 0) for each row.
template <typename Visit>
void ForEachJobMember(const Visit& visit) {
  std::apply(
      [&visit](const auto&... member) {
        size_t number = 0;
        (visit(member, number++), ...);
      },
      kJobMembers);
}

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_MEMBERS_H_
