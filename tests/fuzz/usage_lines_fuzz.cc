#include <string>
#include <vector>

#include "engine/slurm/tables/usage_lines.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& text) {
  const absl::StatusOr<std::vector<OpeningUsage>> lines = ParseUsageLines({"usage", text});
  CheckStatus(lines.status());
  if (!lines.ok()) return;
  for (const OpeningUsage& usage : *lines) {
    Check(!usage.account.empty() && usage.usage >= 0, "usage has an account and is not negative");
    Check(usage.partition.empty() || !usage.user.empty(), "a partition has a user");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"usage_lines", RunOne});

}  // namespace
}  // namespace priorityd::slurm
