#include "engine/slurm/conf/node_lines.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/errors/bounds.h"
#include "engine/slurm/words/hostlist.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/tres_list.h"
#include "engine/slurm/words/unused_setting.h"

namespace priorityd::slurm {
namespace {

constexpr uint64_t kMaxCpus = 1'000'000;
constexpr uint64_t kMaxMegabytes = 1'000'000'000'000;

constexpr absl::string_view kNodeKeys[] = {
    "boards",         "corespeccount", "corespersocket", "cpus",    "feature",         "features",
    "gres",           "procs",         "realmemory",     "sockets", "socketsperboard", "state",
    "threadspercore", "reason",        "tmpdisk",        "weight"};
// Of these, those that scontrol show node prints and nothing else reads.
constexpr absl::string_view kShownKeys[] = {"reason", "tmpdisk", "weight"};
constexpr absl::string_view kNodeSetKeys[] = {"feature", "nodes"};

bool IsDefault(const ConfPair& name) { return absl::EqualsIgnoreCase(name.value, "DEFAULT"); }

// In CLOUD+DRAIN and similar values, the first word is the state.
bool IsFuture(const ConfPair* state) {
  return state != nullptr && absl::StartsWithIgnoreCase(state->value, "FUTURE");
}

}  // namespace

bool IsNodeKey(absl::string_view name) {
  const std::string key = absl::AsciiStrToLower(name);
  return absl::c_linear_search(kNodeKeys, key) && !absl::c_linear_search(kShownKeys, key);
}

void NodeLines::Error(const ConfPair& pair, absl::string_view message) {
  violations_.Add(pair.place.file->name, pair.place.line, absl::StrCat(pair.key, ": ", message));
}

void NodeLines::ReadNode(const ConfLine& line) {
  const ConfPair& name = line.pairs[0];
  if (IsDefault(name)) {
    defaults_.Merge(line, kNodeKeys, warnings_);
    return;
  }
  ConfRecord record = defaults_;
  record.Merge(line, kNodeKeys, warnings_);
  bytes_ += record.bytes();
  if (bytes_ > kMaxNodeBytes) {
    Error(name, absl::StrCat("got more than ", kMaxNodeBytes,
                             " bytes of settings of all lines with those of DEFAULT lines, want "
                             "fewer lines or shorter settings"));
    return;
  }
  Group group;
  group.tres = TresOf(record);
  group.future = IsFuture(record.Find("state"));
  for (const absl::string_view key : kNodeKeys) {
    const ConfPair* pair = record.Find(key);
    if (pair == nullptr) continue;
    group.settings[std::string(key)] = pair->value;
    if (absl::StartsWith(key, "feature")) group.features = pair->value;
  }
  groups_.push_back(std::move(group));
  AddHosts(name, static_cast<int32_t>(groups_.size()) - 1);
}

void NodeLines::AddHosts(const ConfPair& name, int32_t group) {
  named_ += CountHosts(name.value).value_or(0);
  if (named_ > kMaxNodes) {
    Error(name, absl::StrCat("got ", named_, " nodes so far, want at most ", kMaxNodes));
    return;
  }
  for (std::string& host : Expand(name)) {
    const auto [node, is_new] = nodes_.emplace(std::move(host), Node{group});
    if (is_new) {
      ++groups_[group].nodes;
    } else {
      Error(name, absl::StrCat("got node ", Quoted(node->first), " twice, want it in one line"));
    }
  }
}

void NodeLines::ReadNodeSet(const ConfLine& line) {
  sets_[line.pairs[0].value].Merge(line, kNodeSetKeys, warnings_);
}

double NodeLines::CountOf(const ConfRecord& record, absl::string_view lower_key, uint64_t max,
                          uint64_t fallback) {
  const ConfPair* pair = record.Find(lower_key);
  if (pair == nullptr) return static_cast<double>(fallback);
  const std::optional<uint64_t> count = ReadConfInteger(pair->value, max);
  if (count.value_or(0) == 0) {
    Error(*pair,
          absl::StrCat("got ", Quoted(pair->value), ", want a whole number from 1 to ", max));
    return static_cast<double>(fallback);
  }
  return static_cast<double>(*count);
}

// As in Slurm: CPUs may be the number of sockets, cores or threads; any other value is replaced by
// the product of the three.
double NodeLines::CpusOf(const ConfRecord& record) {
  const absl::string_view cpus_key = record.Find("cpus") != nullptr ? "cpus" : "procs";
  const double cpus = CountOf(record, cpus_key, kMaxCpus, 0);
  const double cores = CountOf(record, "corespersocket", kMaxCpus, 1);
  const double threads = CountOf(record, "threadspercore", kMaxCpus, 1);
  double sockets =
      CountOf(record, "boards", kMaxCpus, 1) * CountOf(record, "socketsperboard", kMaxCpus, 1);
  if (record.Find("sockets") != nullptr) {
    sockets = CountOf(record, "sockets", kMaxCpus, 1);
  } else if (record.Find("socketsperboard") == nullptr && cpus > 0) {
    sockets = std::max(1.0, std::floor(cpus / (cores * threads)));
  }
  const double product = sockets * cores * threads;
  const bool fits = cpus == sockets || cpus == sockets * cores || cpus == product;
  if (cpus > 0 && !fits) {
    const ConfPair& pair = *record.Find(cpus_key);
    warnings_.push_back(absl::StrCat(pair.place.Where(), ": ", pair.key, ": got ", pair.value,
                                     ", but sockets x cores x threads is ", product,
                                     ", which holds"));
  }
  const double all = fits ? cpus : std::min(product, static_cast<double>(kMaxCpus));
  return all - SpecialCpusOf(record, all, all > sockets * cores ? threads : 1);
}

// The CPUs of CoreSpecCount, which slurmctld 25.11 does not count.
double NodeLines::SpecialCpusOf(const ConfRecord& record, double cpus, double cpus_per_core) {
  const ConfPair* pair = record.Find("corespeccount");
  if (pair == nullptr || IsIdleValue(pair->value)) return 0;
  const double special = CountOf(record, "corespeccount", kMaxCpus, 1) * cpus_per_core;
  if (special < cpus) return special;
  Error(*pair, absl::StrCat("got ", Quoted(pair->value), ", want fewer cores than the node has"));
  return 0;
}

priority::TresMap NodeLines::TresOf(const ConfRecord& record) {
  priority::TresMap tres;
  if (const ConfPair* pair = record.Find("gres")) {
    absl::StatusOr<priority::TresMap> gres = ParseGres(pair->value);
    if (gres.ok()) {
      tres = *std::move(gres);
      for (const auto& [name, count] : tres) gres_.insert(name);
      if (gres_.size() > errors::kMaxTresOfCluster) {
        Error(*pair, absl::StrCat("got more than ", errors::kMaxTresOfCluster,
                                  " names in all lines, want at most as many"));
        tres.clear();
      }
    } else {
      Error(*pair, gres.status().message());
    }
  }
  tres["cpu"] = CpusOf(record);
  tres["mem"] = CountOf(record, "realmemory", kMaxMegabytes, 1);
  tres["node"] = 1;
  return tres;
}

std::vector<std::string> NodeLines::Expand(const ConfPair& pair) {
  absl::StatusOr<std::vector<std::string>> hosts = ExpandHostlist(pair.value);
  if (hosts.ok()) return *std::move(hosts);
  Error(pair, hosts.status().message());
  return {};
}

NodeTotals NodeLines::Sum(const absl::flat_hash_map<int32_t, int64_t>& nodes_by_group) const {
  NodeTotals totals;
  for (const auto& [group, nodes] : nodes_by_group) {
    if (groups_[group].future) continue;
    totals.nodes += static_cast<double>(nodes);
    for (const auto& [name, count] : groups_[group].tres) {
      totals.tres[name] += count * static_cast<double>(nodes);
    }
  }
  return totals;
}

const NodeTotals& NodeLines::Totals() {
  if (totals_.has_value()) return *totals_;
  absl::flat_hash_map<int32_t, int64_t> nodes_by_group;
  for (size_t i = 0; i < groups_.size(); ++i) {
    nodes_by_group[static_cast<int32_t>(i)] = groups_[i].nodes;
  }
  return totals_.emplace(Sum(nodes_by_group));
}

bool NodeLines::Charge(size_t hosts) {
  partition_hosts_ += static_cast<int64_t>(hosts);
  return partition_hosts_ <= kMaxPartitionHosts;
}

void NodeLines::AppendFeature(const std::string& feature, std::vector<std::string>& hosts) {
  if (!Charge(nodes_.size())) return;
  std::vector<bool> has_feature;
  for (const Group& group : groups_) {
    const std::vector<absl::string_view> features = absl::StrSplit(group.features, ',');
    has_feature.push_back(std::find(features.begin(), features.end(), feature) != features.end());
  }
  for (const auto& [host, node] : nodes_) {
    if (has_feature[node.group]) hosts.push_back(host);
  }
}

void NodeLines::AppendName(const std::string& name, std::vector<std::string>& hosts) {
  const auto set = sets_.find(name);
  if (set == sets_.end()) {
    if (Charge(1)) hosts.push_back(name);
    return;
  }
  if (const ConfPair* nodes = set->second.Find("nodes")) {
    std::vector<std::string> members = Expand(*nodes);
    if (!Charge(members.size() + 1)) return;
    std::move(members.begin(), members.end(), std::back_inserter(hosts));
  }
  if (const ConfPair* feature = set->second.Find("feature")) AppendFeature(feature->value, hosts);
}

int NodeLines::GroupOf(const std::string& host) const {
  const auto node = nodes_.find(host);
  if (node == nodes_.end() || groups_[node->second.group].future) return -1;
  return node->second.group;
}

std::vector<std::string> NodeLines::HostsOf(const ConfPair& nodes) {
  std::vector<std::string> hosts;
  if (absl::EqualsIgnoreCase(nodes.value, "ALL")) {
    for (const auto& [host, node] : nodes_) hosts.push_back(host);
    return hosts;
  }
  for (const std::string& name : Expand(nodes)) AppendName(name, hosts);
  return hosts;
}

NodeTotals NodeLines::TotalsOf(const ConfPair& nodes) {
  if (absl::EqualsIgnoreCase(nodes.value, "ALL")) return Totals();
  std::vector<std::string> hosts;
  for (const std::string& name : Expand(nodes)) AppendName(name, hosts);
  if (!Charge(0)) {
    Error(nodes, absl::StrCat("got more than ", kMaxPartitionHosts,
                              " hosts in all partitions, want fewer"));
    return {};
  }
  if (!any()) {
    std::sort(hosts.begin(), hosts.end());
    return {static_cast<double>(std::unique(hosts.begin(), hosts.end()) - hosts.begin()), {}};
  }
  ++counting_;
  absl::flat_hash_map<int32_t, int64_t> nodes_by_group;
  for (const std::string& host : hosts) {
    const auto node = nodes_.find(host);
    if (node == nodes_.end()) {
      Error(nodes, absl::StrCat("got node ", Quoted(host), ", want nodes with a NodeName line"));
      return {};
    }
    if (node->second.counted_in != counting_) ++nodes_by_group[node->second.group];
    node->second.counted_in = counting_;
  }
  return Sum(nodes_by_group);
}

}  // namespace priorityd::slurm
