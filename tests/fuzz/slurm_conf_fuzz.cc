#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/slurm/slurm_conf.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  // Form feeds part the main file from a.conf, b.conf, ...
  std::vector<SourceFile> files;
  for (absl::string_view content : absl::StrSplit(FuzzText(data, size), '\f')) {
    const char letter = static_cast<char>('a' + files.size() - 1);
    const std::string name =
        files.empty() ? "slurm.conf" : absl::StrCat(std::string(1, letter), ".conf");
    files.push_back({name, std::string(content)});
    if (files.size() == 8) break;
  }
  const absl::StatusOr<SlurmConf> conf = ParseSlurmConf(files);
  CheckStatus(conf.status());
  if (!conf.ok()) return 0;
  Check(conf->warnings.size() <= kMaxWarnings, "warnings are limited");
  int defaults = 0;
  for (const priority::Partition& partition : conf->partitions) {
    defaults += partition.is_default ? 1 : 0;
    Check(!conf->cluster.has_value() || partition.nodes <= conf->cluster->nodes,
          "no partition is larger than the cluster");
  }
  Check(defaults <= 1, "at most one default partition");
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
