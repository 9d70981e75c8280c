// What a scenario can say; tests/scenarios/README.md lists it.
#ifndef PRIORITYD_TESTS_SCENARIOS_COMMANDS_H_
#define PRIORITYD_TESTS_SCENARIOS_COMMANDS_H_

#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/scenarios/arguments.h"
#include "tests/scenarios/scenario_file.h"
#include "tests/scenarios/site.h"

namespace priorityd::scenarios {

// One command of a scenario, under way.
struct Call {
  Site& site;
  const Step& step;
  Arguments arguments;
};

// Which input a command takes.
enum class Input { kNone, kText, kLines };

struct Command {
  // The answer, or INVALID_ARGUMENT for a mistake in the scenario. An error of the
  // service is an answer.
  absl::StatusOr<std::string> (*run)(Call& call);
  Input input = Input::kNone;
  // Changes nothing, so that it can be asked of another server again and again.
  bool reads_only = false;
};

using Commands = std::map<std::string, Command>;

// Each adds its commands.
void AddServerCommands(Commands* commands);
void AddConfigurationCommands(Commands* commands);
void AddUsageCommands(Commands* commands);
void AddQueueCommands(Commands* commands);
void AddExplanationCommands(Commands* commands);
void AddBudgetCommands(Commands* commands);
void AddGrantCommands(Commands* commands);
void AddLeaseCommands(Commands* commands);
void AddMergeCommands(Commands* commands);
void AddForecastCommands(Commands* commands);

// All of them.
const Commands& AllCommands();

// The connection that the call's `server=` names, or the default one.
absl::StatusOr<const client::PriorityClient*> ClientOf(Call& call);

// `read` for each line of the input; the mistake of a line names the line.
absl::Status ForEachLine(const Call& call, absl::FunctionRef<void(Arguments&)> read);

// The input as one text.
std::string InputText(const Call& call);

// An error of the service as an answer: `CODE: message`.
std::string ErrorText(const absl::Status& status);

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_COMMANDS_H_
