// Metrics of the forecasts of starts.
#ifndef PRIORITYD_SERVER_METRICS_FORECAST_METRICS_H_
#define PRIORITYD_SERVER_METRICS_FORECAST_METRICS_H_

#include "server/forecasts/books.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"

namespace priorityd::metrics {

// Adds how many forecasts were scored, and how many of the last ones held.
void AddForecasts(const forecasts::Books& books, ClusterLabels* labels, Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_FORECAST_METRICS_H_
