#include <string>
#include <vector>

#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/dump/sacctmgr_dump_writer.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& given) {
  const absl::StatusOr<SacctmgrDump> dump = ParseSacctmgrDump({"dump", given});
  CheckStatus(dump.status());
  if (!dump.ok()) return;
  const std::string text = WriteSacctmgrDump(*dump);
  const absl::StatusOr<SacctmgrDump> again = ParseSacctmgrDump({"dump", text});
  Check(again.ok(), "what is written can be read");
  Check(again->associations.size() == dump->associations.size(), "nothing is lost");
  Check(WriteSacctmgrDump(*again) == text, "what was read again is written the same");
}

[[maybe_unused]] const bool registered = fuzz::Register({"sacctmgr_dump", RunOne});

}  // namespace
}  // namespace priorityd::slurm
