// Converts the nodes of a site and the requests of its jobs for the planner.
#ifndef PRIORITYD_ENGINE_LABORATORY_MACHINE_H_
#define PRIORITYD_ENGINE_LABORATORY_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "engine/laboratory/history.h"
#include "engine/plan/cluster.h"
#include "engine/priority/site/policy.h"

namespace priorityd::laboratory {

// Amounts are in thousandths; requests per node are rounded up. A job that requests GPUs of a type
// requests at least that many GPUs in total.
class Machine {
 public:
  // Requests that differ only in the number of nodes.
  struct Kind {
    plan::Amounts per_node;
    plan::Place place;   // Without types it fits no node, even an idle one.
    int most_nodes = 0;  // Nodes of these types; 0 if it requests more licenses than there are.
  };

  explicit Machine(const Site& site);

  const plan::Cluster& cluster() const { return cluster_; }
  const std::vector<std::string>& node_names() const { return node_names_; }

  // `defaults`: of the partition in which the job starts.
  plan::Request RequestOf(const HistoryJob& job, const priority::JobDefaults& defaults) const;
  // The number of the kind of a request. `partition`: an index into those of the site; -1 = any
  // node.
  int KindOf(const HistoryJob& job, const plan::Request& request, int partition);
  const Kind& kind(int number) const { return kinds_[number]; }

  // The nodes of these names, ascending and unique; skips unknown names.
  std::vector<int> NodesNamed(absl::Span<const std::string> names) const;

 private:
  void AddShape(const NodeShape& shape, const Site& site);
  void AddLicenses(const priority::TresMap& tres);
  Kind MakeKind(const plan::Request& request, std::vector<plan::PoolNeed> pools, bool has_all_gres,
                int partition) const;

  std::vector<std::string> resources_;  // The first two are cpu and gres/gpu.
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

#endif  // PRIORITYD_ENGINE_LABORATORY_MACHINE_H_
