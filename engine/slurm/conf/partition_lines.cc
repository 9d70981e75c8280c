#include "engine/slurm/conf/partition_lines.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/limit_parameters.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/conf/partition_state.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {
namespace {

constexpr uint64_t kMaxPriority = std::numeric_limits<uint16_t>::max();
// Counted for a partition besides its settings.
constexpr size_t kPartitionBytes = 256;
constexpr uint64_t kMaxNodeLimit = std::numeric_limits<uint32_t>::max();

constexpr absl::string_view kPartitionKeys[] = {
    "allowaccounts",  "allowgroups",       "allowqos",      "default",
    "defaulttime",    "defcpupergpu",      "defmempergpu",  "denyaccounts",
    "denyqos",        "disablerootjobs",   "gracetime",     "jobdefaults",
    "maxcpuspernode", "maxmempercpu",      "maxmempernode", "maxnodes",
    "maxtime",        "minnodes",          "nodes",         "preemptmode",
    "priority",       "priorityjobfactor", "prioritytier",  "qos",
    "reqresv",        "rootonly",          "state",         "tresbillingweights"};

bool IsUnlimited(absl::string_view text) {
  return absl::EqualsIgnoreCase(text, "UNLIMITED") || absl::EqualsIgnoreCase(text, "INFINITE");
}

std::string GotWant(absl::string_view got, absl::string_view want) {
  return absl::StrCat("got ", Quoted(got), ", want ", want);
}

// One partition's line, key by key.
class PartitionReader {
 public:
  PartitionReader(const ConfPair& name, const ConfRecord& record, FileViolations& violations,
                  std::vector<std::string>& warnings)
      : name_(name), record_(record), violations_(violations), warnings_(warnings) {}

  // The settings of the line for the jobs of the partition, except DefMemPerCPU and DefMemPerNode.
  priority::PartitionRules ReadRules() {
    priority::PartitionRules rules;
    ReadDefaults(rules);
    if (record_.Find("disablerootjobs") != nullptr) {
      rules.disable_root_jobs = ReadYesNo("disablerootjobs");
    }
    rules.requires_reservation = ReadYesNo("reqresv");
    if (const ConfPair* pair = record_.Find("preemptmode")) {
      rules.preempt_mode = SpellPreemptMode(pair->value);
    }
    if (const ConfPair* pair = record_.Find("gracetime")) ReadGrace(*pair, rules);
    return rules;
  }

  priority::Partition Read(NodeLines& nodes, absl::string_view preempt_mode) {
    partition_.name = name_.value;
    if (partition_.name.empty() || absl::StrContains(partition_.name, ",")) {
      Error(name_, GotWant(name_.value, "one name"));
    }
    if (absl::Status s = CheckName(partition_.name); !s.ok()) Error(name_, s.message());
    ReadPriorities();
    ReadTimes();
    ReadNodes(nodes);
    ReadAccess();
    partition_.is_default = ReadYesNo("default");
    partition_.root_only = ReadYesNo("rootonly");
    if (const ConfPair* pair = record_.Find("state")) ReadState(*pair);
    if (const ConfPair* pair = record_.Find("qos")) partition_.qos = pair->value;
    if (const ConfPair* pair = record_.Find("tresbillingweights")) {
      Set(*pair, ParseBillingWeights(pair->value), partition_.billing_weights);
    }
    ReadPreemption(preempt_mode);
    return std::move(partition_);
  }

 private:
  void Error(const ConfPair& pair, absl::string_view message) {
    violations_.Add(pair.place.file->name, pair.place.line, absl::StrCat(pair.key, ": ", message));
  }

  template <typename T, typename Field>
  void Set(const ConfPair& pair, absl::StatusOr<T> value, Field& field) {
    if (value.ok()) {
      field = *std::move(value);
    } else {
      Error(pair, value.status().message());
    }
  }

  void ReadInteger32(absl::string_view lower_key, uint64_t max, uint32_t& field) {
    const ConfPair* pair = record_.Find(lower_key);
    if (pair == nullptr) return;
    const std::optional<uint64_t> number =
        IsUnlimited(pair->value) ? max : ReadConfInteger(pair->value, max);
    if (number.has_value()) {
      field = static_cast<uint32_t>(*number);
    } else {
      Error(*pair, GotWant(pair->value, absl::StrCat("a whole number from 0 to ", max)));
    }
  }

  // Before Slurm 16.05 both were called Priority; in slurmctld the new names take precedence.
  void ReadPriorities() {
    ReadInteger32("priorityjobfactor", kMaxPriority, partition_.priority_job_factor);
    ReadInteger32("prioritytier", kMaxPriority, partition_.priority_tier);
    if (record_.Find("priority") == nullptr) return;
    ReadInteger32("priority", kMaxPriority, partition_.priority_job_factor);
    partition_.priority_tier = partition_.priority_job_factor;
  }

  void ReadTimes() {
    if (const ConfPair* pair = record_.Find("maxtime")) {
      Set(*pair, ParseMinutes(pair->value), partition_.max_time);
    }
    const ConfPair* pair = record_.Find("defaulttime");
    if (pair == nullptr || absl::EqualsIgnoreCase(pair->value, "NONE")) return;
    Set(*pair, ParseMinutes(pair->value), partition_.default_time);
    if (partition_.default_time.value_or(absl::ZeroDuration()) <= partition_.max_time) return;
    // The line may be a DEFAULT line, so the partition is named explicitly.
    warnings_.push_back(absl::StrCat(pair->place.Where(), ": ", pair->key, ": got ",
                                     Quoted(pair->value), " for partition ", partition_.name,
                                     ", whose MaxTime is ", FormatTimeString(partition_.max_time),
                                     "; ignored, as in slurmctld"));
    partition_.default_time.reset();
  }

  void ReadNodes(NodeLines& nodes) {
    if (const ConfPair* pair = record_.Find("nodes")) {
      NodeTotals totals = nodes.TotalsOf(*pair);
      partition_.nodes = totals.nodes;
      partition_.tres = std::move(totals.tres);
    }
    ReadInteger32("minnodes", kMaxNodeLimit, partition_.min_nodes);
    partition_.max_nodes = ReadMost("maxnodes");
    partition_.max_cpus_per_node = ReadMost("maxcpuspernode");
    // 0 means none.
    const std::optional<uint32_t> memory = ReadMost("maxmempernode");
    if (memory.value_or(0) > 0) partition_.max_mem_per_node = *memory;
  }

  // A whole number; nullopt if it is missing or unlimited.
  std::optional<uint32_t> ReadMost(absl::string_view lower_key) {
    const ConfPair* pair = record_.Find(lower_key);
    const bool unlimited = pair == nullptr || pair->value == "-1" || IsUnlimited(pair->value);
    if (unlimited) return std::nullopt;
    const std::optional<uint64_t> number = ReadConfInteger(pair->value, kMaxNodeLimit);
    if (number.has_value()) return static_cast<uint32_t>(*number);
    Error(*pair, GotWant(pair->value, "a whole number or UNLIMITED"));
    return std::nullopt;
  }

  // JobDefaults has the words of the other two, and holds before them.
  void ReadDefaults(priority::PartitionRules& rules) {
    const auto read = [&](const char* lower_key, std::optional<double>& field) {
      const ConfPair* pair = record_.Find(lower_key);
      if (pair == nullptr) return;
      field = ReadMegabytes(pair->value);
      if (!field.has_value()) Error(*pair, GotWant(pair->value, kDefaultMemoryWant));
    };
    read("defcpupergpu", rules.cpus_per_gpu);
    read("defmempergpu", rules.memory_per_gpu);
    read("maxmempercpu", rules.max_memory_per_cpu);
    if (const ConfPair* pair = record_.Find("jobdefaults")) {
      Set(*pair, ParseJobDefaults(pair->value, rules), rules);
    }
  }

  // `of_cluster`: the mode of a line without one.
  void ReadPreemption(absl::string_view of_cluster) {
    partition_.preempt_mode = SpellPreemptMode(of_cluster);
    partition_.preemptible = partition_.preempt_mode != "OFF";
    const ConfPair* pair = record_.Find("preemptmode");
    if (pair == nullptr) return;
    Set(*pair, ParsePreemptMode(pair->value), partition_.preemptible);
    partition_.preempt_mode = SpellPreemptMode(pair->value);
  }

  // Seconds.
  void ReadGrace(const ConfPair& pair, priority::PartitionRules& rules) {
    const std::optional<uint64_t> seconds = ReadConfInteger(pair.value, kMaxNodeLimit);
    if (!seconds.has_value()) Error(pair, GotWant(pair.value, "a number of seconds"));
    rules.grace_time = absl::Seconds(seconds.value_or(0));
  }

  // Slurm ignores a deny list if there is an allow list, and makes accounts and QOS lower case.
  void ReadAccess() {
    partition_.allow_accounts = ReadLowerNames("allowaccounts");
    partition_.deny_accounts = ReadDenied("denyaccounts", partition_.allow_accounts);
    partition_.allow_groups = ReadNames("allowgroups");
    partition_.allow_qos = ReadLowerNames("allowqos");
    partition_.deny_qos = ReadDenied("denyqos", partition_.allow_qos);
  }

  std::vector<std::string> ReadNames(absl::string_view lower_key) const {
    const ConfPair* pair = record_.Find(lower_key);
    if (pair == nullptr || absl::EqualsIgnoreCase(pair->value, "ALL")) return {};
    return absl::StrSplit(pair->value, ',', absl::SkipWhitespace());
  }

  std::vector<std::string> ReadLowerNames(absl::string_view lower_key) const {
    std::vector<std::string> names = ReadNames(lower_key);
    for (std::string& name : names) absl::AsciiStrToLower(&name);
    return names;
  }

  std::vector<std::string> ReadDenied(absl::string_view lower_key,
                                      const std::vector<std::string>& allowed) {
    std::vector<std::string> denied = ReadLowerNames(lower_key);
    if (allowed.empty() || denied.empty()) return denied;
    const ConfPair& pair = *record_.Find(lower_key);
    warnings_.push_back(absl::StrCat(pair.place.Where(), ": ", pair.key,
                                     " has no effect beside a list of those allowed"));
    return {};
  }

  bool ReadYesNo(absl::string_view lower_key) {
    const ConfPair* pair = record_.Find(lower_key);
    if (pair == nullptr) return false;
    bool yes = false;
    if (!ReadWord(pair->value, kYesNo, yes)) Error(*pair, GotWant(pair->value, "YES or NO"));
    return yes;
  }

  void ReadState(const ConfPair& pair) {
    const bool known = SetPartitionState(pair.value, &partition_);
    if (!known) Error(pair, GotWant(pair.value, "UP, DOWN, DRAIN or INACTIVE"));
  }

  const ConfPair& name_;
  const ConfRecord& record_;
  FileViolations& violations_;
  std::vector<std::string>& warnings_;
  priority::Partition partition_;
};

bool IsDefaultMemory(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "DefMemPerCPU") ||
         absl::EqualsIgnoreCase(name, "DefMemPerNode");
}

absl::Status ReadMemoryOf(const ConfPair& pair, priority::DefaultMemory& memory) {
  using priority::DefaultMemory;
  return absl::EqualsIgnoreCase(pair.key, "DefMemPerCPU")
             ? ReadDefaultMemory<&DefaultMemory::per_cpu>(pair.value, kDefaultMemoryWant, memory)
             : ReadDefaultMemory<&DefaultMemory::per_node>(pair.value, kDefaultMemoryWant, memory);
}

}  // namespace

bool IsPartitionKey(absl::string_view name) {
  return IsDefaultMemory(name) ||
         absl::c_linear_search(kPartitionKeys, absl::AsciiStrToLower(name));
}

void PartitionLines::Read(const ConfLine& line) {
  const ConfPair& name = line.pairs[0];
  for (const ConfPair& pair : line.pairs) {
    const std::string key = absl::AsciiStrToLower(pair.key);
    if (absl::StartsWith(key, "priority") && key != "priority" && key != "priorityjobfactor" &&
        key != "prioritytier") {
      violations_.Add(pair.place.file->name, pair.place.line,
                      absl::StrCat(pair.key,
                                   ": got an unknown parameter of a partition, want "
                                   "PriorityJobFactor or PriorityTier"));
    }
  }
  ReadMemory(line);
  if (absl::EqualsIgnoreCase(name.value, "DEFAULT")) {
    defaults_.Merge(line, kPartitionKeys, warnings_);
    return;
  }
  ConfRecord record = defaults_;
  record.Merge(line, kPartitionKeys, warnings_);
  bytes_ += kPartitionBytes + record.bytes();
  if (bytes_ > kMaxPartitionBytes) {
    violations_.Add(name.place.file->name, name.place.line,
                    absl::StrCat(name.key, ": got more than ", kMaxPartitionBytes,
                                 " bytes of settings of all lines with those of DEFAULT lines, "
                                 "want fewer lines or shorter settings"));
    return;
  }
  partitions_.emplace_back(name, std::move(record));
}

void PartitionLines::ReadMemory(const ConfLine& line) {
  std::optional<priority::DefaultMemory> memory = memory_of_defaults_;
  for (const ConfPair& pair : line.pairs) {
    if (!IsDefaultMemory(pair.key) || IsNull(pair.value) || pair.value.empty()) continue;
    if (!memory.has_value()) memory.emplace();
    if (const absl::Status s = ReadMemoryOf(pair, *memory); !s.ok()) {
      violations_.Add(pair.place.file->name, pair.place.line,
                      absl::StrCat(pair.key, ": ", s.message()));
    }
  }
  const std::string& name = line.pairs[0].value;
  if (absl::EqualsIgnoreCase(name, "DEFAULT")) {
    memory_of_defaults_ = memory;
  } else if (memory.has_value()) {
    default_memory_[name] = *memory;
  } else {
    default_memory_.erase(name);
  }
}

void PartitionLines::AddRules(const std::string& name, priority::PartitionRules rules) {
  const auto memory = default_memory_.find(name);
  if (memory != default_memory_.end()) rules.memory = memory->second;
  rules_.erase(name);
  if (rules != priority::PartitionRules()) rules_.emplace(name, std::move(rules));
}

std::vector<priority::Partition> PartitionLines::Finish(
    NodeLines& nodes, absl::string_view preempt_mode,
    std::vector<std::string>& all_nodes_partitions) {
  std::vector<priority::Partition> partitions;
  std::vector<bool> all_nodes;  // Nodes=ALL, by the same index.
  absl::flat_hash_map<std::string, size_t> index_by_name;
  std::optional<size_t> default_index;
  for (const auto& [name, record] : partitions_) {
    priority::Partition partition =
        PartitionReader(name, record, violations_, warnings_).Read(nodes, preempt_mode);
    AddRules(partition.name, PartitionReader(name, record, violations_, warnings_).ReadRules());
    const auto [entry, is_new] = index_by_name.emplace(partition.name, partitions.size());
    const size_t index = entry->second;
    if (is_new) {
      partitions.emplace_back();
      all_nodes.push_back(false);
    } else {
      warnings_.push_back(absl::StrCat(name.place.Where(), ": partition ", partition.name,
                                       " is given again; this line is used"));
    }
    if (partition.is_default && default_index.has_value() && *default_index != index) {
      warnings_.push_back(absl::StrCat(name.place.Where(), ": ", partition.name,
                                       " is the default partition, not ",
                                       partitions[*default_index].name));
      partitions[*default_index].is_default = false;
    }
    if (partition.is_default) default_index = index;
    partitions[index] = std::move(partition);
    const ConfPair* nodes_pair = record.Find("nodes");
    all_nodes[index] = nodes_pair != nullptr && absl::EqualsIgnoreCase(nodes_pair->value, "ALL");
  }
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (all_nodes[i]) all_nodes_partitions.push_back(partitions[i].name);
  }
  return partitions;
}

}  // namespace priorityd::slurm
