#include "server/metrics/families.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace priorityd::metrics {

prometheus::ClientMetric& Family::NewSeries(Labels labels) {
  prometheus::ClientMetric& series = family_->metric.emplace_back();
  for (const auto& [name, value] : labels) series.label.push_back({name, value});
  return series;
}

Family& Family::Add(double value, Labels labels) {
  prometheus::ClientMetric& series = NewSeries(labels);
  if (family_->type == prometheus::MetricType::Counter) {
    series.counter.value = value;
  } else {
    series.gauge.value = value;
  }
  return *this;
}

Family& Family::Add(const measures::Distribution::Reading& reading, Labels labels) {
  prometheus::ClientMetric::Histogram& histogram = NewSeries(labels).histogram;
  uint64_t count = 0;
  for (size_t i = 0; i < reading.counts.size(); ++i) {
    const double bound =
        i < reading.bounds.size() ? reading.bounds[i] : std::numeric_limits<double>::infinity();
    count += reading.counts[i];
    histogram.bucket.push_back({count, bound});
  }
  histogram.sample_count = count;
  histogram.sample_sum = reading.sum;
  return *this;
}

Family Families::Begin(const char* name, const char* help, prometheus::MetricType type) {
  families_.push_back({.name = name, .help = help, .type = type, .metric = {}});
  return Family(&families_.back());
}

Family Families::Counter(const char* name, const char* help) {
  return Begin(name, help, prometheus::MetricType::Counter);
}

Family Families::Gauge(const char* name, const char* help) {
  return Begin(name, help, prometheus::MetricType::Gauge);
}

Family Families::Histogram(const char* name, const char* help) {
  return Begin(name, help, prometheus::MetricType::Histogram);
}

std::vector<prometheus::MetricFamily> Families::Take() && {
  std::vector<prometheus::MetricFamily> taken;
  for (prometheus::MetricFamily& family : families_) {
    if (!family.metric.empty()) taken.push_back(std::move(family));
  }
  return taken;
}

}  // namespace priorityd::metrics
