#include "client/prioctl/nodes/node_sheet.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/numbers/number_text.h"

namespace priorityd::nodes {
namespace {

using numbers::NumberText;

// `cpu=8,mem=8000M,gres/gpu=2`, without what is 0.
std::string TresText(double cpus, double memory, const std::map<std::string, double>& gres) {
  std::vector<std::string> texts;
  if (cpus > 0) texts.push_back(absl::StrCat("cpu=", NumberText(cpus)));
  if (memory > 0) texts.push_back(absl::StrCat("mem=", jobs::MemoryText(memory)));
  for (const auto& [name, count] : gres) {
    if (count > 0) texts.push_back(absl::StrCat(name, "=", NumberText(count)));
  }
  return absl::StrJoin(texts, ",");
}

std::string UpperState(NodeState state) {
  if (state == NodeState::kDrained) return "IDLE+DRAIN";
  if (state == NodeState::kDraining) return "MIXED+DRAIN";
  return absl::AsciiStrToUpper(StateText(state));
}

const char* ReservedText(Reserved reserved) {
  if (reserved == Reserved::kNo) return "";
  return reserved == Reserved::kMaintenance ? "+MAINTENANCE+RESERVED" : "+RESERVED";
}

}  // namespace

std::string NodeSheet(const Node& node, bool one_line) {
  const bool is_known = node.state != NodeState::kUnknown;
  const std::string cpus = absl::StrCat("CPUTot=", NumberText(node.cpus));
  const double memory = std::max(1.0, node.memory);  // slurmctld's default is 1.
  std::vector<std::string> lines = {
      absl::StrCat("NodeName=", node.name, " CoresPerSocket=", node.Cores()),
      is_known ? absl::StrCat("CPUAlloc=", NumberText(node.allocated_cpus), " ", cpus) : cpus,
      absl::StrCat("AvailableFeatures=",
                   node.Setting("features", node.Setting("feature", "(null)"))),
      absl::StrCat("Gres=", node.Setting("gres", "(null)")),
      absl::StrCat("RealMemory=", NumberText(memory),
                   is_known ? absl::StrCat(" AllocMem=", NumberText(node.allocated_memory)) : "",
                   " Sockets=", node.Sockets(), " Boards=", node.Setting("boards", "1")),
      absl::StrCat("State=", UpperState(node.state), ReservedText(node.reserved),
                   " ThreadsPerCore=", node.Threads(), " TmpDisk=", node.Setting("tmpdisk", "0"),
                   " Weight=", node.Setting("weight", "1")),
      absl::StrCat("Partitions=", absl::StrJoin(node.partitions, ",")),
      absl::StrCat("CfgTRES=", TresText(node.cpus, memory, node.gres))};
  if (is_known) {
    lines.push_back(absl::StrCat(
        "AllocTRES=", TresText(node.allocated_cpus, node.allocated_memory, node.used_gres)));
  }
  const std::string reason = node.Setting("reason", "");
  if (!reason.empty()) lines.push_back(absl::StrCat("Reason=", reason));
  for (std::string& line : lines) line = jobs::Visible(line);
  return absl::StrCat(absl::StrJoin(lines, one_line ? " " : "\n   "), one_line ? "\n" : "\n\n");
}

}  // namespace priorityd::nodes
