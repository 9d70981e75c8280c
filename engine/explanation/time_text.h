// Times as Slurm's tools print them.
#ifndef PRIORITYD_ENGINE_EXPLANATION_TIME_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_TIME_TEXT_H_

#include <string>

#include "absl/time/time.h"

namespace priorityd::explanation {

// `hh:mm:ss`, from one day on `d-hh:mm:ss`; truncated to whole seconds. REQUIRES: at least 0.
std::string DurationText(absl::Duration duration);

// The same, `UNLIMITED` for an infinite one.
std::string TimeLimitText(absl::Duration duration);

// `2026-11-20T12:27:27+00:00`.
std::string MomentText(absl::Time time, absl::TimeZone zone);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_TIME_TEXT_H_
