// The columns of sinfo, and its rows.
#ifndef PRIORITYD_CLIENT_PRIOCTL_NODES_SINFO_FIELDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_NODES_SINFO_FIELDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/prioctl/nodes/cluster_nodes.h"

namespace priorityd::nodes {

// Nodes of one partition that are alike in the shown columns.
struct SinfoRow {
  const NodePartition* partition = nullptr;
  size_t partition_place = 0;  // In the order of the partitions.
  std::vector<const Node*> nodes;
  // Nodes that are only counted.
  double unlisted_nodes = 0;
  double unlisted_cpus = 0;
  std::string preempt_mode;  // Of partitions without one of their own.
};

// The rows that a column separates.
enum class Splits {
  kNothing,
  kPartitions,  // Partitions with different texts.
  kNodes,       // Nodes with different texts.
  kExactNodes,  // The same, with sinfo --exact alone; else the text is the smallest one and `+`.
};

struct SinfoField {
  char letter;       // Of --format and --sort; 0 = has none.
  const char* name;  // Of --Format, in small letters.
  const char* heading;
  std::string (*text)(const SinfoRow& row);
  Splits splits;
};

struct SinfoColumn {
  std::string text;                   // Before the column.
  const SinfoField* field = nullptr;  // Null = none: the text alone.
  int width = 0;                      // 0 = as wide as it needs.
  bool right = false;
};

// INVALID_ARGUMENT for a letter or a name that is none.
absl::StatusOr<std::vector<SinfoColumn>> ParseSinfoFormat(absl::string_view format);
absl::StatusOr<std::vector<SinfoColumn>> ParseSinfoLongFormat(absl::string_view format);

// A line without its end; of the headings for a null row.
std::string SinfoLine(absl::Span<const SinfoColumn> columns, const SinfoRow* row);

// Sorts by keys such as `#P,-t` (#P: the partitions' order); rows that are equal stay in their
// order. INVALID_ARGUMENT for a letter that is none.
absl::Status SortSinfo(absl::string_view keys, std::vector<SinfoRow>* rows);

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_SINFO_FIELDS_H_
