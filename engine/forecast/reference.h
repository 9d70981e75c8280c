// Forecasts without a model: quantiles of the last waits of like jobs, and binomial bounds on them.
#ifndef PRIORITYD_ENGINE_FORECAST_REFERENCE_H_
#define PRIORITYD_ENGINE_FORECAST_REFERENCE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "engine/forecast/job.h"

namespace priorityd::forecast {

// The rank from 1 of the least order statistic of `count` independent values that is, with this
// confidence, not below their quantile `level`; `count` + 1 if none is. Brevik, Nurmi, Wolski,
// "Predicting bounds on queuing delay for batch-scheduled parallel machines", PPoPP 2006: the least
// k with P(Binomial(count, level) < k) >= confidence. REQUIRES: level and confidence are above 0
// and below 1.
size_t UpperBoundRank(size_t count, double level, double confidence);

// The last waits by class: partition, QOS, size and time limit of a job. A class with fewer than
// kFewestWaits uses those of all jobs.
//
// Memory: kMostWaits numbers for each of at most kMostClasses classes; further classes use those of
// all jobs.
class WaitTable {
 public:
  static constexpr size_t kMostWaits = 200;
  static constexpr size_t kFewestWaits = 20;
  static constexpr size_t kMostClasses = 2'000;
  static constexpr double kConfidence = .95;

  // `wait`: seconds.
  void Add(const Job& job, double wait);

  // The number of waits that it has for the job.
  size_t CountFor(const Job& job) const { return WaitsFor(job).size(); }
  // On the scale of ToScale, by level, in the same order. Plain quantiles of the waits, between two
  // of them in proportion; none without waits. `above`: of the waits above it only, also on the
  // scale.
  std::vector<double> Quantiles(const Job& job, absl::Span<const double> levels,
                                double above = -1) const;
  // QBETS: bounds from below for levels under one half and from above for those over it, each with
  // kConfidence; for one half the plain quantile. Where there are too few waits for a bound, the
  // least or the greatest wait. None without waits.
  std::vector<double> Bounds(const Job& job, absl::Span<const double> levels,
                             double above = -1) const;

  // Forgets all waits.
  void Clear();

 private:
  using Waits = std::deque<double>;  // On the scale, oldest first.

  const Waits& WaitsFor(const Job& job) const;
  static void AddTo(Waits* waits, double y);
  size_t RankOf(size_t count, double level) const;

  absl::flat_hash_map<std::string, Waits> classes_;
  Waits all_;
  mutable absl::flat_hash_map<std::pair<size_t, double>, size_t> ranks_;  // Of UpperBoundRank.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_REFERENCE_H_
