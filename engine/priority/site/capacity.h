// The total resources of a cluster and their cost: an upper bound on the usage of any job.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_CAPACITY_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_CAPACITY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

struct Capacity {
  // By TRES, the larger of the cluster's total and the largest total of any partition; no entry
  // is 0. Has no `mem` if no node states its RealMemory: Slurm then assumes 1 MB per node.
  TresMap totals;
  // The billing TRES of all resources in the most expensive partition, per second. 0 = no bound:
  // a TRES with a price has no total (`unknown`), or nothing has a price.
  double billing = 0;
  // A TRES that has a price but no total; empty = none.
  std::string unknown;

  // The total of a TRES (canonical name). `gres/NAME:TYPE` without a total has that of
  // `gres/NAME`. 0 = unknown.
  double TotalOf(absl::string_view name) const;
};

// `partitions` includes deleted ones for which usage records still arrive.
Capacity CapacityOf(const Policy& policy, const Cluster& cluster,
                    absl::Span<const Partition> partitions);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_CAPACITY_H_
