// Stored usage, decayed to one time, as columns over the association tree.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_COLUMNS_H_
#define PRIORITYD_SERVER_USAGE_USAGE_COLUMNS_H_

#include <vector>

#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/usage_column.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::usage {

// By AssociationIndex; own usage, not rolled up the tree.
struct UsageColumns {
  std::vector<double> usage;  // Billing-seconds.
  priority::TresUsage tres_seconds;
  std::vector<double> wall_seconds;
};

// The sum of records and opening usage. Usage of a deleted association counts for its nearest
// existing ancestor. REQUIRES: no row has a later as_of than `time`.
UsageColumns DecayTo(absl::Time time, const storage::ClusterState& state,
                     const priority::AssociationTree& tree, const priority::UsageDecay& decay);

// The newest as_of of any usage row; InfinitePast() if there is none.
absl::Time LatestUsage(const storage::ClusterState& state);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_COLUMNS_H_
