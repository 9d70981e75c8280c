// What `prioctl rank`, `queue sync` and `record` read: a line is a message, or the answer names
// the file, the line and the fault.
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "client/prioctl/input/json_lines.h"
#include "priority/v1/job.pb.h"
#include "priority/v1/usage.pb.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::prioctl {
namespace {

using slurm::Check;

template <typename Message>
void ReadAll(const std::string& text) {
  std::istringstream input(text);
  JsonLinesReader lines(&input, "file");
  for (;;) {
    Message message;
    const absl::StatusOr<bool> read = lines.Next(&message);
    if (!read.ok()) {
      Check(absl::IsInvalidArgument(read.status()), "what is wrong is the argument");
      Check(absl::StartsWith(read.status().message(), "file line "), "a fault has its place");
      return;
    }
    if (!*read) break;
    Message again;
    Check(ParseJson(ToJson(message), &again).ok(), "what is written is read");
  }
  Check(lines.bytes_read() <= static_cast<int64_t>(text.size()) + 1, "nothing is read twice");
}

void RunOne(const std::string& text) {
  ReadAll<priority::v1::Job>(text);
  ReadAll<priority::v1::UsageRecord>(text);
}

[[maybe_unused]] const bool registered = fuzz::Register({"json_lines", RunOne});

}  // namespace
}  // namespace priorityd::prioctl
