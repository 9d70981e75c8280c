#include "client/prioctl/forecast/commands.h"

namespace priorityd::prioctl {
namespace {

void AddForecastGroup(CLI::App* app, CommandLine& line) {
  for (const Command* command : {&kForecastBacktestCommand}) AddCommand(*command, app, line);
}

}  // namespace

const Command kForecastCommand = {"forecast", "When jobs will start, and how certain that is",
                                  AddForecastGroup};

}  // namespace priorityd::prioctl
