// The nodes of a site, as the planner takes them, and what its jobs want of them.
#ifndef PRIORITYD_SERVER_LABORATORY_MACHINE_H_
#define PRIORITYD_SERVER_LABORATORY_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "server/laboratory/history.h"
#include "server/plan/cluster.h"

namespace priorityd::laboratory {

// Amounts are in thousandths; what a job wants of each node is rounded up. A job that names GPUs of
// a type wants so many GPUs at least.
class Machine {
 public:
  // Requests that differ in nothing but their number of nodes.
  struct Kind {
    plan::Amounts per_node;
    plan::Place place;   // Without types no node fits it, also when idle.
    int most_nodes = 0;  // Of those types; 0 also where a license is never free in that number.
  };

  explicit Machine(const Site& site);

  const plan::Cluster& cluster() const { return cluster_; }
  const std::vector<std::string>& node_names() const { return node_names_; }

  plan::Request RequestOf(const HistoryJob& job) const;
  // The number of its kind. `partition` is an index into the site's; -1 = any node.
  int KindOf(const HistoryJob& job, const plan::Request& request, int partition);
  const Kind& kind(int number) const { return kinds_[number]; }

  // Nodes by their names, ascending, each once; those that it does not have are left out.
  std::vector<int> NodesNamed(absl::Span<const std::string> names) const;

 private:
  void AddShape(const NodeShape& shape, const Site& site);
  void AddLicenses(const priority::TresMap& tres);
  Kind MakeKind(const plan::Request& request, std::vector<plan::PoolNeed> pools, bool has_all_gres,
                int partition) const;

  std::vector<std::string> resources_;  // cpu and gres/gpu are the first two.
  absl::flat_hash_map<std::string, int> resource_of_;
  plan::Cluster cluster_;
  std::vector<std::vector<int>> types_of_partition_;
  std::vector<int> all_types_;
  std::vector<std::string> node_names_;
  absl::flat_hash_map<std::string, int> node_of_;
  absl::flat_hash_map<std::string, int> pool_of_license_;
  std::vector<Kind> kinds_;
  absl::flat_hash_map<std::vector<int64_t>, int> kind_of_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_MACHINE_H_
