// Forecasts without a model: quantiles of the last waits of like jobs, and binomial bounds on them.
#ifndef PRIORITYD_ENGINE_FORECAST_REFERENCE_H_
#define PRIORITYD_ENGINE_FORECAST_REFERENCE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "engine/forecast/job.h"

namespace priorityd::forecast {

// The number of an order statistic, from 1, of `count` independent values: the least that is not
// below the quantile `level` with `confidence`. Above `count` if there is none. Brevik, Nurmi,
// Wolski, "Predicting bounds on queuing delay for batch-scheduled parallel machines", PPoPP 2006:
// P(Binomial(count, level) < k) >= confidence.
size_t UpperBoundRank(size_t count, double level, double confidence);

// The last waits by class: partition, size and time limit of a job. A class without enough waits
// uses those of all jobs.
//
// Memory: kMostWaits numbers for each of at most kMostClasses classes.
class WaitTable {
 public:
  static constexpr size_t kMostWaits = 200;
  static constexpr size_t kFewestWaits = 20;  // That a class needs.
  static constexpr size_t kMostClasses = 1'000;

  // `wait` in seconds, at least 0.
  void Add(const Job& job, double wait);

  // On the scale of ToScale, by level. Plain quantiles; empty without any wait.
  std::vector<double> Quantiles(const Job& job, absl::Span<const double> levels) const;
  // QBETS: bounds that hold with 95 % confidence: from below for levels under one half, from above
  // for those over it; one half itself is a plain quantile. With too few waits for a bound the
  // least and the greatest wait.
  std::vector<double> Bounds(const Job& job, absl::Span<const double> levels) const;

  void Clear();

 private:
  const std::deque<double>& WaitsFor(const Job& job) const;

  absl::flat_hash_map<std::string, std::deque<double>> classes_;
  std::deque<double> all_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_REFERENCE_H_
