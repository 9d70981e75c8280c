#include "tests/scenarios/commands.h"

#include "absl/strings/str_cat.h"
#include "client/rpc_error.h"

namespace priorityd::scenarios {

const Commands& AllCommands() {
  static const Commands* const kCommands = [] {
    auto* commands = new Commands;
    AddServerCommands(commands);
    AddConfigurationCommands(commands);
    AddUsageCommands(commands);
    AddQueueCommands(commands);
    AddExplanationCommands(commands);
    AddBudgetCommands(commands);
    AddGrantCommands(commands);
    AddLeaseCommands(commands);
    AddMergeCommands(commands);
    AddForecastCommands(commands);
    return commands;
  }();
  return *kCommands;
}

absl::StatusOr<const client::PriorityClient*> ClientOf(Call& call) {
  const std::string server = call.arguments.Text("server");
  if (absl::Status s = call.arguments.Finish(); !s.ok()) return s;
  return call.site.Client(server);
}

absl::Status ForEachLine(const Call& call, absl::FunctionRef<void(Arguments&)> read) {
  for (const Line& line : call.step.input) {
    Arguments arguments(line.text);
    read(arguments);
    if (const absl::Status s = arguments.Finish(); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", line.number, ": ", s.message()));
    }
  }
  return absl::OkStatus();
}

std::string InputText(const Call& call) {
  std::string text;
  for (const Line& line : call.step.input) absl::StrAppend(&text, line.text, "\n");
  return text;
}

std::string ErrorText(const absl::Status& status) {
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ", client::Describe(status));
}

}  // namespace priorityd::scenarios
