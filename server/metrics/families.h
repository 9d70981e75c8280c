// Builds metric families during a scrape.
#ifndef PRIORITYD_SERVER_METRICS_FAMILIES_H_
#define PRIORITYD_SERVER_METRICS_FAMILIES_H_

#include <prometheus/metric_family.h>

#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "server/measures/distribution.h"

namespace priorityd::metrics {

// One metric with its series.
class Family {
 public:
  using Labels = std::initializer_list<std::pair<const char*, std::string>>;

  explicit Family(prometheus::MetricFamily* family) : family_(family) {}

  // Adds a series. Prometheus rejects two series with the same labels.
  Family& Add(double value, Labels labels = {});
  Family& Add(const measures::Distribution::Reading& reading, Labels labels = {});

 private:
  prometheus::ClientMetric& NewSeries(Labels labels);

  prometheus::MetricFamily* const family_;
};

// The families of one scrape, in order of creation. Names and help match docs/metrics.md.
class Families {
 public:
  // Valid as long as this object.
  Family Counter(const char* name, const char* help);
  Family Gauge(const char* name, const char* help);
  Family Histogram(const char* name, const char* help);

  // The families that have series.
  std::vector<prometheus::MetricFamily> Take() &&;

 private:
  Family Begin(const char* name, const char* help, prometheus::MetricType type);

  std::deque<prometheus::MetricFamily> families_;
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_FAMILIES_H_
