#include "server/queue/state/job_progress.h"

#include <algorithm>

#include "absl/strings/numbers.h"

namespace priorityd::queue {

std::optional<std::pair<absl::string_view, uint32_t>> NamedTask(absl::string_view job_id) {
  const size_t at = job_id.rfind('_');
  uint32_t task = 0;
  if (at == absl::string_view::npos || at == 0) return std::nullopt;
  if (!absl::SimpleAtoi(job_id.substr(at + 1), &task)) return std::nullopt;
  return std::make_pair(job_id.substr(0, at), task);
}

void Progress::Add(const TrackedJob& job) {
  const bool well = job.end == JobEnd::kCompleted;
  const bool has_started = job.ended() || job.job.state != priority::JobState::kPending;
  const auto at = job.job.start_time.has_value() ? job.job.start_time : job.ended_at;
  known = true;
  started = started && has_started;
  ended = ended && job.ended();
  ended_well = ended_well && well;
  any_ended_well = any_ended_well || well;
  if (at.has_value() && started_at.has_value()) started_at = std::max(*started_at, *at);
  if (!at.has_value()) started_at.reset();
}

NamedJob JobProgress::Of(absl::string_view job_id) {
  if (const auto found = named_.find(job_id); found != named_.end()) return found->second;
  if (named_.size() == kMostIds) named_.clear();
  return named_[job_id] = Read(job_id);
}

NamedJob JobProgress::Read(absl::string_view job_id) {
  NamedJob named;
  const std::optional<TrackedJob> job = jobs_.Find(job_id);
  if (job.has_value()) named.progress.Add(*job);
  named.is_array = job.has_value() && !job->array_task_ids.empty();
  jobs_.ForEachTask(job_id, [&](const TrackedJob& task) {
    named.progress.Add(task);
    named.is_array = true;
  });
  if (named.progress.known) return named;
  if (const auto task = NamedTask(job_id)) named.progress = OfTask(task->first, task->second);
  return named;
}

Progress JobProgress::OfTask(absl::string_view array_job_id, uint32_t number) {
  const ByTask& array = ReadTasks(array_job_id);
  const auto split_off = array.split_off.find(number);
  if (split_off != array.split_off.end()) return split_off->second;
  return array.rest_tasks.Has(number) ? array.rest : Progress();
}

const JobProgress::ByTask& JobProgress::ReadTasks(absl::string_view array_job_id) {
  if (arrays_.size() == kMostArrays && !arrays_.contains(array_job_id)) arrays_.clear();
  const auto [place, is_new] = arrays_.try_emplace(array_job_id);
  ByTask& array = place->second;
  if (!is_new) return array;
  jobs_.ForEachTask(array_job_id, [&](const TrackedJob& task) {
    if (task.array_task_id.has_value()) array.split_off[*task.array_task_id].Add(task);
  });
  const std::optional<TrackedJob> rest = jobs_.Find(array_job_id);
  if (!rest.has_value() || rest->array_task_ids.empty()) return array;
  array.rest.Add(*rest);
  array.rest_tasks = slurm::ArrayTasks(rest->array_task_ids);
  return array;
}

}  // namespace priorityd::queue
