#include "client/prioctl/jobs/job_selection.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/slurm/words/array_task_ids.h"

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
  JobName name{.text = text, .id = text, .tasks = "", .job_name = ""};
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
  return name;
}

// Calls `take` with each task of the text until it returns false.
void ForEachTask(absl::string_view task_ids, absl::FunctionRef<bool(uint32_t task)> take) {
  for (absl::string_view part : absl::StrSplit(task_ids.substr(0, task_ids.find('%')), ',')) {
    const std::pair<absl::string_view, absl::string_view> stepped =
        absl::StrSplit(part, absl::MaxSplits(':', 1));
    const std::vector<absl::string_view> ends = absl::StrSplit(stepped.first, '-');
    uint32_t first = 0, last = 0, step = 1;
    if (!absl::SimpleAtoi(ends.front(), &first) || !absl::SimpleAtoi(ends.back(), &last)) continue;
    if (!stepped.second.empty() && !absl::SimpleAtoi(stepped.second, &step)) continue;
    for (uint64_t task = first; task <= last; task += std::max(1u, step)) {
      if (!take(static_cast<uint32_t>(task))) return;
    }
  }
}

// The tasks of the text that are wanted, each once, the first `most` at most.
std::set<uint32_t> FirstTasks(absl::string_view task_ids, size_t most,
                              absl::FunctionRef<bool(uint32_t task)> is_wanted) {
  std::set<uint32_t> tasks;
  ForEachTask(task_ids, [&](uint32_t task) {
    if (is_wanted(task)) tasks.insert(task);
    return tasks.size() < most;
  });
  return tasks;
}

// Those of the name that the array's rest has. Each text is read once.
std::set<uint32_t> TasksOf(const JobName& name, const ::priority::v1::Job& array, size_t most) {
  std::vector<bool> named(slurm::kMaxArrayTaskId + 1);
  ForEachTask(name.tasks, [&](uint32_t task) {
    if (task < named.size()) named[task] = true;
    return true;
  });
  return FirstTasks(array.array_task_ids(), most,
                    [&](uint32_t task) { return task < named.size() && named[task]; });
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
    return slurm::HasArrayTask(tasks, job.array_task_id());
  }
  if (job.job_id() != id || job.array_task_ids().empty()) return false;
  return !TasksOf(*this, job, 1).empty();
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

std::vector<uint32_t> TasksIn(absl::string_view task_ids, size_t most) {
  const std::set<uint32_t> tasks = FirstTasks(task_ids, most, [](uint32_t) { return true; });
  return {tasks.begin(), tasks.end()};
}

std::vector<uint32_t> SelectedTasks(const std::vector<JobName>& names,
                                    const ::priority::v1::Job& array, size_t most) {
  const auto matches_all = [&](const JobName& name) { return name.MatchesAll(array); };
  if (names.empty() || absl::c_any_of(names, matches_all)) {
    return TasksIn(array.array_task_ids(), most);
  }
  std::set<uint32_t> tasks;
  for (const JobName& name : names) {
    if (name.id == array.job_id()) tasks.merge(TasksOf(name, array, most));
  }
  std::vector<uint32_t> selected(tasks.begin(), tasks.end());
  if (selected.size() > most) selected.resize(most);
  return selected;
}

std::string TasksWithout(absl::string_view task_ids,
                         absl::FunctionRef<bool(uint32_t task)> removed) {
  std::vector<std::pair<uint32_t, uint32_t>> ranges;  // Both ends included.
  for (const uint32_t task : TasksIn(task_ids, slurm::kMaxArrayTaskId + 1)) {
    if (removed(task)) continue;
    if (ranges.empty() || ranges.back().second + 1 != task) ranges.emplace_back(task, task);
    ranges.back().second = task;
  }
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
