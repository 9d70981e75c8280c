#include "client/slurm/start_values.h"

#include <algorithm>
#include <cstddef>

namespace priorityd::slurm_frontend {
namespace {

// Between two new values without bounds: room for later values in between.
constexpr int64_t kStep = 1 << 14;

// The longest selection of jobs whose values fall; their places in order.
std::vector<size_t> Falling(absl::Span<const std::optional<int64_t>> now, ValueRange range) {
  std::vector<size_t> last;  // of the selection of each length that ends highest
  std::vector<size_t> before(now.size());
  for (size_t i = 0; i < now.size(); ++i) {
    if (!now[i].has_value() || *now[i] <= range.lowest || *now[i] >= range.highest) continue;
    const auto place =
        std::partition_point(last.begin(), last.end(), [&](size_t j) { return *now[j] > *now[i]; });
    before[i] = place == last.begin() ? i : *(place - 1);
    if (place == last.end()) {
      last.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<size_t> selection(last.size());
  for (size_t n = last.size(), i = last.empty() ? 0 : last.back(); n-- > 0; i = before[i]) {
    selection[n] = i;
  }
  return selection;
}

// Values for `count` jobs between two fixed ones; empty = no room.
std::vector<int64_t> Between(int64_t above, int64_t below, size_t count, ValueRange range) {
  const auto parts = static_cast<int64_t>(count) + 1;
  std::vector<int64_t> values;
  if (above - below < parts) return values;
  int64_t step = (above - below) / parts;
  int64_t value = above;
  // At an open end only as far away as necessary.
  if (above == range.highest || below == range.lowest) step = std::min(step, kStep);
  if (above == range.highest) value = below + parts * step;
  for (size_t i = 0; i < count; ++i) values.push_back(value -= step);
  return values;
}

std::vector<int64_t> Fresh(size_t count, ValueRange range) {
  const int64_t step =
      std::min(kStep, (range.highest - range.lowest) / (static_cast<int64_t>(count) + 1));
  int64_t value = (range.highest + range.lowest) / 2 + static_cast<int64_t>(count) * step / 2;
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i) values.push_back(value -= step);
  return values;
}

}  // namespace

std::vector<int64_t> StartValues(absl::Span<const std::optional<int64_t>> now, ValueRange range) {
  const std::vector<size_t> kept = Falling(now, range);
  if (kept.empty()) return Fresh(now.size(), range);
  std::vector<int64_t> values;
  for (size_t n = 0; n <= kept.size(); ++n) {
    const size_t end = n < kept.size() ? kept[n] : now.size();
    const int64_t above = n == 0 ? range.highest : values.back();
    const int64_t below = n < kept.size() ? *now[end] : range.lowest;
    const size_t count = end - values.size();
    const std::vector<int64_t> between = Between(above, below, count, range);
    if (between.size() != count) return Fresh(now.size(), range);
    values.insert(values.end(), between.begin(), between.end());
    if (n < kept.size()) values.push_back(below);
  }
  return values;
}

}  // namespace priorityd::slurm_frontend
