#include <string>
#include <vector>

#include "server/slurm/usage_lines.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const absl::StatusOr<std::vector<OpeningUsage>> lines =
      ParseUsageLines({"usage", FuzzText(data, size)});
  CheckStatus(lines.status());
  if (!lines.ok()) return 0;
  for (const OpeningUsage& usage : *lines) {
    Check(!usage.account.empty() && usage.usage >= 0, "usage has an account and is not negative");
    Check(usage.partition.empty() || !usage.user.empty(), "a partition has a user");
  }
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
