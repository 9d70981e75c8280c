#include "engine/slurm/words/time_string.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

// Slurm stores minutes in 32 bits and reserves the two largest values.
constexpr uint64_t kMaxMinutes = 4294967293;
constexpr uint64_t kMaxSeconds = kMaxMinutes * 60;

bool IsInfinite(absl::string_view text) {
  return text == "-1" || absl::EqualsIgnoreCase(text, "INFINITE") ||
         absl::EqualsIgnoreCase(text, "UNLIMITED");
}

// The sum of the parts between colons times their units, in seconds; nullopt if one is not a number
// or there are more parts than units.
std::optional<uint64_t> ReadClock(absl::string_view text, const std::vector<uint64_t>& units) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() > units.size()) return {};
  uint64_t seconds = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::optional<uint64_t> part = ReadInteger(parts[i], kMaxSeconds);
    if (!part.has_value()) return {};
    seconds += std::min(*part, kMaxSeconds) * units[i];
  }
  return seconds;
}

std::optional<uint64_t> ReadSeconds(absl::string_view text) {
  const size_t dash = text.find('-');
  if (dash == absl::string_view::npos) {
    const bool with_hours = std::count(text.begin(), text.end(), ':') == 2;
    return ReadClock(
        text, with_hours ? std::vector<uint64_t>{3600, 60, 1} : std::vector<uint64_t>{60, 1});
  }
  const std::optional<uint64_t> days = ReadInteger(text.substr(0, dash), kMaxSeconds);
  const std::optional<uint64_t> clock = ReadClock(text.substr(dash + 1), {3600, 60, 1});
  if (!days.has_value() || !clock.has_value()) return {};
  return *days * 86400 + *clock;
}

}  // namespace

absl::StatusOr<absl::Duration> ParseTimeString(absl::string_view text) {
  if (IsInfinite(text)) return absl::InfiniteDuration();
  const std::optional<uint64_t> seconds = ReadSeconds(text);
  if (!seconds.has_value() || *seconds > kMaxSeconds) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", Quoted(text),
                     ", want a time (min, min:sec, h:m:s, d-h, d-h:m, d-h:m:s or UNLIMITED)"));
  }
  return absl::Seconds(static_cast<int64_t>(*seconds));
}

absl::StatusOr<absl::Duration> ParseMinutes(absl::string_view text) {
  const absl::StatusOr<absl::Duration> time = ParseTimeString(text);
  if (!time.ok()) return time;
  return absl::Ceil(*time, absl::Minutes(1));
}

absl::Duration ReadGraceTime(absl::string_view text) {
  const std::optional<uint64_t> seconds = ReadInteger(text, kMaxSeconds);
  if (seconds.has_value()) return absl::Seconds(*seconds);
  const absl::StatusOr<absl::Duration> time = ParseTimeString(text);
  return time.ok() && *time < absl::InfiniteDuration() ? *time : absl::ZeroDuration();
}

std::string FormatTimeString(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return "UNLIMITED";
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(duration));
  const int64_t days = seconds / 86400;
  const std::string clock =
      absl::StrFormat("%02d:%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return days == 0 ? clock : absl::StrCat(days, "-", clock);
}

}  // namespace priorityd::slurm
