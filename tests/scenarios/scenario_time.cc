#include "tests/scenarios/scenario_time.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace priorityd::scenarios {

std::optional<absl::Duration> ParseDuration(absl::string_view text) {
  absl::Duration days;
  const size_t end = text.find('d');
  if (end != absl::string_view::npos) {
    int64_t count = 0;
    if (!absl::SimpleAtoi(text.substr(0, end), &count)) return std::nullopt;
    days = count * absl::Hours(24);
    text.remove_prefix(end + 1);
    if (text.empty()) return days;
  }
  absl::Duration rest;
  if (!absl::ParseDuration(text, &rest)) return std::nullopt;
  return days + rest;
}

std::optional<absl::Time> ParseTime(absl::string_view text, std::optional<absl::Time> now) {
  if (absl::ConsumePrefix(&text, "now")) {
    if (!now.has_value() || text.empty()) return now;
    const std::optional<absl::Duration> away = ParseDuration(text.substr(1));
    if (!away.has_value() || (text[0] != '-' && text[0] != '+')) return std::nullopt;
    return text[0] == '-' ? *now - *away : *now + *away;
  }
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%dT%H:%M%Ez", "%Y-%m-%dT%H:%M:%E*S%Ez"}) {
    absl::Time time;
    if (absl::ParseTime(format, text, &time, nullptr)) return time;
  }
  return std::nullopt;
}

std::string ToText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", time, absl::UTCTimeZone());
}

std::string ToText(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  return absl::StrFormat("%d-%02d:%02d:%02d", seconds / 86400, seconds / 3600 % 24,
                         seconds / 60 % 60, seconds % 60);
}

}  // namespace priorityd::scenarios
