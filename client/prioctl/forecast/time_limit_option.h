// The option --time of the commands on forecasts.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_TIME_LIMIT_OPTION_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_TIME_LIMIT_OPTION_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

// `--time`: above zero, in Slurm's forms. `limit` must outlive `app`.
void AddTimeLimit(CLI::App* app, const std::string& help, std::optional<absl::Duration>& limit);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_TIME_LIMIT_OPTION_H_
