#include <string>
#include <vector>

#include "server/slurm/time_string.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const absl::StatusOr<absl::Duration> time = ParseTimeString(FuzzText(data, size));
  if (time.ok()) {
    Check(*time >= absl::ZeroDuration(), "no time is negative");
    Check(ParseTimeString(FormatTimeString(*time)).value() == *time, "a formatted time reads back");
  }
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
