// What a cluster has in all, and what all of it costs: no job uses more.
#ifndef PRIORITYD_SERVER_PRIORITY_CAPACITY_H_
#define PRIORITYD_SERVER_PRIORITY_CAPACITY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/cluster.h"
#include "server/priority/policy.h"
#include "server/priority/tres.h"

namespace priorityd::priority {

struct Capacity {
  // Of each TRES the larger one of the cluster's total and that of any partition; none is 0.
  // Without `mem` where no node states its RealMemory, for which Slurm counts 1 MB a node.
  TresMap totals;
  // Billing per second of all of it in the dearest partition; 0 = nothing bounds it, as it depends
  // on a TRES without a total (`unknown`), or as nothing costs anything.
  double billing = 0;
  // A TRES with a price and without a total; empty = there is none.
  std::string unknown;

  // That of a canonical name: of `gres/NAME` for `gres/NAME:TYPE` without a total of its own.
  // 0 = it is not known.
  double TotalOf(absl::string_view name) const;
};

// `partitions` with those that were deleted, if usage of them still comes in.
Capacity CapacityOf(const Policy& policy, const Cluster& cluster,
                    absl::Span<const Partition> partitions);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_CAPACITY_H_
