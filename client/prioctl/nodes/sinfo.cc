#include "client/prioctl/nodes/sinfo.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/nodes/sinfo_fields.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::nodes {
namespace {

constexpr size_t kLeastWidth = 9;  // Of partitions and nodes.

// sinfo's tables; their partitions and nodes are as wide as the longest name.
std::string DefaultFormat(const SinfoOptions& options, size_t partition, size_t node) {
  if (options.summary) return absl::StrCat("%", partition, "P %.5a %.10l %.16F %N");
  if (options.by_node && options.long_listing) {
    return absl::StrCat("%", node, "N %.6D %.", partition,
                        "P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E");
  }
  if (options.by_node) return absl::StrCat("%", node, "N %.6D %.", partition, "P %6t");
  if (options.reasons) {
    return options.long_listing ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  }
  return absl::StrCat(
      "%", partition, "P %.5a %.10l ",
      options.long_listing ? "%.10s %.4r %.8h %.10g %.6D %.11T %N" : "%.6D %.6t %N");
}

absl::StatusOr<std::vector<SinfoColumn>> ColumnsOf(const SinfoOptions& options,
                                                   const ClusterNodes& cluster) {
  if (!options.long_format.empty()) return ParseSinfoLongFormat(options.long_format);
  if (!options.format.empty()) return ParseSinfoFormat(options.format);
  size_t partition = kLeastWidth, node = kLeastWidth;
  for (const NodePartition& each : cluster.partitions) {
    const bool is_default = each.Setting("Default", "NO") == "YES";
    partition = std::max(partition, each.name().size() + (is_default ? 1 : 0));
  }
  for (const Node& each : cluster.nodes) node = std::max(node, each.name.size());
  return ParseSinfoFormat(DefaultFormat(options, partition, node));
}

// The nodes that -n and -t select.
struct NodeFilter {
  bool by_name = false;
  std::set<std::string> names;
  StateSet states;

  bool Passes(const Node& node) const {
    return (!by_name || names.contains(node.name)) && states.Has(node.state, node.reserved);
  }
  // Nodes of which only the number is known.
  bool PassesUnlisted() const { return !by_name && states.Has(NodeState::kUnknown, Reserved::kNo); }
};

absl::StatusOr<NodeFilter> FilterOf(const SinfoOptions& options) {
  NodeFilter filter;
  if (!options.nodes.empty()) {
    auto names = slurm::ExpandHostlist(options.nodes);
    if (!names.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--node: ", names.status().message()));
    }
    filter.by_name = true;
    filter.names.insert(names->begin(), names->end());
  }
  const std::string states =
      options.states.empty() && options.reasons ? "down,fail,drain" : options.states;
  auto parsed = ParseStates(states);
  if (!parsed.ok()) return parsed.status();
  filter.states = *std::move(parsed);
  return filter;
}

// Gathers rows: nodes go to one row if the columns show them alike.
class Rows {
 public:
  Rows(const SinfoOptions& options, absl::Span<const SinfoColumn> columns, std::string preempt_mode)
      : options_(options), columns_(columns), preempt_mode_(std::move(preempt_mode)) {}

  void AddPartition(const ClusterNodes& cluster, size_t place, const NodeFilter& filter) {
    const NodePartition& partition = cluster.partitions[place];
    SinfoRow empty;
    if (!options_.reasons) empty.partition = &partition;
    empty.partition_place = place;
    empty.preempt_mode = preempt_mode_;
    const size_t before = added_;
    for (const int number : partition.nodes) {
      if (!filter.Passes(cluster.nodes[number])) continue;
      SinfoRow row = empty;
      row.nodes.push_back(&cluster.nodes[number]);
      Add(std::move(row));
    }
    if (partition.unlisted_nodes > 0 && filter.PassesUnlisted()) {
      SinfoRow row = empty;
      row.unlisted_nodes = partition.unlisted_nodes;
      row.unlisted_cpus = partition.unlisted_cpus;
      Add(std::move(row));
    }
    const bool names_partition = absl::c_any_of(columns_, [](const SinfoColumn& column) {
      return column.field != nullptr && column.field->splits == Splits::kPartitions;
    });
    const bool shows_empty = names_partition && !options_.by_node && !options_.reasons;
    if (added_ == before && shows_empty) Add(std::move(empty));
  }

  std::vector<SinfoRow> Take() { return std::move(rows_); }

 private:
  bool Separates(Splits splits) const {
    if (splits == Splits::kPartitions) return !options_.reasons;
    return splits == Splits::kNodes || (splits == Splits::kExactNodes && options_.exact);
  }

  // Equal for rows of nodes that the columns show alike.
  std::string KeyOf(const SinfoRow& row) const {
    if (options_.by_node) return absl::StrCat(added_);
    std::string key;
    for (const SinfoColumn& column : columns_) {
      if (column.field == nullptr || !Separates(column.field->splits)) continue;
      absl::StrAppend(&key, column.field->text(row), absl::string_view("\0", 1));
    }
    return key;
  }

  void Add(SinfoRow row) {
    const auto [found, is_new] = row_of_.emplace(KeyOf(row), rows_.size());
    ++added_;
    if (is_new) {
      rows_.push_back(std::move(row));
      return;
    }
    SinfoRow& into = rows_[found->second];
    for (const Node* node : row.nodes) {
      if (!absl::c_linear_search(into.nodes, node)) into.nodes.push_back(node);
    }
    into.unlisted_nodes += row.unlisted_nodes;
    into.unlisted_cpus += row.unlisted_cpus;
  }

  const SinfoOptions& options_;
  const absl::Span<const SinfoColumn> columns_;
  const std::string preempt_mode_;
  std::map<std::string, size_t> row_of_;
  std::vector<SinfoRow> rows_;
  size_t added_ = 0;
};

std::string SortOf(const SinfoOptions& options) {
  if (!options.sort.empty()) return options.sort;
  return options.by_node ? "N" : "#P,-t";
}

}  // namespace

absl::Status CheckSinfo(const SinfoOptions& options) {
  absl::Status checked = ColumnsOf(options, {}).status();
  checked.Update(FilterOf(options).status());
  std::vector<SinfoRow> none;
  checked.Update(SortSinfo(SortOf(options), &none));
  return checked;
}

absl::Status PrintSinfo(const ClusterNodes& cluster, const SinfoOptions& options,
                        const std::string& preempt_mode, absl::Time now, std::ostream& out) {
  const auto columns = ColumnsOf(options, cluster);
  if (!columns.ok()) return columns.status();
  const auto filter = FilterOf(options);
  if (!filter.ok()) return filter.status();
  Rows gathered(options, *columns, preempt_mode);
  for (size_t place = 0; place < cluster.partitions.size(); ++place) {
    const std::string& name = cluster.partitions[place].name();
    const bool is_wanted =
        options.partitions.empty() || absl::c_linear_search(options.partitions, name);
    if (is_wanted) gathered.AddPartition(cluster, place, *filter);
  }
  std::vector<SinfoRow> rows = gathered.Take();
  if (absl::Status s = SortSinfo(SortOf(options), &rows); !s.ok()) return s;
  if (options.header && options.long_listing) {
    out << absl::FormatTime("%a %b %d %H:%M:%S %Y", now, absl::LocalTimeZone()) << '\n';
  }
  if (options.header) out << SinfoLine(*columns, nullptr) << '\n';
  for (const SinfoRow& row : rows) out << SinfoLine(*columns, &row) << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::nodes
