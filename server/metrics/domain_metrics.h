// Members of usage domains that stand still.
#ifndef PRIORITYD_SERVER_METRICS_DOMAIN_METRICS_H_
#define PRIORITYD_SERVER_METRICS_DOMAIN_METRICS_H_

#include <vector>

#include "absl/time/time.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/metrics/snapshot_metrics.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::metrics {

// `members`: of all domains. Those of which the domain has no snapshot are not counted. `now`: by
// the site's clock.
void AddDomains(const std::vector<storage::DomainMember>& members, const Snapshots& snapshots,
                absl::Time now, ClusterLabels* labels, Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_DOMAIN_METRICS_H_
