// The commands on forecasts of starts.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kForecastBacktestCommand;
extern const Command kForecastCommand;
extern const Command kForecastHoursCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_COMMANDS_H_
