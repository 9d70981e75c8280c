// QOS with the flag Relative: limits in percent of the resources (Slurm 23.11 and later).
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_RELATIVE_LIMITS_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_RELATIVE_LIMITS_H_

#include <vector>

#include "absl/types/span.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"

namespace priorityd::priority {

// The same QOS with every TRES limit of those that are Relative as a count, as slurmctld computes
// it: total * percent / 100 rounded down, above 100 as 100; limits in TRES-minutes too. The total
// is that of the first partition with this QOS, with the licenses and burst buffers of the cluster;
// without such a partition it is the cluster's. A limit of a TRES without a total is left out.
// Sources: qos.html, "Relative QOS"; sacctmgr(1), flag Relative; that minutes are included is
// observed in slurmctld.
std::vector<Qos> WithAbsoluteLimits(absl::Span<const Qos> qos, const Policy& policy,
                                    const Cluster& cluster, absl::Span<const Partition> partitions);

// Whether no job may name the QOS, because it is Relative and a partition's.
bool IsForPartitionOnly(const Qos& qos, absl::Span<const Partition> partitions);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_RELATIVE_LIMITS_H_
