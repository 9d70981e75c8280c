// What is played: a site, and the jobs that it had.
#ifndef PRIORITYD_SERVER_LABORATORY_HISTORY_H_
#define PRIORITYD_SERVER_LABORATORY_HISTORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/association_tree.h"
#include "server/priority/cluster.h"
#include "server/priority/default_accounts.h"
#include "server/priority/tres.h"

namespace priorityd::laboratory {

// Nodes that are alike.
struct NodeShape {
  std::vector<std::string> names;
  priority::TresMap tres;               // Of each: `cpu`, `mem` in MB, gres/*.
  std::vector<std::string> partitions;  // Those that they are in.
};

// All of a site but its policy. The cluster's totals are those of all nodes.
struct Site {
  priority::Cluster cluster;
  std::vector<NodeShape> nodes;
  std::vector<priority::Partition> partitions;
  std::vector<priority::Qos> qos;
  std::shared_ptr<const priority::AssociationTree> tree;
  std::shared_ptr<const priority::DefaultAccounts> default_accounts;  // Null = nobody has one.
};

// A job that ran, as it was recorded. All times are finite.
struct HistoryJob {
  std::string id;  // Unique.
  std::string user;
  std::string account;                  // Empty = the user's default.
  std::vector<std::string> partitions;  // Empty = the default one.
  std::string qos;                      // Empty = the association's default.
  absl::Time submit;
  absl::Time eligible;  // From then on it waits; not before `submit`.
  absl::Time start;     // Not before `eligible`.
  absl::Duration run_time;
  uint32_t nodes = 1;
  double cpus = 1;         // In all; above 0.
  priority::TresMap tres;  // In all, of what it held besides: mem in MB, gres/*, license/*.
  std::optional<absl::Duration> time_limit;  // Unset = the partition's, else its run time.
  std::vector<std::string> node_names;       // Where it ran; empty = nobody has said.
};

// Sorts by `eligible`, `submit` and id, which is how a history is played.
void SortHistory(std::vector<HistoryJob>* jobs);

// When each job of a history starts, by its place in it, and what there is to tell of that.
struct Schedule {
  std::vector<std::optional<absl::Time>> starts;  // Unset = it never does.
};

// The schedule that was recorded.
Schedule Recorded(absl::Span<const HistoryJob> jobs);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_HISTORY_H_
