#include "client/prioctl/jobs/reservation_sheet.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

// Null = it is not set.
const std::string* Attribute(const v1::Reservation& reservation, const char* word) {
  const auto found = reservation.attributes().find(word);
  return found == reservation.attributes().end() ? nullptr : &found->second;
}

// `WORD=VALUE`.
std::string Pair(const v1::Reservation& reservation, const char* word) {
  const std::string* value = Attribute(reservation, word);
  return absl::StrCat(word, "=", value == nullptr ? "(null)" : *value);
}

std::string LocalTime(const v1::Reservation& reservation, const char* word) {
  const std::string* value = Attribute(reservation, word);
  absl::Time time;
  if (value == nullptr || !absl::ParseTime(absl::RFC3339_full, *value, &time, nullptr)) {
    return Pair(reservation, word);
  }
  return absl::StrCat(word, "=",
                      absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, absl::LocalTimeZone()));
}

}  // namespace

std::string ReservationSheet(const v1::Reservation& reservation, bool one_line) {
  const auto pair = [&](const char* word) { return Pair(reservation, word); };
  const std::vector<std::string> lines = {
      absl::StrCat("ReservationName=", reservation.name(), " ", LocalTime(reservation, "StartTime"),
                   " ", LocalTime(reservation, "EndTime"), " ", pair("Duration")),
      absl::StrCat(pair("Nodes"), " ", pair("NodeCnt"), " CoreCnt=(null) Features=(null) ",
                   pair("PartitionName"), " ", pair("Flags")),
      "TRES=(null)",
      absl::StrCat(pair("Users"), " Groups=(null) ", pair("Accounts"), " Licenses=(null) ",
                   pair("State"), " BurstBuffer=(null) Watts=n/a"),
      "MaxStartDelay=(null)"};
  return absl::StrCat(absl::StrJoin(lines, one_line ? " " : "\n   "), one_line ? "\n" : "\n\n");
}

}  // namespace priorityd::jobs
