// Metrics of usage records on their way into the ledger.
#ifndef PRIORITYD_SERVER_METRICS_INGEST_METRICS_H_
#define PRIORITYD_SERVER_METRICS_INGEST_METRICS_H_

#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/metrics/snapshot_metrics.h"
#include "server/usage/usage_recorder.h"

namespace priorityd::metrics {

// `snapshots`: those of the existing clusters; counts of other clusters are no longer exported.
void AddIngest(const usage::UsageRecorder& recorder, const Snapshots& snapshots,
               ClusterLabels* labels, Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_INGEST_METRICS_H_
