// Metrics of the process, under the standard names of Prometheus' client libraries.
#ifndef PRIORITYD_SERVER_METRICS_PROCESS_METRICS_H_
#define PRIORITYD_SERVER_METRICS_PROCESS_METRICS_H_

#include "server/metrics/families.h"

namespace priorityd::metrics {

void AddProcess(Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_PROCESS_METRICS_H_
