#include "client/prioctl/nodes/sinfo_fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/prioctl/jobs/format_text.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/words/closest_word.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::nodes {
namespace {

using Row = SinfoRow;

constexpr char kNull[] = "(null)";
constexpr char kUnknown[] = "n/a";

std::string Whole(double value) { return absl::StrFormat("%.0f", value); }

// Of nodes whose numbers differ, `8+`; 0 without nodes.
template <typename Number>
std::string Least(const Row& row, Number number) {
  if (row.nodes.empty()) return row.unlisted_nodes > 0 ? kUnknown : "0";
  double least = number(*row.nodes.front()), most = least;
  for (const Node* node : row.nodes) {
    least = std::min(least, static_cast<double>(number(*node)));
    most = std::max(most, static_cast<double>(number(*node)));
  }
  return absl::StrCat(Whole(least), most > least ? "+" : "");
}

// Of the first node, which is as the others.
template <typename Text>
std::string OfNode(const Row& row, Text text, const char* otherwise = kNull) {
  return row.nodes.empty() ? otherwise : text(*row.nodes.front());
}

bool IsOther(NodeState state) {
  return state != NodeState::kIdle && state != NodeState::kMixed && state != NodeState::kAllocated;
}
// Has jobs, whether it takes more or not.
bool IsUsed(NodeState state) {
  return state == NodeState::kMixed || state == NodeState::kAllocated ||
         state == NodeState::kDraining;
}

struct Counts {
  double used = 0;
  double idle = 0;
  double other = 0;
  double total = 0;
};

Counts NodeCounts(const Row& row) {
  Counts counts;
  for (const Node* node : row.nodes) {
    if (IsUsed(node->state)) {
      ++counts.used;
    } else {
      ++(node->state == NodeState::kIdle ? counts.idle : counts.other);
    }
  }
  counts.other += row.unlisted_nodes;
  counts.total = static_cast<double>(row.nodes.size()) + row.unlisted_nodes;
  return counts;
}

Counts CpuCounts(const Row& row) {
  Counts counts;
  for (const Node* node : row.nodes) {
    const double used = std::min(node->allocated_cpus, node->cpus);
    counts.used += used;
    (IsOther(node->state) ? counts.other : counts.idle) += node->cpus - used;
    counts.total += node->cpus;
  }
  counts.other += row.unlisted_cpus;
  counts.total += row.unlisted_cpus;
  return counts;
}

std::string Aiot(const Counts& counts) {
  // A part of a CPU is used as a whole one is.
  // Adding 0 makes 0 of -0.
  const double used = std::ceil(counts.used - 1e-6) + 0.0, idle = std::floor(counts.idle + 1e-6);
  return absl::StrCat(Whole(used), "/", Whole(idle), "/", Whole(counts.total - used - idle), "/",
                      Whole(counts.total));
}

std::string NodeAi(const Row& row) {
  return absl::StrCat(Whole(NodeCounts(row).used), "/", Whole(NodeCounts(row).idle));
}
std::string NodeAiot(const Row& row) { return Aiot(NodeCounts(row)); }
std::string CpuAiot(const Row& row) { return Aiot(CpuCounts(row)); }
std::string NodeCount(const Row& row) { return Whole(NodeCounts(row).total); }

std::string NodeList(const Row& row) {
  std::vector<std::string> names;
  for (const Node* node : row.nodes) names.push_back(node->name);
  const std::string listed = slurm::CompressHosts(std::move(names));
  if (row.unlisted_nodes == 0) return listed;
  return listed.empty() ? kUnknown : absl::StrCat(listed, ",", kUnknown);
}

template <std::string (*kText)(NodeState, Reserved)>
std::string State(const Row& row) {
  const char* otherwise = row.unlisted_nodes > 0 ? "unk" : kUnknown;
  return OfNode(
      row, [](const Node& node) { return kText(node.state, node.reserved); }, otherwise);
}

std::string Cpus(const Row& row) {
  return Least(row, [](const Node& node) { return node.cpus; });
}
std::string Memory(const Row& row) {
  return Least(row, [](const Node& node) { return std::max(1.0, node.memory); });
}
std::string AllocMemory(const Row& row) {
  return Least(row, [](const Node& node) { return node.allocated_memory; });
}
std::string Disk(const Row& row) {
  return Least(row, [](const Node& node) {
    double disk = 0;
    return absl::SimpleAtod(node.Setting("tmpdisk", "0"), &disk) ? disk : 0;
  });
}
std::string Weight(const Row& row) {
  return Least(row, [](const Node& node) {
    double weight = 1;
    return absl::SimpleAtod(node.Setting("weight", "1"), &weight) ? weight : 1;
  });
}
std::string Sockets(const Row& row) {
  return Least(row, [](const Node& node) { return node.Sockets(); });
}
std::string Cores(const Row& row) {
  return Least(row, [](const Node& node) { return node.Cores(); });
}
std::string Threads(const Row& row) {
  return Least(row, [](const Node& node) { return node.Threads(); });
}
std::string Sct(const Row& row) {
  return absl::StrCat(Sockets(row), ":", Cores(row), ":", Threads(row));
}

std::string Features(const Row& row) {
  return OfNode(row, [](const Node& node) {
    return node.Setting("features", node.Setting("feature", kNull));
  });
}
std::string Gres(const Row& row) {
  return OfNode(row, [](const Node& node) { return node.Setting("gres", kNull); });
}
// `gpu:1` of gres/gpu, `gpu:a100:1` of gres/gpu:a100.
std::string GresUsed(const Row& row) {
  return OfNode(row, [](const Node& node) {
    std::vector<std::string> texts;
    for (const auto& [name, count] : node.gres) {
      const auto used = node.used_gres.find(name);
      texts.push_back(absl::StrCat(absl::StripPrefix(name, "gres/"), ":",
                                   used == node.used_gres.end() ? 0 : used->second));
    }
    return texts.empty() ? std::string(kNull) : absl::StrJoin(texts, ",");
  });
}
std::string Reason(const Row& row) {
  return OfNode(
      row, [](const Node& node) { return node.Setting("reason", "none"); }, "none");
}
std::string HostName(const Row& row) {
  return OfNode(
      row, [](const Node& node) { return node.name; }, "");
}

std::string PartitionSetting(const Row& row, const char* name, const char* otherwise) {
  return row.partition == nullptr ? kUnknown : row.partition->Setting(name, otherwise);
}
std::string PartitionName(const Row& row) {
  return row.partition == nullptr ? kUnknown : row.partition->name();
}
std::string Partition(const Row& row) {
  const bool is_default = PartitionSetting(row, "Default", "NO") == "YES";
  return absl::StrCat(PartitionName(row), is_default ? "*" : "");
}
std::string Available(const Row& row) {
  return absl::AsciiStrToLower(PartitionSetting(row, "State", "UP"));
}
std::string TimeOf(const Row& row, const char* name, const char* otherwise) {
  const std::string text = PartitionSetting(row, name, "");
  const auto time = slurm::ParseTimeString(text);
  if (text.empty() || !time.ok()) return otherwise;
  return *time == absl::InfiniteDuration() ? "infinite" : jobs::ShortDurationText(*time);
}
std::string TimeLimit(const Row& row) { return TimeOf(row, "MaxTime", "infinite"); }
std::string DefaultTime(const Row& row) { return TimeOf(row, "DefaultTime", kUnknown); }
// `1-infinite`, `2-8`, `1`.
std::string JobSize(const Row& row) {
  const std::string most = PartitionSetting(row, "MaxNodes", "UNLIMITED");
  const std::string least = PartitionSetting(row, "MinNodes", "0");
  const std::string from = least == "0" ? "1" : least;
  if (from == most) return from;
  return absl::StrCat(from, "-", most == "UNLIMITED" ? "infinite" : most);
}
std::string Root(const Row& row) {
  return PartitionSetting(row, "RootOnly", "NO") == "YES" ? "yes" : "no";
}
std::string Groups(const Row& row) {
  const std::string groups = PartitionSetting(row, "AllowGroups", "ALL");
  return groups == "ALL" ? "all" : groups;
}
std::string PriorityTier(const Row& row) { return PartitionSetting(row, "PriorityTier", "1"); }
std::string JobFactor(const Row& row) { return PartitionSetting(row, "PriorityJobFactor", "1"); }
std::string MaxCpusPerNode(const Row& row) {
  return PartitionSetting(row, "MaxCPUsPerNode", "UNLIMITED");
}
std::string PreemptMode(const Row& row) {
  return PartitionSetting(row, "PreemptMode", row.preempt_mode.c_str());
}
// Fields that only slurmctld and slurmd know.
std::string NotKnown(const Row&) { return kUnknown; }
std::string NotAvailable(const Row&) { return "N/A"; }
std::string UnknownText(const Row&) { return "Unknown"; }

constexpr Splits kPart = Splits::kPartitions;
constexpr Splits kNode = Splits::kNodes;
constexpr Splits kExact = Splits::kExactNodes;
constexpr Splits kNo = Splits::kNothing;

constexpr SinfoField kFields[] = {
    {'P', "partition", "PARTITION", Partition, kPart},
    {'R', "partitionname", "PARTITION", PartitionName, kPart},
    {'a', "available", "AVAIL", Available, kPart},
    {'l', "time", "TIMELIMIT", TimeLimit, kPart},
    {'L', "defaulttime", "DEFAULTTIME", DefaultTime, kPart},
    {'s', "size", "JOB_SIZE", JobSize, kPart},
    {'r', "root", "ROOT", Root, kPart},
    {'h', "oversubscribe", "OVERSUBSCRIBE", NotKnown, kPart},
    {'g', "groups", "GROUPS", Groups, kPart},
    {'p', "prioritytier", "PRIO_TIER", PriorityTier, kPart},
    {'I', "priorityjobfactor", "PRIO_JOB_FACTOR", JobFactor, kPart},
    {'B', "maxcpuspernode", "MAX_CPUS_PER_NODE", MaxCpusPerNode, kPart},
    {'M', "preemptmode", "PREEMPT_MODE", PreemptMode, kPart},
    {'S', "allocnodes", "ALLOCNODES", NotKnown, kNo},
    {'V', "cluster", "CLUSTER", NotAvailable, kNo},
    {'D', "nodes", "NODES", NodeCount, kNo},
    {'A', "nodeai", "NODES(A/I)", NodeAi, kNo},
    {'F', "nodeaiot", "NODES(A/I/O/T)", NodeAiot, kNo},
    {'C', "cpusstate", "CPUS(A/I/O/T)", CpuAiot, kNo},
    {'N', "nodelist", "NODELIST", NodeList, kNo},
    {'n', "nodehost", "HOSTNAMES", HostName, kNode},
    {'o', "nodeaddr", "NODE_ADDR", NotAvailable, kNo},
    {'t', "statecompact", "STATE", State<ShortStateText>, kNode},
    {'T', "statelong", "STATE", State<StateText>, kNode},
    {'c', "cpus", "CPUS", Cpus, kExact},
    {'m', "memory", "MEMORY", Memory, kExact},
    {0, "allocmem", "ALLOCMEM", AllocMemory, kNode},
    {'e', "freemem", "FREE_MEM", NotAvailable, kNo},
    {'d', "disk", "TMP_DISK", Disk, kExact},
    {'w', "weight", "WEIGHT", Weight, kExact},
    {'f', "features", "AVAIL_FEATURES", Features, kNode},
    {'b', "features_act", "ACTIVE_FEATURES", NotKnown, kNo},
    {'G', "gres", "GRES", Gres, kNode},
    {0, "gresused", "GRES_USED", GresUsed, kNode},
    {'z', "socketcorethread", "S:C:T", Sct, kExact},
    {'X', "sockets", "SOCKETS", Sockets, kExact},
    {'Y', "cores", "CORES", Cores, kExact},
    {'Z', "threads", "THREADS", Threads, kExact},
    {'O', "cpusload", "CPU_LOAD", NotAvailable, kNo},
    {'E', "reason", "REASON", Reason, kNode},
    {'u', "user", "USER", UnknownText, kNo},
    {'U', "userlong", "USER", UnknownText, kNo},
    {'H', "timestamp", "TIMESTAMP", UnknownText, kNo},
    {'i', "reservation", "RESERVATION", NotKnown, kNo},
    {'v', "version", "VERSION", NotAvailable, kNo},
};

const SinfoField* FindField(char letter) {
  const auto* found =
      absl::c_find_if(kFields, [&](const SinfoField& field) { return field.letter == letter; });
  return letter == 0 || found == std::end(kFields) ? nullptr : found;
}

const SinfoField* FindField(absl::string_view name) {
  const auto* found = absl::c_find_if(
      kFields, [&](const SinfoField& field) { return absl::EqualsIgnoreCase(field.name, name); });
  return found == std::end(kFields) ? nullptr : found;
}

std::string Letters() {
  std::string letters;
  for (const SinfoField& field : kFields) {
    if (field.letter != 0) letters.push_back(field.letter);
  }
  return letters;
}

// Numbers as such, other texts by their characters.
int CompareTexts(const std::string& a, const std::string& b) {
  double x = 0, y = 0;
  if (absl::SimpleAtod(a, &x) && absl::SimpleAtod(b, &y)) return x < y ? -1 : x > y;
  return a.compare(b);
}

struct SortKey {
  const SinfoField* field;
  int sign;
  bool by_place;  // Of partitions.
};

int Compare(const SortKey& key, const SinfoRow& a, const SinfoRow& b) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y; };
  if (key.by_place) return order(a.partition_place, b.partition_place);
  if (absl::ascii_tolower(key.field->letter) != 't') {
    return CompareTexts(key.field->text(a), key.field->text(b));
  }
  static const Node kNone = {.state = NodeState::kUnknown};
  const Node& first = a.nodes.empty() ? kNone : *a.nodes.front();
  const Node& second = b.nodes.empty() ? kNone : *b.nodes.front();
  return CompareStates(first.state, first.reserved, second.state, second.reserved);
}

}  // namespace

absl::StatusOr<std::vector<SinfoColumn>> ParseSinfoFormat(absl::string_view format) {
  std::vector<SinfoColumn> columns;
  for (const jobs::FormatPart& part : jobs::SplitFormat(format)) {
    columns.push_back({part.text, FindField(part.letter), part.width, part.right});
    if (columns.back().field != nullptr || part.letter == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--format: got field ", std::string(1, part.letter), ", want one of ", Letters()));
  }
  return columns;
}

absl::StatusOr<std::vector<SinfoColumn>> ParseSinfoLongFormat(absl::string_view format) {
  std::vector<SinfoColumn> columns;
  const std::vector<jobs::FormatPart> parts = jobs::SplitLongFormat(format);
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_end = i + 1 == parts.size();
    const jobs::FormatPart& part = parts[i];
    columns.push_back({part.text, is_end ? nullptr : FindField(part.name), part.width, part.right});
    if (columns.back().field != nullptr || is_end) continue;
    std::vector<std::string> names;
    for (const SinfoField& field : kFields) names.emplace_back(field.name);
    return absl::InvalidArgumentError(absl::StrCat("--Format: got field \"", part.name, "\"",
                                                   slurm::WantOneOf(part.name, names)));
  }
  return columns;
}

std::string SinfoLine(absl::Span<const SinfoColumn> columns, const SinfoRow* row) {
  std::string line;
  for (const SinfoColumn& column : columns) {
    line += column.text;
    if (column.field == nullptr) continue;
    const std::string text =
        row == nullptr ? column.field->heading : jobs::Visible(column.field->text(*row));
    line += jobs::Cell(text, column.width, column.right);
  }
  return line;
}

absl::Status SortSinfo(absl::string_view keys, std::vector<SinfoRow>* rows) {
  std::vector<SortKey> order;
  for (absl::string_view key : absl::StrSplit(keys, ',', absl::SkipEmpty())) {
    SortKey wanted{nullptr, 1, false};
    for (; !key.empty() && absl::StrContains("#+-", key.substr(0, 1)); key.remove_prefix(1)) {
      wanted.by_place = wanted.by_place || key.front() == '#';
      if (key.front() == '-') wanted.sign = -1;
    }
    wanted.field = key.size() == 1 ? FindField(key.front()) : nullptr;
    if (wanted.field == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("--sort: got \"", key, "\", want letters of ", Letters()));
    }
    order.push_back(wanted);
  }
  absl::c_stable_sort(*rows, [&](const SinfoRow& a, const SinfoRow& b) {
    for (const SortKey& key : order) {
      const int difference = key.sign * Compare(key, a, b);
      if (difference != 0) return difference < 0;
    }
    return false;
  });
  return absl::OkStatus();
}

}  // namespace priorityd::nodes
