#include "server/api/site_factor/site_factor_check.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/conf/conf_files.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/service_parameters.h"

namespace priorityd::rpc {
namespace {

constexpr char kPlugin[] = "PrioritySiteFactorPlugin";

// A plugin of slurmctld's own has no effect.
bool NamesNone(absl::string_view value) {
  return value.empty() || slurm::IsNull(value) ||
         absl::EqualsIgnoreCase(value, "site_factor/none") || slurm::IsSlurmSiteFactor(value);
}

}  // namespace

absl::Status CheckSiteFactorPlugin(absl::Span<const slurm::SourceFile> files,
                                   const site_factor::AllowedServices& allowed) {
  if (files.empty()) return absl::OkStatus();
  slurm::FileViolations refused, of_reading;
  std::vector<std::string> warnings;
  slurm::ReadConfLines(files, of_reading, warnings, [&](const slurm::ConfLine& line) {
    for (const slurm::ConfPair& pair : line.pairs) {
      if (!absl::EqualsIgnoreCase(pair.key, kPlugin) || NamesNone(pair.value)) continue;
      const absl::Status status = allowed.Check(pair.value);
      if (status.ok()) continue;
      refused.Add(pair.place.file->name, pair.place.line,
                  absl::StrCat(kPlugin, ": ", status.message()));
    }
  });
  return refused.empty() ? absl::OkStatus() : refused.ToStatus();
}

}  // namespace priorityd::rpc
