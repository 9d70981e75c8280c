#include "engine/forecast/reference.h"

#include <algorithm>
#include <iterator>

#include "engine/forecast/job_class.h"
#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

std::vector<double> SortedAbove(double above, const std::deque<double>& waits) {
  std::vector<double> sorted;
  std::copy_if(waits.begin(), waits.end(), std::back_inserter(sorted),
               [&](double y) { return y > above; });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double PlainQuantile(const std::vector<double>& sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto before = static_cast<size_t>(place);
  const size_t after = std::min(before + 1, sorted.size() - 1);
  return sorted[before] + (place - static_cast<double>(before)) * (sorted[after] - sorted[before]);
}

}  // namespace

// Term by term: each is the one before times (count - i) / (i + 1) x odds. They are computed as
// logarithms, as the first ones can be too small for a double.
size_t UpperBoundRank(size_t count, double level, double confidence) {
  const double log_odds = Log(level) - Log(1 - level);
  double log_term = static_cast<double>(count) * Log(1 - level);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    if (log_term > -690) sum += Exp(log_term);
    if (sum >= confidence) return i + 1;
    log_term += Log(static_cast<double>(count - i)) - Log(static_cast<double>(i + 1)) + log_odds;
  }
  return count + 1;
}

void WaitTable::AddTo(Waits* waits, double y) {
  waits->push_back(y);
  if (waits->size() > kMostWaits) waits->pop_front();
}

void WaitTable::Add(const Job& job, double wait) {
  const double y = ToScale(wait);
  AddTo(&all_, y);
  const std::string name = ClassOf(job);
  if (classes_.size() < kMostClasses || classes_.contains(name)) AddTo(&classes_[name], y);
}

const WaitTable::Waits& WaitTable::WaitsFor(const Job& job) const {
  const auto found = classes_.find(ClassOf(job));
  return found == classes_.end() || found->second.size() < kFewestWaits ? all_ : found->second;
}

std::vector<double> WaitTable::Quantiles(const Job& job, absl::Span<const double> levels,
                                         double above) const {
  const std::vector<double> sorted = SortedAbove(above, WaitsFor(job));
  std::vector<double> quantiles;
  if (sorted.empty()) return quantiles;
  for (const double level : levels) quantiles.push_back(PlainQuantile(sorted, level));
  return quantiles;
}

size_t WaitTable::RankOf(size_t count, double level) const {
  const auto [place, is_new] = ranks_.try_emplace({count, level}, 0);
  if (is_new) place->second = UpperBoundRank(count, level, kConfidence);
  return place->second;
}

std::vector<double> WaitTable::Bounds(const Job& job, absl::Span<const double> levels,
                                      double above) const {
  const std::vector<double> sorted = SortedAbove(above, WaitsFor(job));
  std::vector<double> bounds;
  if (sorted.empty()) return bounds;
  const size_t count = sorted.size();
  for (const double level : levels) {
    if (level > .5) {
      bounds.push_back(sorted[std::min(RankOf(count, level), count) - 1]);
    } else if (level < .5) {
      // As from above, in the order from the greatest.
      bounds.push_back(sorted[count - std::min(RankOf(count, 1 - level), count)]);
    } else {
      bounds.push_back(PlainQuantile(sorted, level));
    }
  }
  return bounds;
}

void WaitTable::Clear() {
  classes_.clear();
  all_.clear();
}

}  // namespace priorityd::forecast
