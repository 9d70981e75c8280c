// A cluster's configuration in the engine's terms.
#ifndef PRIORITYD_SERVER_CONFIGURATION_CONFIGURATION_H_
#define PRIORITYD_SERVER_CONFIGURATION_CONFIGURATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/snapshot/default_accounts.h"
#include "engine/priority/snapshot/snapshot.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::configuration {

// Immutable; kept between recalculations while its revision stays the same.
struct Configuration {
  int64_t revision = 0;
  int64_t policy_version = 0;  // 0 = every parameter has its default.
  priority::Cluster cluster;
  priority::Policy policy;
  std::vector<priority::Partition> partitions;
  std::vector<priority::Reservation> reservations;
  std::vector<priority::Qos> qos;
  std::vector<int64_t> qos_ids;  // In order of `qos`.
  // Both are shared with all holders of equal ones.
  std::shared_ptr<const priority::DefaultAccounts> default_accounts;
  std::shared_ptr<const priority::AssociationTree> tree;
  // By the stored timeline. It does not include a change of half-life by the present recalculation,
  // which takes effect at that recalculation's time at the earliest.
  std::shared_ptr<const priority::UsageDecay> decay;
  // Null without leases of jobs.
  std::shared_ptr<const priority::LeasedNices> leased_nices;
};

// Builds the configuration from `state`. INTERNAL for an invalid tree or policy.
absl::StatusOr<std::shared_ptr<const Configuration>> Configure(const storage::ClusterState& state);

// The same for a partly updated state, based on the previous configuration. Null if the result is
// incomplete and the whole state must be read.
absl::StatusOr<std::shared_ptr<const Configuration>> Reconfigure(
    const Configuration& before, const storage::ClusterState& state,
    const storage::ConfigurationChanges& changes);

// Rows that replace those of a configuration with the same ids or names.
struct Overlay {
  std::vector<storage::Association> associations;
  std::vector<storage::ClusterUser> users;
  std::vector<storage::Qos> qos;
  std::vector<storage::Partition> partitions;
};

// `base` with the rows of `overlay`, all of which it has. The nodes of partitions stay. INTERNAL if
// a row is missing or invalid.
absl::StatusOr<std::shared_ptr<const Configuration>> WithOverlay(const Configuration& base,
                                                                 const Overlay& overlay);

// `base` with leased nice values of jobs; `base` itself if there are none.
std::shared_ptr<const Configuration> WithLeasedNices(std::shared_ptr<const Configuration> base,
                                                     priority::LeasedNices nices);

// `base` with merged users; `base` itself if there are none. REQUIRES: its tree has none.
std::shared_ptr<const Configuration> WithMergedUsers(std::shared_ptr<const Configuration> base,
                                                     const std::vector<storage::UserMerge>& merges);

// A source with everything except generation, time, usage and capacity.
priority::SnapshotSource SourceOf(const Configuration& configuration);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_CONFIGURATION_H_
