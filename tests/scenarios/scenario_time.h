// Times and durations as scenarios write and print them.
#ifndef PRIORITYD_TESTS_SCENARIOS_SCENARIO_TIME_H_
#define PRIORITYD_TESTS_SCENARIOS_SCENARIO_TIME_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::scenarios {

// `90s`, `10m`, `2h`, `7d`, or several such as `1d12h`; nullopt for anything else.
std::optional<absl::Duration> ParseDuration(absl::string_view text);

// `2026-01-05`, `2026-01-05T12:30Z`, `2026-01-05T12:30:15+01:00`; a date is its
// midnight in UTC. With `now` also `now`, `now-2h`, `now+2h`. Else nullopt.
std::optional<absl::Time> ParseTime(absl::string_view text, std::optional<absl::Time> now);

// 2026-01-05T12:30:00Z.
std::string ToText(absl::Time time);

// Slurm's d-hh:mm:ss, to the second below.
std::string ToText(absl::Duration duration);

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_SCENARIO_TIME_H_
