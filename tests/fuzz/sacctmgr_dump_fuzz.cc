#include <string>
#include <vector>

#include "server/slurm/sacctmgr_dump.h"
#include "server/slurm/sacctmgr_dump_writer.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const absl::StatusOr<SacctmgrDump> dump = ParseSacctmgrDump({"dump", FuzzText(data, size)});
  CheckStatus(dump.status());
  if (!dump.ok()) return 0;
  const std::string text = WriteSacctmgrDump(*dump);
  const absl::StatusOr<SacctmgrDump> again = ParseSacctmgrDump({"dump", text});
  Check(again.ok(), "what is written can be read");
  Check(again->associations.size() == dump->associations.size(), "nothing is lost");
  Check(WriteSacctmgrDump(*again) == text, "what was read again is written the same");
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
