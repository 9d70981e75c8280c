#include "engine/explanation/time_text.h"

#include "absl/strings/str_format.h"

namespace priorityd::explanation {

std::string DurationText(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  const int64_t days = seconds / 86400;
  const std::string clock =
      absl::StrFormat("%02d:%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return days > 0 ? absl::StrFormat("%d-%s", days, clock) : clock;
}

std::string TimeLimitText(absl::Duration duration) {
  return duration == absl::InfiniteDuration() ? "UNLIMITED" : DurationText(duration);
}

std::string MomentText(absl::Time time, absl::TimeZone zone) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S%Ez", time, zone);
}

}  // namespace priorityd::explanation
