#include <string>

#include "absl/strings/match.h"
#include "client/examples/batch_frontend/swf.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using priorityd::slurm::Check;
  const auto jobs = priorityd::batch_frontend::ParseSwf(priorityd::slurm::FuzzText(data, size));
  if (!jobs.ok()) {
    Check(absl::IsInvalidArgument(jobs.status()), "what is wrong is the argument");
    Check(absl::StrContains(jobs.status().message(), "line"), "a fault has its place");
    return 0;
  }
  for (const auto& job : *jobs) {
    Check(job.processors >= 0, "processors are not negative");
    Check(job.run_time.value_or(absl::ZeroDuration()) >= absl::ZeroDuration(),
          "no job runs for less than no time");
  }
  return 0;
}
