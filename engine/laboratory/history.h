// The inputs of a simulation: a site and the history of its jobs.
#ifndef PRIORITYD_ENGINE_LABORATORY_HISTORY_H_
#define PRIORITYD_ENGINE_LABORATORY_HISTORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/snapshot/default_accounts.h"

namespace priorityd::laboratory {

// Identical nodes.
struct NodeShape {
  std::vector<std::string> names;
  priority::TresMap tres;               // Per node: `cpu`, `mem` in MB, gres/*.
  std::vector<std::string> partitions;  // The partitions that contain them.
};

// The configuration of a site without its policy. The totals of the cluster are those of all nodes.
struct Site {
  priority::Cluster cluster;
  std::vector<NodeShape> nodes;
  std::vector<priority::Partition> partitions;
  std::vector<priority::Qos> qos;
  std::shared_ptr<const priority::AssociationTree> tree;
  std::shared_ptr<const priority::DefaultAccounts> default_accounts;  // Null = no user has one.
};

// A recorded job. All times are finite.
struct HistoryJob {
  std::string id;  // Unique.
  std::string user;
  std::string account;                  // Empty = the user's default.
  std::vector<std::string> partitions;  // Empty = the default one.
  std::string qos;                      // Empty = the association's default.
  absl::Time submit;
  absl::Time eligible;  // It waits from then on; not before `submit`.
  absl::Time start;     // Not before `eligible`.
  absl::Duration run_time;
  uint32_t nodes = 1;
  double cpus = 1;         // On all nodes together; above 0.
  priority::TresMap tres;  // Its other resources, on all nodes: mem in MB, gres/*, license/*.
  std::optional<absl::Duration> time_limit;  // Unset = that of the partition, else its run time.
  std::vector<std::string> node_names;       // The nodes on which it ran; empty = unknown.
};

// Sorts by `eligible`, `submit` and id: the order in which Play expects a history.
void SortHistory(std::vector<HistoryJob>* jobs);

// The time limit of the job in a partition of the site, at least a second; -1 = without a
// partition.
absl::Duration TimeLimitOf(const Site& site, const HistoryJob& job, int partition);

// The starts of the jobs of a history, by their index in it.
struct Schedule {
  std::vector<std::optional<absl::Time>> starts;  // Unset = the job never starts.
};

// The recorded schedule of a history.
Schedule Recorded(absl::Span<const HistoryJob> jobs);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_HISTORY_H_
