#include "engine/grants/windows.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/grants/balance.h"
#include "gtest/gtest.h"
#include "tests/times.h"

namespace priorityd::grants {
namespace {

std::string Text(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%MZ", time, absl::UTCTimeZone());
}

std::string Text(const std::vector<Window>& windows) {
  return absl::StrJoin(windows, " ", [](std::string* text, const Window& w) {
    absl::StrAppend(text, Text(w.begin), "/", Text(w.end));
  });
}

std::string Text(const std::vector<absl::Time>& times) {
  return absl::StrJoin(times, " ",
                       [](std::string* text, absl::Time t) { absl::StrAppend(text, Text(t)); });
}

Grant WithWindow(WindowKind window, const char* begin, const char* end = nullptr) {
  Grant grant;
  grant.window = window;
  grant.begin = ParsedTime(begin);
  if (end != nullptr) grant.end = ParsedTime(end);
  return grant;
}

Grant Rolling(int days, const char* begin, const char* end = nullptr) {
  Grant grant = WithWindow(WindowKind::kRolling, begin, end);
  grant.rolling_days = days;
  return grant;
}

TEST(WindowsTest, QuartersBeginAtMidnightOfTheZoneAcrossDaylightSaving) {
  const Grant grant = WithWindow(WindowKind::kQuarter, "2025-12-31T23:00:00Z");
  // CET = UTC+1 until 2026-03-29, CEST = UTC+2 until 2026-10-25.
  EXPECT_EQ(Text(WindowsOf(grant, NamedZone("Europe/Berlin"), ParsedTime("2026-11-27T00:00:00Z"))),
            "2025-12-31T23:00Z/2026-03-31T22:00Z 2026-03-31T22:00Z/2026-06-30T22:00Z "
            "2026-06-30T22:00Z/2026-09-30T22:00Z 2026-09-30T22:00Z/2026-12-31T23:00Z");
}

TEST(WindowsTest, TheFirstAndTheLastWindowAreCut) {
  const Grant grant =
      WithWindow(WindowKind::kQuarter, "2026-02-14T12:30:00Z", "2026-07-01T00:01:00Z");
  EXPECT_EQ(Text(WindowsOf(grant, absl::UTCTimeZone(), ParsedTime("2030-01-01T00:00:00Z"))),
            "2026-02-14T12:30Z/2026-04-01T00:00Z 2026-04-01T00:00Z/2026-07-01T00:00Z "
            "2026-07-01T00:00Z/2026-07-01T00:01Z");
}

TEST(WindowsTest, MonthsOfALeapYear) {
  const Grant grant = WithWindow(WindowKind::kMonth, "2028-01-31T00:00:00Z");
  EXPECT_EQ(Text(WindowsOf(grant, absl::UTCTimeZone(), ParsedTime("2028-03-01T00:00:00Z"))),
            "2028-01-31T00:00Z/2028-02-01T00:00Z 2028-02-01T00:00Z/2028-03-01T00:00Z "
            "2028-03-01T00:00Z/2028-04-01T00:00Z");
}

TEST(WindowsTest, YearsAndTheWholeGrant) {
  const absl::Time now = ParsedTime("2027-06-01T00:00:00Z");
  EXPECT_EQ(Text(WindowsOf(WithWindow(WindowKind::kYear, "2026-05-01T00:00:00Z"),
                           absl::UTCTimeZone(), now)),
            "2026-05-01T00:00Z/2027-01-01T00:00Z 2027-01-01T00:00Z/2028-01-01T00:00Z");
  const auto whole =
      WindowsOf(WithWindow(WindowKind::kFixed, "2026-05-01T00:00:00Z"), absl::UTCTimeZone(), now);
  ASSERT_EQ(whole.size(), 1);
  EXPECT_EQ(whole[0].end, absl::InfiniteFuture());
}

TEST(WindowsTest, AWindowBeginsAtTheMomentOfItsBeginNotBefore) {
  const Grant grant = WithWindow(WindowKind::kMonth, "2026-05-01T00:00:00Z");
  const absl::TimeZone utc = absl::UTCTimeZone();
  EXPECT_EQ(WindowsOf(grant, utc, ParsedTime("2026-04-30T23:59:59.999999Z")).size(), 0);
  EXPECT_EQ(WindowsOf(grant, utc, ParsedTime("2026-05-01T00:00:00Z")).size(), 1);
  EXPECT_EQ(WindowsOf(grant, utc, ParsedTime("2026-05-31T23:59:59.999999Z")).size(), 1);
  EXPECT_EQ(WindowsOf(grant, utc, ParsedTime("2026-06-01T00:00:00Z")).size(), 2);
}

TEST(WindowsTest, AGrantRevokedBeforeItBeginsHasNoWindow) {
  const absl::Time now = ParsedTime("2026-06-01T00:00:00Z");
  Grant grant = Rolling(3, "2026-05-01T00:00:00Z", "2026-04-01T00:00:00Z");
  EXPECT_EQ(WindowsOf(grant, absl::UTCTimeZone(), now).size(), 0);
  EXPECT_FALSE(RollingWindow(grant, absl::UTCTimeZone(), now).has_value());
  EXPECT_EQ(BoundariesOf({&grant, 1}, absl::UTCTimeZone(), now).size(), 0);
}

TEST(WindowsTest, DaysOfAClockChangeHave23And25Hours) {
  const absl::TimeZone berlin = NamedZone("Europe/Berlin");
  const Grant grant = Rolling(1, "2026-01-01T00:00:00Z");
  const auto length = [&](const char* now) {
    const auto window = RollingWindow(grant, berlin, ParsedTime(now));
    return absl::ToInt64Hours(window->end - window->begin);
  };
  EXPECT_EQ(length("2026-03-28T12:00:00Z"), 24);
  EXPECT_EQ(length("2026-03-29T12:00:00Z"), 23);
  EXPECT_EQ(length("2026-10-25T00:30:00Z"), 25);  // The first 02:30.
  EXPECT_EQ(length("2026-10-25T01:30:00Z"), 25);  // The second.
}

TEST(WindowsTest, ADayWithoutMidnightBeginsAtItsFirstMoment) {
  // On 2018-11-04 clocks in Sao Paulo went from 00:00 (UTC-3) to 01:00 (UTC-2); on 2018-02-18 from
  // 00:00 back to 23:00 of the day before.
  const absl::TimeZone zone = NamedZone("America/Sao_Paulo");
  const Grant grant = Rolling(1, "2018-01-01T12:00:00Z");
  const auto day = [&](const char* now) {
    return Text({*RollingWindow(grant, zone, ParsedTime(now))});
  };
  EXPECT_EQ(day("2018-11-04T12:00:00Z"), "2018-11-04T03:00Z/2018-11-05T02:00Z");
  EXPECT_EQ(day("2018-02-18T01:30:00Z"), "2018-02-17T02:00Z/2018-02-18T03:00Z");
  EXPECT_EQ(day("2018-02-18T02:30:00Z"), "2018-02-17T02:00Z/2018-02-18T03:00Z");
}

TEST(WindowsTest, ARollingWindowIsTodayAndTheDaysBefore) {
  const absl::TimeZone utc = absl::UTCTimeZone();
  const Grant grant = Rolling(3, "2028-02-27T12:00:00Z", "2028-03-05T06:00:00Z");
  const auto at = [&](const char* now) {
    return Text({*RollingWindow(grant, utc, ParsedTime(now))});
  };
  EXPECT_EQ(at("2028-02-27T12:00:00Z"), "2028-02-27T12:00Z/2028-02-28T00:00Z");
  EXPECT_EQ(at("2028-03-01T00:00:00Z"), "2028-02-28T00:00Z/2028-03-02T00:00Z");
  EXPECT_EQ(at("2028-03-02T23:59:59Z"), "2028-02-29T00:00Z/2028-03-03T00:00Z");
  EXPECT_EQ(at("2028-03-05T03:00:00Z"), "2028-03-03T00:00Z/2028-03-05T06:00Z");
  EXPECT_EQ(at("2029-01-01T00:00:00Z"), "2028-03-03T00:00Z/2028-03-05T06:00Z") << "after its end";
  EXPECT_FALSE(RollingWindow(grant, utc, ParsedTime("2028-02-27T11:00:00Z")).has_value());
}

TEST(WindowsTest, ARollingGrantThatEndsAtMidnightEndsWithTheDayBefore) {
  const Grant grant = Rolling(2, "2028-01-01T00:00:00Z", "2028-03-01T00:00:00Z");
  EXPECT_EQ(Text({*RollingWindow(grant, absl::UTCTimeZone(), ParsedTime("2028-06-01T00:00:00Z"))}),
            "2028-02-28T00:00Z/2028-03-01T00:00Z");
}

TEST(BoundariesTest, AreThoseOfAllGrantsUpToTheNextOne) {
  const std::vector<Grant> stack = {
      WithWindow(WindowKind::kMonth, "2026-01-10T00:00:00Z"),
      WithWindow(WindowKind::kQuarter, "2026-01-01T00:00:00Z", "2026-03-15T00:00:00Z"),
      WithWindow(WindowKind::kFixed, "2026-05-05T00:00:00Z")};
  EXPECT_EQ(Text(BoundariesOf(stack, absl::UTCTimeZone(), ParsedTime("2026-03-20T00:00:00Z"))),
            "2026-01-01T00:00Z 2026-01-10T00:00Z 2026-02-01T00:00Z 2026-03-01T00:00Z "
            "2026-03-15T00:00Z 2026-04-01T00:00Z");
  EXPECT_EQ(Text(BoundariesOf(stack, absl::UTCTimeZone(), ParsedTime("2025-12-01T00:00:00Z"))),
            "2026-01-01T00:00Z");
}

TEST(BoundariesTest, AGrantWithoutEndHasNoneAfterItsBegin) {
  const std::vector<Grant> stack = {WithWindow(WindowKind::kFixed, "2026-05-05T00:00:00Z")};
  EXPECT_EQ(Text(BoundariesOf(stack, absl::UTCTimeZone(), ParsedTime("2026-05-05T00:00:00Z"))),
            "2026-05-05T00:00Z");
}

TEST(BoundariesTest, OfARollingGrantAreItsMidnights) {
  const std::vector<Grant> stack = {Rolling(2, "2026-03-27T12:00:00Z")};
  EXPECT_EQ(
      Text(BoundariesOf(stack, NamedZone("Europe/Berlin"), ParsedTime("2026-03-30T08:00:00Z"))),
      "2026-03-27T12:00Z 2026-03-27T23:00Z 2026-03-28T23:00Z 2026-03-29T22:00Z "
      "2026-03-30T22:00Z");
}

}  // namespace
}  // namespace priorityd::grants
