#include "engine/slurm/words/array_task_ids.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

constexpr size_t kMaxText = 64 << 10;
constexpr uint64_t kMaxRunning = 4294967295;
// The largest number of tasks that are counted one by one for one array.
constexpr uint64_t kMaxOverlapping = 100'000;

struct Range {
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t step = 1;

  uint32_t tasks() const { return (last - first) / step + 1; }
};

std::optional<Range> ParseRange(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> stepped =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(stepped.first, absl::MaxSplits('-', 1));
  const bool is_range = ends.first.size() < stepped.first.size();
  const bool has_step = stepped.first.size() < text.size();
  const auto first = ReadInteger(ends.first, kMaxArrayTaskId);
  const auto last = is_range ? ReadInteger(ends.second, kMaxArrayTaskId) : first;
  const auto step = has_step ? ReadInteger(stepped.second, kMaxArrayTaskId) : 1;
  if (!first.has_value() || !last.has_value() || *last < *first) return std::nullopt;
  if (step.value_or(0) == 0 || (has_step && !is_range)) return std::nullopt;
  return Range{static_cast<uint32_t>(*first), static_cast<uint32_t>(*last),
               static_cast<uint32_t>(*step)};
}

absl::Status Error(absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat(
      "got ", Quoted(got), ", want task ids from 0 to 4000000 such as 0-15:4,20 or 1-100%5"));
}

// The tasks of ranges that overlap; nullopt if they are too many to count one by one.
std::optional<uint64_t> CountOverlapping(absl::Span<const Range> ranges, uint32_t last) {
  const uint32_t first = ranges.front().first;
  if (std::all_of(ranges.begin(), ranges.end(), [](const Range& r) { return r.step == 1; })) {
    return last - first + 1;
  }
  uint64_t one_by_one = 0;
  for (const Range& range : ranges) one_by_one += range.tasks();
  if (one_by_one > kMaxOverlapping) return std::nullopt;
  std::vector<uint32_t> tasks;
  tasks.reserve(one_by_one);
  for (const Range& range : ranges) {
    for (uint64_t id = range.first; id <= range.last; id += range.step) {
      tasks.push_back(static_cast<uint32_t>(id));
    }
  }
  std::sort(tasks.begin(), tasks.end());
  return std::unique(tasks.begin(), tasks.end()) - tasks.begin();
}

std::optional<uint64_t> CountTasks(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  uint64_t tasks = 0;
  for (size_t begin = 0, end = 0; begin < ranges.size(); begin = end) {
    uint32_t last = ranges[begin].last;
    for (++end; end < ranges.size() && ranges[end].first <= last; ++end) {
      last = std::max(last, ranges[end].last);
    }
    const auto counted =
        end - begin == 1
            ? ranges[begin].tasks()
            : CountOverlapping(absl::MakeConstSpan(ranges).subspan(begin, end - begin), last);
    if (!counted.has_value()) return std::nullopt;
    tasks += *counted;
  }
  return tasks;
}

}  // namespace

absl::StatusOr<uint32_t> CountArrayTasks(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> limited =
      absl::StrSplit(text, absl::MaxSplits('%', 1));
  const bool has_limit = limited.first.size() < text.size();
  if (has_limit && ReadInteger(limited.second, kMaxRunning).value_or(0) == 0) return Error(text);
  if (text.size() > kMaxText) return Error(text);
  std::vector<Range> ranges;
  for (const absl::string_view part : absl::StrSplit(limited.first, ',')) {
    const std::optional<Range> range = ParseRange(part);
    if (!range.has_value()) return Error(text);
    ranges.push_back(*range);
  }
  const std::optional<uint64_t> tasks = CountTasks(std::move(ranges));
  if (tasks.has_value()) return static_cast<uint32_t>(*tasks);
  return absl::InvalidArgumentError(
      "got ranges with steps that overlap in more than 100000 tasks, want each task once");
}

uint32_t LastArrayTask(absl::string_view text) {
  uint32_t last = 0;
  for (const absl::string_view part : absl::StrSplit(text.substr(0, text.find('%')), ',')) {
    const std::optional<Range> range = ParseRange(part);
    if (!range.has_value()) continue;
    last = std::max(last, range->first + (range->last - range->first) / range->step * range->step);
  }
  return last;
}

bool HasArrayTask(absl::string_view text, uint32_t task) {
  text = text.substr(0, text.find('%'));
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<Range> range = ParseRange(part);
    if (!range.has_value() || task < range->first || task > range->last) continue;
    if ((task - range->first) % range->step == 0) return true;
  }
  return false;
}

std::optional<uint32_t> ArrayTaskLimit(absl::string_view text) {
  const size_t percent = text.find('%');
  if (percent == absl::string_view::npos) return std::nullopt;
  const auto limit = ReadInteger(text.substr(percent + 1), kMaxRunning);
  if (!limit.has_value()) return std::nullopt;
  return static_cast<uint32_t>(*limit);
}

}  // namespace priorityd::slurm
