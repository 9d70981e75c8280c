// Fair-share and usage by account and user, under the names of Slurm's exporters.
#ifndef PRIORITYD_SERVER_METRICS_ACCOUNT_METRICS_H_
#define PRIORITYD_SERVER_METRICS_ACCOUNT_METRICS_H_

#include <cstddef>

#include "server/metrics/families.h"
#include "server/metrics/snapshot_metrics.h"

namespace priorityd::metrics {

// Maximum accounts and users in one scrape; further ones are counted and omitted.
inline constexpr size_t kMostAccountRows = 20'000;

// The names are those of the exporters of vpenso, rivosinc and SckyzO, with the cluster as an
// additional label. The associations of a user in several partitions share one row: the sum of
// their usage and the fair-share of the first.
void AddAccounts(const Snapshots& snapshots, Families* families,
                 size_t most_rows = kMostAccountRows);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_ACCOUNT_METRICS_H_
