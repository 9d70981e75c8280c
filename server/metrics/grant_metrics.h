// What grants leave.
#ifndef PRIORITYD_SERVER_METRICS_GRANT_METRICS_H_
#define PRIORITYD_SERVER_METRICS_GRANT_METRICS_H_

#include <cstddef>

#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/metrics/snapshot_metrics.h"

namespace priorityd::metrics {

// Maximum grants in one scrape; further ones are counted and omitted.
inline constexpr size_t kMostGrantRows = 10'000;

// By cluster, how many owners have one with a consequence and how many of these are used up.
void AddGrants(const Snapshots& snapshots, ClusterLabels* labels, Families* families);

// The amounts of each, first of those with a consequence. Of several grants of one owner and TRES
// there is one row, with the name of the last one used.
void AddGrantRows(const Snapshots& snapshots, Families* families,
                  size_t most_rows = kMostGrantRows);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_GRANT_METRICS_H_
