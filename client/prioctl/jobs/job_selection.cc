#include "client/prioctl/jobs/job_selection.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs/job_text.h"

namespace priorityd::jobs {
namespace {

// Splits at commas outside brackets.
std::vector<std::string> Split(absl::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

absl::StatusOr<JobName> ParseOne(const std::string& text) {
  JobName name{.text = text, .id = text, .tasks = "", .job_name = "", .parsed_tasks = {}};
  for (const char* word : {"jobname=", "name="}) {
    if (!absl::StartsWithIgnoreCase(text, word)) continue;
    name.job_name = text.substr(std::string(word).size());
    name.id.clear();
    return name;
  }
  const size_t at = text.rfind('_');
  if (at == std::string::npos) return name;
  std::string tasks = text.substr(at + 1);
  const bool bracketed = tasks.size() > 2 && tasks.front() == '[' && tasks.back() == ']';
  if (bracketed) tasks = tasks.substr(1, tasks.size() - 2);
  const bool is_number =
      !tasks.empty() && tasks.find_first_not_of("0123456789") == std::string::npos;
  if (!bracketed && !is_number && tasks != "*" && !tasks.empty()) return name;
  name.id = text.substr(0, at);
  if (tasks == "*" || tasks.empty()) return name;
  if (const auto count = slurm::CountArrayTasks(tasks); !count.ok()) return count.status();
  name.tasks = tasks;
  name.parsed_tasks = slurm::ArrayTasks(tasks);
  return name;
}

// The tasks of the text that are wanted, ascending, the first `most` at most.
std::vector<uint32_t> FirstTasks(absl::string_view task_ids, size_t most,
                                 absl::FunctionRef<bool(uint32_t task)> is_wanted) {
  std::vector<uint32_t> tasks;
  slurm::ForEachArrayTask(task_ids, [&](uint32_t task) {
    if (tasks.size() < most && is_wanted(task)) tasks.push_back(task);
    return tasks.size() < most;
  });
  return tasks;
}

bool HasSlurmsForm(const std::string& id) {
  const size_t end = id.find_first_not_of("0123456789");
  return end > 0 && (end == std::string::npos || id[end] == '_' || id[end] == '+');
}

}  // namespace

bool JobName::MatchesAll(const ::priority::v1::Job& job) const {
  if (!job_name.empty()) return job.name() == job_name;
  if (job.job_id() == text) return true;
  return tasks.empty() && (job.job_id() == id || job.array_job_id() == id);
}

bool JobName::Matches(const ::priority::v1::Job& job) const {
  if (MatchesAll(job)) return true;
  if (!job_name.empty() || tasks.empty()) return false;
  if (job.array_job_id() == id && job.has_array_task_id()) {
    return parsed_tasks.Has(job.array_task_id());
  }
  if (job.job_id() != id || job.array_task_ids().empty()) return false;
  return !SelectedTasks({*this}, job, 1).empty();
}

void WarnOfUnlistedJobs(const std::vector<std::string>& typed,
                        absl::FunctionRef<bool(const std::string& id)> is_listed,
                        absl::string_view example, std::ostream& err) {
  for (const std::string& id : typed) {
    if (HasSlurmsForm(id) || is_listed(id)) continue;
    err << "warning: --jobs: got \"" << Visible(id)
        << "\", which no listed job has; want IDs such as " << example << '\n';
  }
}

std::vector<bool> NamedTasks(const std::vector<const JobName*>& names) {
  std::vector<bool> named(slurm::kMaxArrayTaskId + 1);
  for (const JobName* name : names) {
    slurm::ForEachArrayTask(name->tasks, [&](uint32_t task) {
      named[task] = true;
      return true;
    });
  }
  return named;
}

std::vector<uint32_t> SelectedTasks(const std::vector<JobName>& names,
                                    const ::priority::v1::Job& array, size_t most) {
  const auto matches_all = [&](const JobName& name) { return name.MatchesAll(array); };
  if (names.empty() || absl::c_any_of(names, matches_all)) {
    return FirstTasks(array.array_task_ids(), most, [](uint32_t) { return true; });
  }
  std::vector<const JobName*> of_array;
  for (const JobName& name : names) {
    if (name.id == array.job_id()) of_array.push_back(&name);
  }
  const std::vector<bool> named = NamedTasks(of_array);
  return FirstTasks(array.array_task_ids(), most, [&](uint32_t task) { return named[task]; });
}

std::string TasksWithout(absl::string_view task_ids,
                         absl::FunctionRef<bool(uint32_t task)> removed) {
  std::vector<std::pair<uint32_t, uint32_t>> ranges;  // Both ends included.
  slurm::ForEachArrayTask(task_ids, [&](uint32_t task) {
    if (removed(task)) return true;
    if (ranges.empty() || ranges.back().second + 1 != task) ranges.emplace_back(task, task);
    ranges.back().second = task;
    return true;
  });
  if (ranges.empty()) return "";
  const std::string kept =
      absl::StrJoin(ranges, ",", [](std::string* text, const std::pair<uint32_t, uint32_t>& range) {
        absl::StrAppend(text, range.first);
        if (range.second > range.first) absl::StrAppend(text, "-", range.second);
      });
  return absl::StrCat(kept, task_ids.substr(std::min(task_ids.find('%'), task_ids.size())));
}

absl::StatusOr<std::vector<JobName>> ParseJobNames(absl::string_view text) {
  std::vector<JobName> names;
  for (const std::string& part : Split(text)) {
    if (part.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("got \"", text, "\", want job ids joined by commas"));
    }
    absl::StatusOr<JobName> name = ParseOne(part);
    if (!name.ok()) return name.status();
    names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace priorityd::jobs
