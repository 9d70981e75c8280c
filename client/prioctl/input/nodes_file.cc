#include "client/prioctl/input/nodes_file.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/conf/slurm_conf.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;
using v1::ClusterDescription;
using v1::NodeType;

absl::StatusOr<ClusterDescription> OfSlurmConf(const std::string& path) {
  auto files = ReadSlurmConf(path);
  if (!files.ok()) return files.status();
  std::vector<slurm::SourceFile> sources;
  for (v1::File& file : *files) {
    sources.push_back({file.name(), std::move(*file.mutable_content())});
  }
  auto description = DescribeNodes(sources);
  if (!description.ok() || description->node_types_size() > 0) return description;
  return absl::InvalidArgumentError(absl::StrCat(path, ": got no NodeName lines, want nodes"));
}

}  // namespace

absl::StatusOr<ClusterDescription> DescribeNodes(absl::Span<const slurm::SourceFile> sources) {
  const auto kinds = slurm::ReadNodeKinds(sources);
  if (!kinds.ok()) return kinds.status();
  ClusterDescription description;
  for (const slurm::NodeKind& kind : *kinds) {
    // A node in no partition runs nothing.
    if (kind.partitions.empty()) continue;
    NodeType& type = *description.add_node_types();
    type.set_name(kind.hosts.size() <= 64 ? kind.hosts
                                          : absl::StrCat("type", description.node_types_size()));
    type.set_hosts(kind.hosts);
    for (const auto& [name, count] : kind.tres) (*type.mutable_tres())[name] = count;
    for (const std::string& partition : kind.partitions) type.add_partitions(partition);
  }
  const auto conf = slurm::ParseAcceptedSlurmConf(sources);
  if (!conf.ok()) return conf.status();
  for (const auto& [name, count] : conf->licenses) (*description.mutable_licenses())[name] = count;
  return description;
}

absl::StatusOr<ClusterDescription> ReadNodes(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const absl::string_view json = absl::StripLeadingAsciiWhitespace(WithoutByteOrderMark(*text));
  if (!absl::StartsWith(json, "{")) return OfSlurmConf(path);
  ClusterDescription description;
  const absl::Status parsed = ParseJson(json, &description);
  if (parsed.ok()) return description;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", parsed.message()));
}

}  // namespace priorityd::prioctl
