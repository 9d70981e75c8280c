#include "client/prioctl/text/wait_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace priorityd::prioctl {

std::string WaitText(absl::Duration wait) {
  const int64_t minutes = absl::ToInt64Minutes(wait);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return absl::StrCat(minutes, " min");
  if (minutes < 24 * 60) return absl::StrCat(minutes / 60, " h ", minutes % 60, " min");
  return absl::StrCat(minutes / (24 * 60), " d ", minutes / 60 % 24, " h");
}

std::string HourText(absl::Time time, absl::Time as_of) {
  const absl::TimeZone zone = absl::LocalTimeZone();
  const bool is_today = absl::ToCivilDay(time, zone) == absl::ToCivilDay(as_of, zone);
  return absl::FormatTime(is_today ? "%H:%M" : "%Y-%m-%d %H:%M", time, zone);
}

}  // namespace priorityd::prioctl
