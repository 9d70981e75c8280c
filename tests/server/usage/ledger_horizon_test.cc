#include "server/usage/ledger_horizon.h"

#include <gtest/gtest.h>

#include "tests/times.h"

namespace priorityd::usage {
namespace {

absl::Time Horizon(priority::PurgeAge::Unit unit, int64_t count, const char* zone,
                   const char* time) {
  priority::Policy policy;
  policy.time_zone = NamedZone(zone);
  policy.purge_job_after = {unit, count};
  return LedgerHorizon(policy, ParsedTime(time));
}

using enum priority::PurgeAge::Unit;

TEST(LedgerHorizonTest, ThereIsNoneByDefault) {
  EXPECT_EQ(LedgerHorizon(priority::Policy(), ParsedTime("2026-11-20T17:00:00Z")),
            absl::InfinitePast());
}

TEST(LedgerHorizonTest, ItIsTheBeginningOfAUnit) {
  EXPECT_EQ(Horizon(kHours, 48, "UTC", "2026-11-20T17:59:59.9Z"),
            ParsedTime("2026-11-18T17:00:00Z"));
  EXPECT_EQ(Horizon(kDays, 30, "UTC", "2026-11-20T17:59:59Z"), ParsedTime("2026-10-21T00:00:00Z"));
  EXPECT_EQ(Horizon(kMonths, 12, "UTC", "2026-11-20T17:59:59Z"),
            ParsedTime("2025-11-01T00:00:00Z"));
  EXPECT_EQ(Horizon(kMonths, 1, "UTC", "2026-01-01T00:00:00Z"), ParsedTime("2025-12-01T00:00:00Z"));
}

TEST(LedgerHorizonTest, UnitsAreThoseOfThePolicysTimeZone) {
  EXPECT_EQ(Horizon(kHours, 2, "Asia/Kolkata", "2026-11-20T17:00:00Z"),
            ParsedTime("2026-11-20T14:30:00Z"));
  EXPECT_EQ(Horizon(kDays, 1, "Asia/Kolkata", "2026-11-20T17:00:00Z"),
            ParsedTime("2026-11-18T18:30:00Z"));
  EXPECT_EQ(Horizon(kMonths, 1, "America/New_York", "2026-12-01T04:59:59Z"),
            ParsedTime("2026-10-01T04:00:00Z"));
}

TEST(LedgerHorizonTest, HoursContinueIfClocksGoBack) {
  EXPECT_EQ(Horizon(kHours, 1, "Europe/Berlin", "2026-10-25T01:30:00Z"),
            ParsedTime("2026-10-25T00:00:00Z"));
  EXPECT_EQ(Horizon(kHours, 1, "Europe/Berlin", "2026-10-25T02:30:00Z"),
            ParsedTime("2026-10-25T01:00:00Z"));
}

TEST(LedgerHorizonTest, ItNeverMovesBackAsTimeContinues) {
  for (const char* zone : {"UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe"}) {
    for (const priority::PurgeAge& age :
         {priority::PurgeAge{kHours, 30}, priority::PurgeAge{kDays, 3},
          priority::PurgeAge{kMonths, 1}}) {
      priority::Policy policy;
      policy.time_zone = NamedZone(zone);
      policy.purge_job_after = age;
      absl::Time last = absl::InfinitePast();
      for (absl::Time time = ParsedTime("2026-03-01T00:00:00Z");
           time < ParsedTime("2027-03-01T00:00:00Z"); time += absl::Minutes(10)) {
        const absl::Time horizon = LedgerHorizon(policy, time);
        EXPECT_GE(horizon, last) << zone << " at " << time;
        EXPECT_LT(horizon, time);
        last = horizon;
      }
    }
  }
}

}  // namespace
}  // namespace priorityd::usage
