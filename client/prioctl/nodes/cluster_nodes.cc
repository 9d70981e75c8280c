#include "client/prioctl/nodes/cluster_nodes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::nodes {
namespace {

namespace v1 = ::priority::v1;

// `n10` after `n2`.
bool NameLess(const Node& a, const Node& b) {
  const auto split = [](const std::string& name) {
    size_t end = name.size();
    while (end > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
    uint64_t number = 0;
    if (!absl::SimpleAtoi(name.substr(end), &number)) number = 0;
    return std::make_tuple(name.substr(0, end), number, name);
  };
  return split(a.name) < split(b.name);
}

Node NodeOf(const std::string& name, const slurm::NodeKind& kind) {
  Node node;
  node.name = name;
  for (const auto& [tres, count] : kind.tres) {
    if (tres == "cpu") node.cpus = count;
    if (tres == "mem") node.memory = count;
    if (absl::StartsWith(tres, "gres/")) node.gres[tres] = count;
  }
  node.partitions = kind.partitions;
  node.settings = kind.settings;
  return node;
}

int NumberOf(const Node& node, const std::string& key, int otherwise) {
  int number = 0;
  return absl::SimpleAtoi(node.Setting(key, ""), &number) && number > 0 ? number : otherwise;
}

// Of the line's State=, before jobs are looked at.
NodeState ConfiguredState(const Node& node) {
  switch (slurm::LineStateOf(node.settings)) {
    case slurm::NodeLineState::kUp:
      return NodeState::kIdle;
    case slurm::NodeLineState::kDown:
      return NodeState::kDown;
    case slurm::NodeLineState::kDrain:
      return NodeState::kDrained;
    case slurm::NodeLineState::kFail:
      return NodeState::kFail;
  }
  return NodeState::kUnknown;
}

bool IsUp(const Node& node) { return node.state == NodeState::kIdle; }

// The partition in which a running job runs, as far as it names one alone.
std::string PartitionOf(const v1::Job& job, const std::string& default_partition) {
  if (job.partitions().empty()) return default_partition;
  return job.partitions_size() == 1 ? job.partitions(0) : "";
}

std::string AttributeOf(const v1::Reservation& reservation, const char* name) {
  const auto found = reservation.attributes().find(name);
  return found == reservation.attributes().end() ? "" : found->second;
}

class Builder {
 public:
  ClusterNodes Build(const NodeLinesText& lines,
                     const google::protobuf::RepeatedPtrField<v1::Partition>& partitions,
                     const google::protobuf::RepeatedPtrField<v1::TrackedJob>& jobs,
                     bool hides_jobs,
                     const google::protobuf::RepeatedPtrField<v1::Reservation>& reservations) {
    if (hides_jobs) in_doubt_.insert("");
    AddNodes(lines.kinds);
    AddPartitions(lines.partitions, partitions);
    for (const v1::TrackedJob& job : jobs) Allocate(job.job());
    for (const v1::Reservation& reservation : reservations) Reserve(reservation);
    for (Node& node : result_.nodes) SetState(&node);
    return std::move(result_);
  }

 private:
  void AddNodes(const std::vector<slurm::NodeKind>& kinds) {
    for (const slurm::NodeKind& kind : kinds) {
      const auto hosts = slurm::ExpandHostlist(kind.hosts);
      if (!hosts.ok()) continue;  // The reader of the lines has expanded them before.
      for (const std::string& host : *hosts) result_.nodes.push_back(NodeOf(host, kind));
    }
    absl::c_sort(result_.nodes, NameLess);
    for (size_t i = 0; i < result_.nodes.size(); ++i) {
      result_.nodes[i].state = ConfiguredState(result_.nodes[i]);
      places_[result_.nodes[i].name] = static_cast<int>(i);
    }
  }

  void AddPartitions(const std::vector<std::string>& order,
                     const google::protobuf::RepeatedPtrField<v1::Partition>& partitions) {
    absl::flat_hash_map<std::string, size_t> place_of;
    for (const v1::Partition& partition : partitions) {
      result_.partitions.push_back({partition, {}, 0, 0});
    }
    absl::c_stable_sort(result_.partitions, [&](const NodePartition& a, const NodePartition& b) {
      return absl::c_find(order, a.name()) < absl::c_find(order, b.name());
    });
    for (size_t i = 0; i < result_.partitions.size(); ++i) {
      NodePartition& partition = result_.partitions[i];
      place_of[partition.name()] = i;
      if (partition.Setting("Default", "NO") == "YES") default_partition_ = partition.name();
    }
    for (size_t i = 0; i < result_.nodes.size(); ++i) {
      for (const std::string& name : result_.nodes[i].partitions) {
        const auto found = place_of.find(name);
        if (found == place_of.end()) continue;
        result_.partitions[found->second].nodes.push_back(static_cast<int>(i));
      }
    }
    for (NodePartition& partition : result_.partitions) CountUnlisted(&partition);
  }

  void CountUnlisted(NodePartition* partition) const {
    double cpus = 0;
    for (const int place : partition->nodes) cpus += result_.nodes[place].cpus;
    const double nodes = static_cast<double>(partition->nodes.size());
    partition->unlisted_nodes = std::max(0.0, partition->Number("TotalNodes") - nodes);
    if (partition->unlisted_nodes == 0) return;
    partition->unlisted_cpus = std::max(0.0, partition->Number("TotalCPUs") - cpus);
  }

  void Allocate(const v1::Job& job) {
    const std::vector<int> places = PlacesOf(job.node_list());
    if (places.empty()) {
      ++result_.jobs_without_nodes;
      in_doubt_.insert(PartitionOf(job, default_partition_));
      return;
    }
    const double parts = static_cast<double>(places.size());
    for (const int place : places) {
      Node& node = result_.nodes[place];
      node.allocated_cpus += jobs::CpusOf(job) / parts;
      for (const auto& [tres, count] : job.tres()) {
        if (tres == "mem") node.allocated_memory += count / parts;
        if (absl::StartsWith(tres, "gres/")) node.used_gres[tres] += count / parts;
      }
    }
  }

  void Reserve(const v1::Reservation& reservation) {
    if (AttributeOf(reservation, "State") != "ACTIVE") return;
    const bool is_maintenance = absl::StrContains(AttributeOf(reservation, "Flags"), "MAINT");
    for (const int place : PlacesOf(reservation)) {
      Reserved& reserved = result_.nodes[place].reserved;
      reserved = std::max(reserved, is_maintenance ? Reserved::kMaintenance : Reserved::kReserved);
    }
  }

  std::vector<int> PlacesOf(const v1::Reservation& reservation) const {
    const std::string nodes = AttributeOf(reservation, "Nodes");
    if (!absl::EqualsIgnoreCase(nodes, "ALL")) return PlacesOf(nodes);
    const std::string partition = AttributeOf(reservation, "PartitionName");
    std::vector<int> places;
    for (size_t i = 0; i < result_.nodes.size(); ++i) {
      const bool is_in =
          partition.empty() || absl::c_linear_search(result_.nodes[i].partitions, partition);
      if (is_in) places.push_back(static_cast<int>(i));
    }
    return places;
  }

  std::vector<int> PlacesOf(const std::string& hostlist) const {
    std::vector<int> places;
    const auto hosts = slurm::ExpandHostlist(hostlist);
    if (!hosts.ok()) return places;
    for (const std::string& host : *hosts) {
      const auto found = places_.find(host);
      if (found != places_.end()) places.push_back(found->second);
    }
    return places;
  }

  bool IsInDoubt(const Node& node) const {
    if (in_doubt_.contains("")) return true;  // A job that may be anywhere.
    return absl::c_any_of(node.partitions,
                          [&](const std::string& name) { return in_doubt_.contains(name); });
  }

  void SetState(Node* node) const {
    const bool is_used = node->allocated_cpus > 0;
    if (node->state == NodeState::kDrained && is_used) node->state = NodeState::kDraining;
    if (!IsUp(*node)) return;
    // Sums of parts such as 8 times 1/3.
    const bool is_full = is_used && node->allocated_cpus > node->cpus - 1e-6;
    if (is_full) {
      node->state = NodeState::kAllocated;
    } else if (IsInDoubt(*node)) {
      node->state = NodeState::kUnknown;
    } else if (is_used) {
      node->state = NodeState::kMixed;
    }
  }

  ClusterNodes result_;
  absl::flat_hash_map<std::string, int> places_;
  std::string default_partition_;
  std::set<std::string> in_doubt_;  // Partitions of running jobs that name no nodes; "" = any.
};

}  // namespace

std::string Node::Setting(const std::string& lower_key, const std::string& otherwise) const {
  const auto found = settings.find(lower_key);
  return found == settings.end() ? otherwise : found->second;
}

int Node::Sockets() const {
  const int boards = NumberOf(*this, "boards", 1);
  const int on_board = NumberOf(*this, "socketsperboard", 0);
  if (on_board > 0) return boards * on_board;
  const double of_cpus = std::floor(cpus / (Cores() * Threads()));
  return NumberOf(*this, "sockets", std::max(1, static_cast<int>(of_cpus)));
}

int Node::Cores() const { return NumberOf(*this, "corespersocket", 1); }

int Node::Threads() const { return NumberOf(*this, "threadspercore", 1); }

std::string NodePartition::Setting(const std::string& name, const std::string& otherwise) const {
  const auto found = partition.attributes().find(name);
  const bool is_set = found != partition.attributes().end() && !found->second.empty();
  return is_set ? found->second : otherwise;
}

double NodePartition::Number(const std::string& name) const {
  double number = 0;
  return absl::SimpleAtod(Setting(name, ""), &number) ? number : 0;
}

ClusterNodes BuildClusterNodes(
    const NodeLinesText& lines, const google::protobuf::RepeatedPtrField<v1::Partition>& partitions,
    const google::protobuf::RepeatedPtrField<v1::TrackedJob>& jobs, bool hides_jobs,
    const google::protobuf::RepeatedPtrField<v1::Reservation>& reservations) {
  return Builder().Build(lines, partitions, jobs, hides_jobs, reservations);
}

}  // namespace priorityd::nodes
