// A cluster's configuration in the engine's terms.
#ifndef PRIORITYD_SERVER_CONFIGURATION_CONFIGURATION_H_
#define PRIORITYD_SERVER_CONFIGURATION_CONFIGURATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/priority/association_tree.h"
#include "server/priority/cluster.h"
#include "server/priority/default_accounts.h"
#include "server/priority/policy.h"
#include "server/priority/snapshot.h"
#include "server/priority/usage_decay.h"
#include "storage/cluster_state.h"

namespace priorityd::configuration {

// Immutable; kept from one recalculation to the next while its revision stays.
struct Configuration {
  int64_t revision = 0;
  int64_t policy_version = 0;  // 0 = every parameter at its default.
  priority::Cluster cluster;
  priority::Policy policy;
  std::vector<priority::Partition> partitions;
  std::vector<priority::Qos> qos;
  std::vector<int64_t> qos_ids;  // In the order of `qos`.
  // Both shared with whoever holds an equal one.
  std::shared_ptr<const priority::DefaultAccounts> default_accounts;
  std::shared_ptr<const priority::AssociationTree> tree;
  // By the timeline as it is stored. A change of half-life that a recalculation
  // brings holds from its time on at the earliest, so it is not in it.
  std::shared_ptr<const priority::UsageDecay> decay;
};

// What `state` says. INTERNAL if it makes no tree or its policy can no longer be
// read.
absl::StatusOr<std::shared_ptr<const Configuration>> Configure(const storage::ClusterState& state);

// The same of a state that was brought up to date in part, from what it said before. Null where
// that does not come to what there is, and all of it has to be read.
absl::StatusOr<std::shared_ptr<const Configuration>> Reconfigure(
    const Configuration& before, const storage::ClusterState& state,
    const storage::ConfigurationChanges& changes);

// A source with everything but generation, time, usage and capacity.
priority::SnapshotSource SourceOf(const Configuration& configuration);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_CONFIGURATION_H_
