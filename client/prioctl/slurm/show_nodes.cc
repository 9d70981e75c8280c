#include "client/prioctl/slurm/show_nodes.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/command/environment.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/nodes/host_lists.h"
#include "client/prioctl/nodes/node_sheet.h"
#include "client/prioctl/slurm/known_nodes.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::prioctl {
namespace {

enum class NodeEntity { kNone, kNodes, kHostNames, kHostList, kSortedHostList };

struct EntityName {
  const char* name;
  size_t least;  // The shortest word that stands for it.
  NodeEntity entity;
};
constexpr EntityName kEntities[] = {{"nodes", 1, NodeEntity::kNodes},
                                    {"nodename", 5, NodeEntity::kNodes},
                                    {"hostnames", 5, NodeEntity::kHostNames},
                                    {"hostlist", 5, NodeEntity::kHostList},
                                    {"hostlistsorted", 9, NodeEntity::kSortedHostList}};

// `show`, the entity, and its value, which may follow `=`.
struct ShowWords {
  NodeEntity entity = NodeEntity::kNone;
  std::string value;  // Several words are joined by blanks.
};

ShowWords Read(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[0].empty() || !absl::StartsWithIgnoreCase("show", words[0])) {
    return {};
  }
  const std::pair<std::string, std::string> entity =
      absl::StrSplit(words[1], absl::MaxSplits('=', 1));
  const auto* found = absl::c_find_if(kEntities, [&](const EntityName& known) {
    return entity.first.size() >= known.least &&
           absl::StartsWithIgnoreCase(known.name, entity.first);
  });
  if (found == std::end(kEntities)) return {};
  if (words.size() == 2) return {found->entity, entity.second};
  return {found->entity, absl::StrJoin(words.begin() + 2, words.end(), " ")};
}

absl::Status PrintHosts(const ShowWords& words, Console& console) {
  std::string text = words.value;
  if (words.entity == NodeEntity::kHostNames) {
    SetFromEnvironment("SLURM_JOB_NODELIST", &text);
    SetFromEnvironment("SLURM_NODELIST", &text);
  }
  if (text == "-" || absl::StartsWith(text, "/")) {
    absl::StatusOr<std::string> content = ReadFile(text);
    if (!content.ok()) return content.status();
    text = *std::move(content);
  }
  const auto printed = words.entity == NodeEntity::kHostNames  ? nodes::HostNames(text)
                       : words.entity == NodeEntity::kHostList ? nodes::HostList(text)
                                                               : nodes::SortedHostList(text);
  if (!printed.ok()) return printed.status();
  console.out << *printed;
  return absl::OkStatus();
}

absl::Status PrintNodes(const std::string& names, const jobs::ScontrolOptions& options,
                        const std::string& nodes_file, const client::PriorityClient& client,
                        Console& console) {
  if (options.json) return absl::InvalidArgumentError("show node: no --json");
  const auto wanted = slurm::ExpandHostlist(names);
  if (!wanted.ok()) return wanted.status();
  const auto known = ReadKnownNodes("scontrol", nodes_file, client, console.err);
  if (!known.ok()) return known.status();
  const std::vector<nodes::Node>& all = known->cluster.nodes;
  for (const nodes::Node& node : all) {
    const bool is_wanted = wanted->empty() || absl::c_linear_search(*wanted, node.name);
    if (is_wanted) console.out << nodes::NodeSheet(node, options.one_line);
  }
  for (const std::string& name : *wanted) {
    if (absl::c_any_of(all, [&](const nodes::Node& node) { return node.name == name; })) continue;
    console.out << "Node " << name << " not found\n";
    console.exit_code = 1;
  }
  if (wanted->empty() && all.empty()) console.out << "No nodes in the system\n";
  return absl::OkStatus();
}

}  // namespace

bool ShowsNodes(const std::vector<std::string>& words) {
  return Read(words).entity != NodeEntity::kNone;
}

absl::Status ShowNodes(const jobs::ScontrolOptions& options, const std::string& nodes_file,
                       const client::PriorityClient& client, Console& console) {
  const ShowWords words = Read(options.words);
  if (words.entity != NodeEntity::kNodes) return PrintHosts(words, console);
  return PrintNodes(words.value, options, nodes_file, client, console);
}

}  // namespace priorityd::prioctl
