#include <string>
#include <vector>

#include "engine/slurm/tables/sshare_table.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& text) {
  const absl::StatusOr<SshareTable> table = ParseSshareTable({"sshare", text});
  CheckStatus(table.status());
  if (!table.ok()) return;
  for (const OpeningUsage& usage : table->usage) {
    Check(!usage.account.empty() && usage.usage >= 0, "usage has an account and is not negative");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"sshare_table", RunOne});

}  // namespace
}  // namespace priorityd::slurm
