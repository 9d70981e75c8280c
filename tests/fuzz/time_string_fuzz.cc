#include <string>
#include <vector>

#include "engine/slurm/words/time_string.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& text) {
  const absl::StatusOr<absl::Duration> time = ParseTimeString(text);
  if (time.ok()) {
    Check(*time >= absl::ZeroDuration(), "no time is negative");
    Check(ParseTimeString(FormatTimeString(*time)).value() == *time, "a formatted time reads back");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"time_string", RunOne});

}  // namespace
}  // namespace priorityd::slurm
