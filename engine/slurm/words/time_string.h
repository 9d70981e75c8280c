// Slurm's time strings.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_TIME_STRING_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_TIME_STRING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::slurm {

// `min`, `min:sec`, `h:m:s`, `d-h`, `d-h:m`, `d-h:m:s`; INFINITE, UNLIMITED and -1
// (any case) are InfiniteDuration(). As in Slurm no part is bounded by the next one
// (`90:00` is 90 minutes, `0-36` a day and a half).
// INVALID_ARGUMENT `got "x", want a time (...)`, also for more than 4294967293
// minutes.
absl::StatusOr<absl::Duration> ParseTimeString(absl::string_view text);

// The same in whole minutes, rounded up, as slurmctld and sacctmgr keep most times.
absl::StatusOr<absl::Duration> ParseMinutes(absl::string_view text);

// A GraceTime: a plain number is seconds, other texts are as above; 0 for INFINITE and for a text
// that is no time.
absl::Duration ReadGraceTime(absl::string_view text);

// `hh:mm:ss`, from one day on `d-hh:mm:ss`; UNLIMITED for InfiniteDuration(). Truncated to whole
// seconds; negative durations are zero. ParseTimeString returns the same value.
std::string FormatTimeString(absl::Duration duration);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_TIME_STRING_H_
