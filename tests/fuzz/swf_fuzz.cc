#include <string>

#include "absl/strings/match.h"
#include "client/swf/swf.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using priorityd::slurm::Check;
  const auto trace = priorityd::swf::ParseSwf(priorityd::slurm::FuzzText(data, size));
  if (!trace.ok()) {
    Check(absl::IsInvalidArgument(trace.status()), "what is wrong is the argument");
    Check(absl::StrContains(trace.status().message(), "line"), "a fault has its place");
    return 0;
  }
  for (const auto& job : trace->jobs) {
    Check(job.processors >= 0, "processors are not negative");
    Check(job.run_time.value_or(absl::ZeroDuration()) >= absl::ZeroDuration(),
          "no job runs for less than no time");
  }
  return 0;
}
