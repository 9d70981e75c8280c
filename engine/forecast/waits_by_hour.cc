#include "engine/forecast/waits_by_hour.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace priorityd::forecast {
namespace {

struct Wait {
  double seconds;
  bool is_censored;

  // A start comes before what was only seen up to the same time.
  bool operator<(const Wait& other) const {
    return std::tie(seconds, is_censored) < std::tie(other.seconds, other.is_censored);
  }
};

// The least time by which so many have started; unset if the estimate ends before. `sorted`:
// ascending.
std::optional<double> QuantileOf(const std::vector<Wait>& sorted, double level) {
  // A whole number of equal steps must reach its level in spite of rounding.
  constexpr double kTolerance = 1e-12;
  double waiting = 1;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].is_censored) continue;
    const auto at_risk = static_cast<double>(sorted.size() - i);
    waiting *= (at_risk - 1) / at_risk;
    if (1 - waiting >= level - kTolerance) return sorted[i].seconds;
  }
  return std::nullopt;
}

TypicalWait TypicalOf(std::vector<Wait> waits) {
  std::sort(waits.begin(), waits.end());
  return {static_cast<int64_t>(waits.size()), QuantileOf(waits, .5), QuantileOf(waits, .9)};
}

// The last time of which the history says anything.
Seconds EndOf(absl::Span<const RecordedJob> history) {
  Seconds end = 0;
  for (const RecordedJob& job : history) {
    end = std::max({end, job.job.submit_time, job.start.value_or(0), job.end.value_or(0),
                    job.cancel.value_or(0)});
  }
  return end;
}

Wait WaitOf(const RecordedJob& job, Seconds end) {
  const Seconds until = job.start.value_or(job.cancel.value_or(end));
  return {static_cast<double>(std::max<Seconds>(until - job.job.submit_time, 0)),
          !job.start.has_value()};
}

}  // namespace

WaitsByHour FindWaitsByHour(absl::Span<const RecordedJob> history,
                            absl::FunctionRef<bool(const Job&)> wanted,
                            absl::FunctionRef<int(Seconds)> hour_of) {
  const Seconds end = EndOf(history);
  std::map<std::pair<Seconds, std::string>, Wait> submissions;
  for (const RecordedJob& job : history) {
    if (!wanted(job.job)) continue;
    const Wait wait = WaitOf(job, end);
    const auto [place, is_new] = submissions.try_emplace({job.job.submit_time, job.job.user}, wait);
    if (is_new || wait.is_censored) continue;
    Wait& first = place->second;
    if (first.is_censored || wait.seconds < first.seconds) first = wait;
  }
  std::vector<Wait> all;
  std::array<std::vector<Wait>, kHours> hours;
  for (const auto& [submission, wait] : submissions) {
    all.push_back(wait);
    hours[static_cast<size_t>(hour_of(submission.first))].push_back(wait);
  }
  WaitsByHour found{TypicalOf(std::move(all)), {}};
  for (size_t hour = 0; hour < kHours; ++hour) found.hours[hour] = TypicalOf(hours[hour]);
  return found;
}

}  // namespace priorityd::forecast
