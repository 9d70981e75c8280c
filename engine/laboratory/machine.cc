#include "engine/laboratory/machine.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "engine/laboratory/job_queue.h"
#include "engine/plan/parts.h"
#include "engine/priority/jobs/job_demand.h"

namespace priorityd::laboratory {
namespace {

constexpr char kGpus[] = "gres/gpu";
constexpr char kGpusOfAType[] = "gres/gpu:";
constexpr uint32_t kMostNodes = 1'000'000;

bool IsOfNodes(const std::string& tres) {
  return tres == "cpu" || tres == "mem" || absl::StartsWith(tres, "gres/");
}

// `tres` with gres/gpu at least the sum over its GPU types.
priority::TresMap WithGpus(priority::TresMap tres) {
  double of_types = 0;
  for (const auto& [name, count] : tres) {
    if (absl::StartsWith(name, kGpusOfAType)) of_types += count;
  }
  double& gpus = tres[kGpus];
  gpus = std::max(gpus, of_types);
  return tres;
}

// Adds what the job gets without naming it.
void Fill(const HistoryJob& from, const priority::JobDefaults& defaults, priority::TresMap* tres) {
  const priority::Job job = ToEngine(from);
  (*tres)["cpu"] = priority::CpusOf(job, defaults);
  tres->emplace("mem", priority::MemoryBy(defaults, job));  // Unless named.
}

}  // namespace

Machine::Machine(const Site& site) : types_of_partition_(site.partitions.size()) {
  std::set<std::string> names;
  for (const NodeShape& shape : site.nodes) {
    for (const auto& [name, count] : shape.tres) {
      if (IsOfNodes(name) && name != "cpu" && name != kGpus) names.insert(name);
    }
  }
  resources_ = {"cpu", kGpus};
  resources_.insert(resources_.end(), names.begin(), names.end());
  for (size_t i = 0; i < resources_.size(); ++i) resource_of_[resources_[i]] = static_cast<int>(i);
  for (const NodeShape& shape : site.nodes) AddShape(shape, site);
  AddLicenses(site.cluster.tres);
}

void Machine::AddShape(const NodeShape& shape, const Site& site) {
  const int number = static_cast<int>(cluster_.types.size());
  plan::NodeType& type = cluster_.types.emplace_back();
  type.nodes = static_cast<int>(shape.names.size());
  type.each.assign(resources_.size(), 0);
  for (const auto& [name, count] : WithGpus(shape.tres)) {
    const auto resource = resource_of_.find(name);
    if (resource != resource_of_.end()) type.each[resource->second] = plan::Down(count);
  }
  for (const std::string& name : shape.names) {
    node_of_.emplace(name, static_cast<int>(node_names_.size()));
    node_names_.push_back(name);
  }
  all_types_.push_back(number);
  for (size_t i = 0; i < site.partitions.size(); ++i) {
    const auto& of = shape.partitions;
    if (std::find(of.begin(), of.end(), site.partitions[i].name) == of.end()) continue;
    types_of_partition_[i].push_back(number);
  }
}

void Machine::AddLicenses(const priority::TresMap& tres) {
  for (const auto& [name, count] : tres) {
    if (!absl::StartsWith(name, "license/")) continue;
    pool_of_license_[name] = static_cast<int>(cluster_.pools.size());
    cluster_.pools.push_back(plan::Down(count));
  }
}

plan::Request Machine::RequestOf(const HistoryJob& job,
                                 const priority::JobDefaults& defaults) const {
  plan::Request request{.nodes = static_cast<int>(std::clamp(job.nodes, 1u, kMostNodes)),
                        .per_node = plan::Amounts(resources_.size(), 0)};
  priority::TresMap tres = WithGpus(job.tres);
  tres["cpu"] = job.cpus;
  if (defaults.given()) Fill(job, defaults, &tres);
  for (const auto& [name, count] : tres) {
    const auto resource = resource_of_.find(name);
    if (resource == resource_of_.end()) continue;
    request.per_node[resource->second] = plan::Up(count / request.nodes);
  }
  return request;
}

int Machine::KindOf(const HistoryJob& job, const plan::Request& request, int partition) {
  std::vector<int64_t> key(request.per_node.begin(), request.per_node.end());
  std::vector<plan::PoolNeed> pools;
  bool has_all_gres = true;
  for (const auto& [name, count] : job.tres) {
    if (count <= 0) continue;
    if (const auto pool = pool_of_license_.find(name); pool != pool_of_license_.end()) {
      pools.push_back({pool->second, plan::Up(count)});
      key.insert(key.end(), {-1 - pool->second, plan::Up(count)});
    }
    has_all_gres &= !absl::StartsWith(name, "gres/") || resource_of_.contains(name);
  }
  key.insert(key.end(), {partition, has_all_gres});
  const auto [number, is_new] = kind_of_.emplace(std::move(key), static_cast<int>(kinds_.size()));
  if (is_new) kinds_.push_back(MakeKind(request, std::move(pools), has_all_gres, partition));
  return number->second;
}

Machine::Kind Machine::MakeKind(const plan::Request& request, std::vector<plan::PoolNeed> pools,
                                bool has_all_gres, int partition) const {
  Kind kind{.per_node = request.per_node,
            .place = {.pools = std::move(pools), .partition = partition}};
  for (const int type : partition < 0 ? all_types_ : types_of_partition_[partition]) {
    if (!has_all_gres || !plan::Fits(request.per_node, cluster_.types[type].each)) continue;
    kind.place.types.push_back(type);
    kind.most_nodes += cluster_.types[type].nodes;
  }
  for (const plan::PoolNeed& need : kind.place.pools) {
    if (need.amount > cluster_.pools[need.pool]) kind.most_nodes = 0;
  }
  return kind;
}

std::vector<int> Machine::NodesNamed(absl::Span<const std::string> names) const {
  std::vector<int> nodes;
  for (const std::string& name : names) {
    const auto node = node_of_.find(name);
    if (node != node_of_.end()) nodes.push_back(node->second);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace priorityd::laboratory
