#include "engine/plan/step_profile.h"

#include <algorithm>
#include <cstddef>

namespace priorityd::plan {

size_t StepProfile::StepAt(absl::Time time) const {
  if (from_.size() == 1 || time < from_[1]) return 0;
  return static_cast<size_t>(std::upper_bound(from_.begin(), from_.end(), time) - from_.begin()) -
         1;
}

absl::Time StepProfile::EndOf(size_t step) const {
  return step + 1 < from_.size() ? from_[step + 1] : absl::InfiniteFuture();
}

StepProfile::Rise StepProfile::RiseAt(size_t step) const {
  size_t falls = step + 1;
  while (falls < from_.size() && !FallsAt(falls)) ++falls;
  const bool has_fall = falls < from_.size();
  return {from_[step], free_[step], has_fall ? from_[falls] : absl::InfiniteFuture(),
          free_[has_fall ? falls : step]};
}

std::optional<StepProfile::Window> StepProfile::NextWindow(absl::Time from, absl::Duration duration,
                                                           const Amounts& need, absl::Time latest,
                                                           absl::Time closes) const {
  for (size_t step = StepAt(from); step < from_.size(); ++step) {
    if (from_[step] > latest) return std::nullopt;
    if (!Fits(need, free_[step])) continue;
    const absl::Time first = std::max(from, from_[step]);
    while (step + 1 < from_.size() && from_[step + 1] < closes && Fits(need, free_[step + 1])) {
      ++step;
    }
    const absl::Time end = EndOf(step);
    if (end >= closes) return Window{first, absl::InfiniteFuture()};
    if (first + duration <= end) return Window{first, end - duration};
  }
  return std::nullopt;
}

std::optional<absl::Time> StepProfile::WindowThatOpensAt(absl::Time time, absl::Duration duration,
                                                         const Amounts& need,
                                                         absl::Time closes) const {
  const size_t step = StepAt(time);
  if (step > 0 && Fits(need, free_[step - 1])) return std::nullopt;
  const auto window = NextWindow(time, duration, need, time, closes);
  if (!window.has_value()) return std::nullopt;
  return window->last;
}

void StepProfile::Reserve(absl::Time from, absl::Time until, const Amounts& amounts) {
  ForEachStep(from, until, [&](Amounts* free) { Subtract(amounts, free); });
}

void StepProfile::Release(absl::Time from, absl::Time until, const Amounts& amounts) {
  ForEachStep(from, until, [&](Amounts* free) { Add(amounts, free); });
}

template <typename Change>
void StepProfile::ForEachStep(absl::Time from, absl::Time until, Change change) {
  if (from >= until) return;
  const size_t begin = SplitAt(from);
  const size_t end = until == absl::InfiniteFuture() ? from_.size() : SplitAt(until);
  for (size_t step = begin; step < end; ++step) change(&free_[step]);
  Merge(end);
  Merge(begin);
}

size_t StepProfile::SplitAt(absl::Time time) {
  const size_t step = StepAt(time);
  if (from_[step] == time) return step;
  const auto place = static_cast<std::ptrdiff_t>(step) + 1;
  const Amounts free = free_[step];
  from_.insert(from_.begin() + place, time);
  free_.insert(free_.begin() + place, free);
  return step + 1;
}

void StepProfile::Merge(size_t step) {
  if (step == 0 || step == from_.size() || free_[step] != free_[step - 1]) return;
  from_.erase(from_.begin() + static_cast<std::ptrdiff_t>(step));
  free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(step));
}

}  // namespace priorityd::plan
