// HTTP pages for monitoring systems.
#ifndef PRIORITYD_SERVER_METRICS_PAGES_H_
#define PRIORITYD_SERVER_METRICS_PAGES_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/http/exchange.h"
#include "server/metrics/service_metrics.h"

namespace priorityd::metrics {

// /metrics; /healthz: the process answers; /readyz: 200, or 503 with one line per reason why the
// replica should receive no calls. `metrics` must outlive the handlers.
std::map<std::string, http::Page> PagesOf(ServiceMetrics* metrics,
                                          std::function<std::vector<HealthPart>()> health);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_PAGES_H_
