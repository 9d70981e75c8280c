// Users that count as others: merge and unmerge.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "priority/v1/user_merge.pb.h"
#include "tests/scenarios/commands.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

// Each line is a merge that began or ended, or a warning.
std::string MergeAnswer(const absl::StatusOr<v1::ChangeResponse>& response) {
  if (!response.ok()) return ErrorText(response.status());
  std::vector<std::string> lines;
  for (const v1::ConfigurationChange& change : response->changes()) {
    lines.push_back(change.after().empty() ? absl::StrCat(change.object(), " ended")
                                           : absl::StrCat(change.object(), ": ", change.after()));
  }
  for (const std::string& warning : response->warnings()) {
    lines.push_back(absl::StrCat("warning: ", warning));
  }
  return lines.empty() ? "unchanged" : absl::StrJoin(lines, "\n");
}

absl::StatusOr<std::string> MergeUsers(Call& call) {
  v1::MergeUsersRequest request;
  request.set_from_user(call.arguments.Text("from"));
  request.set_into_user(call.arguments.Text("into"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  return MergeAnswer((*client)->MergeUsers(request));
}

absl::StatusOr<std::string> UnmergeUsers(Call& call) {
  v1::UnmergeUsersRequest request;
  request.set_from_user(call.arguments.Text("from"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  return MergeAnswer((*client)->UnmergeUsers(request));
}

}  // namespace

void AddMergeCommands(Commands* commands) {
  (*commands)["merge"] = {MergeUsers};
  (*commands)["unmerge"] = {UnmergeUsers};
}

}  // namespace priorityd::scenarios
