#include "engine/slurm/words/array_task_ids.h"

#include <algorithm>
#include <bit>
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

// Ranges each of which begins before one of those before it has ended; or one alone.
struct Overlap {
  absl::Span<const Range> ranges;  // Ascending by their first tasks.
  uint32_t last = 0;

  uint32_t first() const { return ranges.front().first; }
  bool is_alone() const { return ranges.size() == 1; }
  // Whether it is all tasks from the first to the last one.
  bool is_whole() const {
    return std::all_of(ranges.begin(), ranges.end(), [](const Range& r) { return r.step == 1; });
  }
  // Its tasks, those of several ranges several times.
  uint64_t named() const {
    uint64_t tasks = 0;
    for (const Range& range : ranges) tasks += range.tasks();
    return tasks;
  }
};

// Takes the first overlap of ascending ranges.
Overlap TakeOverlap(absl::Span<const Range>* ranges) {
  size_t end = 1;
  uint32_t last = ranges->front().last;
  for (; end < ranges->size() && (*ranges)[end].first <= last; ++end) {
    last = std::max(last, (*ranges)[end].last);
  }
  const Overlap overlap{ranges->first(end), last};
  ranges->remove_prefix(end);
  return overlap;
}

// The tasks of an overlap, a bit for each from the first one on.
class Marks {
 public:
  explicit Marks(const Overlap& overlap)
      : first_(overlap.first()), words_((overlap.last - overlap.first()) / 64 + 1) {
    for (const Range& range : overlap.ranges) {
      for (uint64_t id = range.first; id <= range.last; id += range.step) {
        words_[(id - first_) / 64] |= uint64_t{1} << (id - first_) % 64;
      }
    }
  }

  bool Has(uint32_t task) const { return words_[(task - first_) / 64] >> (task - first_) % 64 & 1; }
  uint64_t count() const {
    uint64_t count = 0;
    for (const uint64_t word : words_) count += std::popcount(word);
    return count;
  }

 private:
  const uint32_t first_;
  std::vector<uint64_t> words_;
};

// nullopt if they are too many to count one by one.
std::optional<uint64_t> CountTasks(absl::Span<const Range> ranges) {
  uint64_t tasks = 0, one_by_one = 0;
  while (!ranges.empty()) {
    const Overlap overlap = TakeOverlap(&ranges);
    if (overlap.is_alone()) {
      tasks += overlap.named();
    } else if (overlap.is_whole()) {
      tasks += overlap.last - overlap.first() + 1;
    } else {
      one_by_one += overlap.named();
      if (one_by_one > kMaxOverlapping) return std::nullopt;
      tasks += Marks(overlap).count();
    }
  }
  return tasks;
}

bool TakeEach(const Range& range, absl::FunctionRef<bool(uint32_t task)> take) {
  for (uint64_t id = range.first; id <= range.last; id += range.step) {
    if (!take(static_cast<uint32_t>(id))) return false;
  }
  return true;
}

bool TakeMarked(const Overlap& overlap, absl::FunctionRef<bool(uint32_t task)> take) {
  const Marks marks(overlap);
  for (uint32_t id = overlap.first(); id <= overlap.last; ++id) {
    if (marks.Has(id) && !take(id)) return false;
  }
  return true;
}

// Ascending by their first tasks; nullopt if one is no range. `text` is without a limit.
std::optional<std::vector<Range>> ParseRanges(absl::string_view text) {
  std::vector<Range> ranges;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<Range> range = ParseRange(part);
    if (!range.has_value()) return std::nullopt;
    ranges.push_back(*range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  return ranges;
}

}  // namespace

absl::StatusOr<uint32_t> CountArrayTasks(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> limited =
      absl::StrSplit(text, absl::MaxSplits('%', 1));
  const bool has_limit = limited.first.size() < text.size();
  if (has_limit && ReadInteger(limited.second, kMaxRunning).value_or(0) == 0) return Error(text);
  if (text.size() > kMaxText) return Error(text);
  const std::optional<std::vector<Range>> ranges = ParseRanges(limited.first);
  if (!ranges.has_value()) return Error(text);
  const std::optional<uint64_t> tasks = CountTasks(*ranges);
  if (tasks.has_value()) return static_cast<uint32_t>(*tasks);
  return absl::InvalidArgumentError(
      "got ranges with steps that overlap in more than 100000 tasks, want each task once");
}

void ForEachArrayTask(absl::string_view text, absl::FunctionRef<bool(uint32_t task)> take) {
  const auto ranges = ParseRanges(text.substr(0, text.find('%')));
  if (!ranges.has_value()) return;
  absl::Span<const Range> rest = *ranges;
  bool continues = true;
  while (continues && !rest.empty()) {
    const Overlap overlap = TakeOverlap(&rest);
    if (overlap.is_alone()) {
      continues = TakeEach(overlap.ranges.front(), take);
    } else if (overlap.is_whole()) {
      continues = TakeEach({overlap.first(), overlap.last}, take);
    } else {
      continues = TakeMarked(overlap, take);
    }
  }
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

ArrayTasks::ArrayTasks(absl::string_view text) {
  const auto ranges = ParseRanges(text.substr(0, text.find('%')));
  if (!ranges.has_value()) return;
  for (const auto& range : *ranges) ranges_.push_back({range.first, range.last, range.step});
}

bool ArrayTasks::Has(uint32_t task) const {
  for (const Range& range : ranges_) {
    if (range.first > task) return false;
    if (task <= range.last && (task - range.first) % range.step == 0) return true;
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
