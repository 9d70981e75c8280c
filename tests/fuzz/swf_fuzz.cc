#include <string>

#include "absl/strings/match.h"
#include "client/swf/swf.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::swf {
namespace {

void RunOne(const std::string& text) {
  using slurm::Check;
  const auto trace = ParseSwf(text);
  if (!trace.ok()) {
    Check(absl::IsInvalidArgument(trace.status()), "what is wrong is the argument");
    Check(absl::StrContains(trace.status().message(), "line"), "a fault has its place");
    return;
  }
  for (const auto& job : trace->jobs) {
    Check(job.processors >= 0, "processors are not negative");
    Check(job.run_time.value_or(absl::ZeroDuration()) >= absl::ZeroDuration(),
          "no job runs for less than no time");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"swf", RunOne});

}  // namespace
}  // namespace priorityd::swf
