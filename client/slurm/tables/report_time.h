// The times that Slurm's tools accept: the only reader of times in prioctl.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_REPORT_TIME_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_REPORT_TIME_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::tables {

// A time in `zone`, in upper or lower case: RFC 3339 with an offset, or a form of Slurm:
// `YYYY-MM-DD[THH:MM[:SS]]`, `MMDD[YY]`, `MM/DD[/YY]`, `MM.DD[.YY]`, the latter three with
// `-HH:MM[:SS]` behind them if wanted, a date without a year being of this one, `HH:MM[:SS]` of
// today, each with AM or PM behind it if wanted; `uts` and seconds since 1970; `now`; `today` and
// `midnight` (this day's), `elevenses`, `noon`, `fika` (15:00), `teatime` (16:00), `yesterday`,
// `tomorrow`. All but RFC 3339's take `+` or `-` and `N[seconds|minutes|hours|days|weeks]` behind
// them. INVALID_ARGUMENT lists the valid forms.
absl::StatusOr<absl::Time> ParseReportTime(const std::string& text, absl::Time now,
                                           absl::TimeZone zone);

// `2026-11-20T12:27:27`
std::string ReportTimeText(absl::Time time, absl::TimeZone zone);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_REPORT_TIME_H_
