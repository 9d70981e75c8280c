// Metric families as text, in the format that the client requests.
#ifndef PRIORITYD_SERVER_METRICS_EXPOSITION_H_
#define PRIORITYD_SERVER_METRICS_EXPOSITION_H_

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::metrics {

struct Exposition {
  std::string content_type;
  std::string text;
};

// OpenMetrics if `accept`, the HTTP header, prefers application/openmetrics-text; otherwise
// Prometheus' text format.
Exposition Expose(const std::vector<prometheus::MetricFamily>& families, absl::string_view accept);

// OpenMetrics 1.0.0. REQUIRES: counters, gauges and histograms only; counters end in _total.
std::string ToOpenMetrics(const std::vector<prometheus::MetricFamily>& families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_EXPOSITION_H_
