#include "server/queue/replication/job_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace priorityd::queue {
namespace {

constexpr std::pair<priority::JobState, const char*> kStates[] = {
    {priority::JobState::kPending, "PENDING"},
    {priority::JobState::kRunning, "RUNNING"},
    {priority::JobState::kSuspended, "SUSPENDED"},
};
constexpr std::pair<JobEnd, const char*> kEnds[] = {
    {JobEnd::kNone, ""},
    {JobEnd::kCompleted, "COMPLETED"},
    {JobEnd::kFailed, "FAILED"},
    {JobEnd::kTimeout, "TIMEOUT"},
    {JobEnd::kCancelled, "CANCELLED"},
    {JobEnd::kPreempted, "PREEMPTED"},
    {JobEnd::kNodeFail, "NODE_FAIL"},
};
constexpr std::pair<priority::Hold, const char*> kHolds[] = {
    {priority::Hold::kNone, ""},
    {priority::Hold::kUser, "USER"},
    {priority::Hold::kAdmin, "ADMIN"},
};

template <typename Enum, size_t size>
const char* WordOf(const std::pair<Enum, const char*> (&words)[size], Enum value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return words[0].second;
}

template <typename Enum, size_t size>
Enum ValueOf(const std::pair<Enum, const char*> (&words)[size], const std::string& text) {
  for (const auto& [known, word] : words) {
    if (text == word) return known;
  }
  return words[0].first;
}

template <typename To, typename From>
std::optional<To> Cast(const std::optional<From>& value) {
  if (!value.has_value()) return std::nullopt;
  return static_cast<To>(*value);
}

template <typename Views>
std::vector<std::string> Texts(const Views& views) {
  return {views.begin(), views.end()};
}

}  // namespace

storage::Job ToRow(const TrackedJob& tracked) {
  const priority::Job& job = tracked.job;
  storage::Job row;
  row.job_id = std::string(job.job_id);
  row.source = std::string(tracked.source);
  row.name = std::string(tracked.name);
  row.user_name = std::string(job.user);
  row.account = std::string(job.account);
  row.partitions = Texts(job.partitions);
  row.qos = Texts(job.qos);
  row.state = WordOf(kStates, job.state);
  row.ended_as = WordOf(kEnds, tracked.end);
  row.end_time = tracked.end_time;
  row.hold = WordOf(kHolds, job.hold);
  row.dependency = std::string(tracked.dependency);
  row.told_dependency_unmet = tracked.told_dependency_unmet;
  row.dependency_unmet = job.dependency_unmet;
  row.submit_time = *job.submit_time;
  row.eligible_time = job.eligible_time;
  row.start_time = job.start_time;
  row.accrue_time = *job.accrue_time;
  row.accrual_stopped = job.accrual_stopped;
  row.nodes = job.nodes;
  row.cpus = job.cpus;
  for (const auto& [name, count] : job.tres) row.tres.push_back({std::string(name), count});
  if (job.time_limit.has_value()) row.time_limit_us = absl::ToInt64Microseconds(*job.time_limit);
  row.nice = job.nice;
  row.site_factor = job.site_factor;
  row.admin_priority = Cast<int64_t>(job.admin_priority);
  row.previous_priority = Cast<int64_t>(job.previous_priority);
  for (const priority::PairPriority& pair : job.pair_priorities) {
    row.pair_partitions.push_back(std::string(pair.partition));
    row.pair_qos.push_back(std::string(pair.qos));
    row.pair_priorities.push_back(pair.priority);
  }
  row.preemptor = job.preemptor;
  row.reservation = std::string(tracked.reservation);
  row.array_tasks = job.array_tasks;
  row.array_task_ids = std::string(tracked.array_task_ids);
  row.array_job_id = std::string(tracked.array_job_id);
  row.array_task_id = Cast<int64_t>(tracked.array_task_id);
  row.array_limited = job.array_limited;
  row.dependency_never = job.dependency_never;
  row.dependency_until = job.dependency_until;
  row.site_factor_answered = tracked.site_factor_answered;
  return row;
}

TrackedJob ToTracked(const storage::Job& row) {
  TrackedJob tracked;
  priority::Job& job = tracked.job;
  job.job_id = row.job_id;
  tracked.source = row.source;
  tracked.name = row.name;
  job.user = row.user_name;
  job.account = row.account;
  job.partitions.assign(row.partitions.begin(), row.partitions.end());
  job.qos.assign(row.qos.begin(), row.qos.end());
  job.state = ValueOf(kStates, row.state);
  tracked.end = ValueOf(kEnds, row.ended_as);
  tracked.end_time = row.end_time;
  job.hold = ValueOf(kHolds, row.hold);
  tracked.dependency = row.dependency;
  tracked.told_dependency_unmet = row.told_dependency_unmet;
  job.dependency_unmet = row.dependency_unmet;
  job.submit_time = row.submit_time;
  job.eligible_time = row.eligible_time;
  job.start_time = row.start_time;
  job.accrue_time = row.accrue_time;
  job.accrual_stopped = row.accrual_stopped;
  job.nodes = static_cast<uint32_t>(row.nodes);
  job.cpus = row.cpus;
  for (const storage::NamedAmount& tres : row.tres) job.tres.emplace_back(tres.name, tres.amount);
  if (row.time_limit_us.has_value()) job.time_limit = absl::Microseconds(*row.time_limit_us);
  job.nice = static_cast<int32_t>(row.nice);
  job.site_factor = row.site_factor;
  job.admin_priority = Cast<uint32_t>(row.admin_priority);
  job.previous_priority = Cast<uint32_t>(row.previous_priority);
  for (size_t i = 0; i < row.pair_priorities.size(); ++i) {
    job.pair_priorities.push_back(
        {row.pair_partitions[i], row.pair_qos[i], static_cast<uint32_t>(row.pair_priorities[i])});
  }
  job.preemptor = row.preemptor;
  tracked.reservation = row.reservation;
  job.has_reservation = !row.reservation.empty();
  job.array_tasks = static_cast<uint32_t>(row.array_tasks);
  tracked.array_task_ids = row.array_task_ids;
  tracked.array_job_id = row.array_job_id;
  tracked.array_task_id = Cast<uint32_t>(row.array_task_id);
  job.array_limited = row.array_limited;
  job.dependency_never = row.dependency_never;
  job.dependency_until = row.dependency_until;
  tracked.site_factor_answered = row.site_factor_answered;
  return tracked;
}

}  // namespace priorityd::queue
