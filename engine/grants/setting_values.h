// Single values in the settings of a grant. Readers: INVALID_ARGUMENT `got X, want Y`; writers: a
// text from which the reader returns the same value.
#ifndef PRIORITYD_ENGINE_GRANTS_SETTING_VALUES_H_
#define PRIORITYD_ENGINE_GRANTS_SETTING_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "engine/grants/grant.h"

namespace priorityd::grants {

// `12.5%` as millionths: 0% to 1000%, at most 4 decimals.
absl::StatusOr<int64_t> ReadPercentage(absl::string_view text);
std::string PercentageText(int64_t millionths);

// Digits, perhaps with a minus before them, from `least` to `most`.
absl::StatusOr<int64_t> ReadWholeNumber(absl::string_view text, int64_t least, int64_t most);

// TRES-minutes (`120000`) or TRES-hours (`2000h`), perhaps with decimals; above 0, at most
// kMaxMinutes. Written as minutes. REQUIRES, to be exact: whole 1e-18 TRES-minutes, as of
// ReadAmount and Amount::FromMinutes.
absl::StatusOr<Amount> ReadAmount(absl::string_view text);
std::string AmountText(Amount amount);

// An amount of a currency (`5000`, `12.5`), of which a unit is an hour; above 0, at most
// kMaxMinutes.
absl::StatusOr<Amount> ReadMoney(absl::string_view text);
std::string MoneyText(Amount amount);

// `now`, 2026-10-01, 2026-10-01T08:00, 2026-10-01T08:00:00 in `zone`, or RFC 3339, from 1970 to
// 9999; rounded down to microseconds, `now` to seconds. Written in UTC.
absl::StatusOr<absl::Time> ReadTime(absl::string_view text, const absl::TimeZone& zone,
                                    absl::Time now);
std::string TimeText(absl::Time time);

// fixed, month, quarter, year or rolling:DAYS, in any case: to `window` and `rolling_days`.
absl::Status ReadWindow(absl::string_view text, Grant* grant);
std::string WindowText(const Grant& grant);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_SETTING_VALUES_H_
