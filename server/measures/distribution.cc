#include "server/measures/distribution.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace priorityd::measures {

std::vector<double> SecondsBounds() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}

Distribution::Distribution(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(new std::atomic<uint64_t>[bounds_.size() + 1]()) {}

void Distribution::Add(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  counts_[static_cast<size_t>(bound - bounds_.begin())].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Distribution::Reading Distribution::Read() const {
  Reading reading{.bounds = bounds_, .counts = {}, .sum = sum_.load(std::memory_order_relaxed)};
  for (size_t i = 0; i <= bounds_.size(); ++i) {
    reading.counts.push_back(counts_[i].load(std::memory_order_relaxed));
  }
  return reading;
}

uint64_t Distribution::Reading::count() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

}  // namespace priorityd::measures
