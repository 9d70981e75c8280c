// The times that Slurm's report tools understand.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPORT_TIME_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPORT_TIME_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::prioctl {

// RFC 3339 with an offset, such as 2026-11-20T13:07:11Z; false if it is none.
bool ParseRfc3339(const std::string& text, absl::Time* time);

// A moment in `zone`, in any case of letters: `YYYY-MM-DD` (midnight),
// `YYYY-MM-DDTHH:MM[:SS]`, `MMDDYY`, `MM/DD/YY`, `MM.DD.YY`, `MM/DD` of this
// year, `HH:MM[:SS]` of today, `now`, `today` and `midnight` (this day's), `noon`,
// `yesterday`, `tomorrow`, each but RFC 3339's with `+` or `-` and `N[seconds|
// minutes|hours|days|weeks]` behind it if wanted; or RFC 3339 with an offset.
// INVALID_ARGUMENT says what was wanted.
absl::StatusOr<absl::Time> ParseReportTime(const std::string& text, absl::Time now,
                                           absl::TimeZone zone);

// `2026-11-20T12:27:27`
std::string ReportTimeText(absl::Time time, absl::TimeZone zone);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPORT_TIME_H_
