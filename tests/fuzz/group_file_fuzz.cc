#include <string>

#include "absl/strings/match.h"
#include "server/files/group_file.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::files {
namespace {

using slurm::Check;

void RunOne(const std::string& text) {
  const absl::StatusOr<GroupMembers> groups = ParseGroups(text);
  if (!groups.ok()) {
    Check(absl::IsInvalidArgument(groups.status()), "what is wrong is the argument");
    Check(absl::StartsWith(groups.status().message(), "line "), "a fault has its place");
    return;
  }
  for (const auto& [group, members] : *groups) {
    Check(!group.empty(), "a group has a name");
    for (const std::string& member : members) {
      Check(!member.empty() && member.find_first_of(",:\n") == std::string::npos,
            "a member is one user");
    }
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"group_file", RunOne});

}  // namespace
}  // namespace priorityd::files
