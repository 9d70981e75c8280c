// Fair-share and usage by account and user, as exporters for Slurm name them.
#ifndef PRIORITYD_SERVER_METRICS_ACCOUNT_METRICS_H_
#define PRIORITYD_SERVER_METRICS_ACCOUNT_METRICS_H_

#include <cstddef>

#include "server/metrics/families.h"
#include "server/metrics/snapshot_metrics.h"

namespace priorityd::metrics {

// Accounts and users of one scrape; what is beyond them is counted and left out.
inline constexpr size_t kMostAccountRows = 20'000;

// The names are those of the exporters of vpenso, rivosinc and SckyzO, with the cluster as one
// label more. The associations of a user in several partitions are one: their usage together and
// the fair-share of the first.
void AddAccounts(const Snapshots& snapshots, Families* families,
                 size_t most_rows = kMostAccountRows);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_ACCOUNT_METRICS_H_
