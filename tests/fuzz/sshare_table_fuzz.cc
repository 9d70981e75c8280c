#include <string>
#include <vector>

#include "server/slurm/sshare_table.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const absl::StatusOr<SshareTable> table = ParseSshareTable({"sshare", FuzzText(data, size)});
  CheckStatus(table.status());
  if (!table.ok()) return 0;
  for (const OpeningUsage& usage : table->usage) {
    Check(!usage.account.empty() && usage.usage >= 0, "usage has an account and is not negative");
  }
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
