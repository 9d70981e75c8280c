// Just enough of slurm.conf for the captured ones: the priority parameters are
// read, the nodes and partitions, which are the same in all, are written out.
#include "tests/oracle/captured_policy.h"

#include <cstdlib>
#include <functional>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/oracle/tsv.h"

namespace priorityd {
namespace {

using Setter = std::function<void(Policy&, const std::string&)>;

void SetFlag(Policy& policy, const std::string& flag) {
  static const std::map<std::string, std::function<void(Policy&)>> kFlags = {
      {"ACCRUE_ALWAYS", [](Policy& p) { p.accrue_always = true; }},
      {"NO_FAIR_TREE", [](Policy& p) { p.algorithm = FairShareAlgorithm::kClassic; }},
      {"DEPTH_OBLIVIOUS", [](Policy& p) { p.algorithm = FairShareAlgorithm::kDepthOblivious; }},
      {"INCR_ONLY", [](Policy& p) { p.incr_only = true; }},
      {"MAX_TRES", [](Policy& p) { p.max_tres = true; }},
      {"NO_NORMAL_ASSOC", [](Policy& p) { p.no_normal_assoc = true; }},
      {"NO_NORMAL_TRES", [](Policy& p) { p.no_normal_tres = true; }},
      {"NO_NORMAL_ALL",
       [](Policy& p) {
         p.no_normal_assoc = p.no_normal_part = p.no_normal_qos = p.no_normal_tres = true;
       }},
      {"SMALL_RELATIVE_TO_TIME", [](Policy& p) { p.small_relative_to_time = true; }}};
  kFlags.at(flag)(policy);
}

TresMap Weights(const std::string& text) {
  TresMap weights;
  for (const absl::string_view term : absl::StrSplit(text, ',')) {
    const std::vector<std::string> parts = absl::StrSplit(term, '=');
    weights[absl::AsciiStrToLower(parts.at(0))] = NumberOf(parts.at(1));
  }
  return weights;
}

absl::Duration DaysHoursMinutes(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, absl::ByAnyChar("-:"));
  return absl::Hours(24 * IntegerOf(parts.at(0)) + IntegerOf(parts.at(1))) +
         absl::Minutes(IntegerOf(parts.at(2)));
}

const std::map<std::string, Setter>& Setters() {
  static const auto& setters = *new std::map<std::string, Setter>{
      {"PriorityFlags", SetFlag},
      {"PriorityMaxAge", [](Policy& p, const std::string& v) { p.max_age = DaysHoursMinutes(v); }},
      {"PriorityFavorSmall", [](Policy& p, const std::string& v) { p.favor_small = v == "YES"; }},
      {"PriorityWeightAge", [](Policy& p, const std::string& v) { p.weight_age = IntegerOf(v); }},
      {"PriorityWeightAssoc",
       [](Policy& p, const std::string& v) { p.weight_assoc = IntegerOf(v); }},
      {"PriorityWeightFairshare",
       [](Policy& p, const std::string& v) { p.weight_fair_share = IntegerOf(v); }},
      {"PriorityWeightJobSize",
       [](Policy& p, const std::string& v) { p.weight_job_size = IntegerOf(v); }},
      {"PriorityWeightPartition",
       [](Policy& p, const std::string& v) { p.weight_partition = IntegerOf(v); }},
      {"PriorityWeightQOS", [](Policy& p, const std::string& v) { p.weight_qos = IntegerOf(v); }},
      {"PriorityWeightTRES", [](Policy& p, const std::string& v) { p.weight_tres = Weights(v); }}};
  return setters;
}

Partition MakePartition(const std::string& name, int large_nodes, int small_nodes,
                        uint32_t factor) {
  // n[1-4]: 64 CPUs, 64000 MB, 4 GPUs; n[5-8]: 32 CPUs, 128000 MB.
  Partition partition;
  partition.name = name;
  partition.nodes = large_nodes + small_nodes;
  partition.tres["cpu"] = 64 * large_nodes + 32 * small_nodes;
  partition.tres["mem"] = 64000 * large_nodes + 128000 * small_nodes;
  partition.tres["node"] = partition.nodes;
  partition.tres["gres/gpu"] = 4 * large_nodes;
  partition.priority_job_factor = factor;
  return partition;
}

std::vector<Partition> Partitions() {
  Partition main = MakePartition("main", 4, 4, 10);
  main.is_default = true;
  main.billing_weights = {{"cpu", 1}, {"mem", .25 / 1024}, {"gres/gpu", 8}};
  Partition fast = MakePartition("fast", 4, 0, 100);
  fast.max_time = absl::Minutes(120);
  fast.priority_tier = 5;
  fast.billing_weights = {{"cpu", 2}};
  Partition half = MakePartition("half", 2, 2, 37);
  half.max_time = absl::Hours(24);
  return {main, fast, MakePartition("low", 0, 4, 0), half};
}

}  // namespace

SnapshotSource ReadConfiguration(const std::string& path) {
  SnapshotSource source;
  source.policy.half_life = absl::InfiniteDuration();
  source.policy.fair_tree_ties = FairTreeTies::kSlurm;
  for (const std::string& line : ReadLines(path)) {
    const std::pair<std::string, std::string> parameter =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const auto setter = Setters().find(parameter.first);
    if (setter != Setters().end()) setter->second(source.policy, parameter.second);
  }
  source.cluster = {"orc", 8, 384, {{"mem", 768000}, {"gres/gpu", 16}}};
  source.partitions = Partitions();
  return source;
}

}  // namespace priorityd
