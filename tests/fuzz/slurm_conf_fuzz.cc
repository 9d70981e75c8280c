#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/words/hostlist.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void CheckScheduling(const priority::Scheduling& scheduling) {
  Check(scheduling.max_job_test.value_or(1) >= 1, "a plan considers at least one job");
  Check(scheduling.window.value_or(absl::Minutes(1)) > absl::ZeroDuration(), "a window is open");
}

void RunNodes(const std::vector<SourceFile>& files) {
  const absl::StatusOr<std::vector<NodeKind>> kinds = ReadNodeKinds(files);
  CheckStatus(kinds.status());
  if (!kinds.ok()) return;
  for (const NodeKind& kind : *kinds) {
    const absl::StatusOr<std::vector<std::string>> hosts = ExpandHostlist(kind.hosts);
    Check(hosts.ok() && !hosts->empty(), "nodes have names");
    Check(CompressHosts(*hosts) == kind.hosts, "and what is short is as short again");
  }
}

void RunOne(const std::string& text) {
  // Form feeds part the main file from a.conf, b.conf, ...
  std::vector<SourceFile> files;
  for (absl::string_view content : absl::StrSplit(text, '\f')) {
    const char letter = static_cast<char>('a' + files.size() - 1);
    const std::string name =
        files.empty() ? "slurm.conf" : absl::StrCat(std::string(1, letter), ".conf");
    files.push_back({name, std::string(content)});
    if (files.size() == 8) break;
  }
  RunNodes(files);
  const absl::StatusOr<SlurmConf> conf = ParseSlurmConf(files);
  CheckStatus(conf.status());
  if (!conf.ok()) return;
  Check(conf->warnings.size() <= kMaxWarnings, "warnings are limited");
  CheckScheduling(conf->policy.scheduling);
  int defaults = 0;
  for (const priority::Partition& partition : conf->partitions) {
    defaults += partition.is_default ? 1 : 0;
    Check(!conf->cluster.has_value() || partition.nodes <= conf->cluster->nodes,
          "no partition is larger than the cluster");
  }
  Check(defaults <= 1, "at most one default partition");
}

[[maybe_unused]] const bool registered = fuzz::Register({"slurm_conf", RunOne});

}  // namespace
}  // namespace priorityd::slurm
