// The standings of grants, as metrics.
#ifndef PRIORITYD_SERVER_METRICS_GRANT_METRICS_H_
#define PRIORITYD_SERVER_METRICS_GRANT_METRICS_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/container/btree_map.h"
#include "engine/grants/price_book.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/metrics/snapshot_metrics.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::metrics {

// Maximum grants in one scrape; further ones are counted and omitted.
inline constexpr size_t kMostGrantRows = 10'000;

// By cluster, how many owners have one with a consequence and how many of these are used up.
void AddGrants(const Snapshots& snapshots, ClusterLabels* labels, Families* families);

// By cluster; none is null.
using QueueStates = absl::btree_map<std::string, std::shared_ptr<const queue::QueueState>>;

// The price books by cluster, for grants of money.
using ClusterPrices = absl::btree_map<std::string, grants::PriceBooks>;

// The amounts of each, first of those with a consequence. Of several grants of one owner and TRES
// there is one row, with the name of the last one used. What running jobs may still use is left out
// for clusters without a queue, and of grants of money where `prices` is null. The jobs of a
// cluster with grants are summed up in each call.
void AddGrantRows(const Snapshots& snapshots, const QueueStates& queues,
                  const ClusterPrices* prices, Families* families,
                  size_t most_rows = kMostGrantRows);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_GRANT_METRICS_H_
