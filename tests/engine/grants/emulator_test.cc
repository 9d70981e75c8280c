// What slurm-emulator (run_emulator.py) computes of a change from a quarter to the next.
//
// Its quarters have 90 days, as the first of 2026 in UTC; ours have their real length, of 90 to 92
// days. It carries over for one window, without a part or a cap. From the second change on it
// leaves out what was carried before: base - usage, where ours is base + carried - usage, so only
// the first change is compared. Its grace is a part of base + carried, ours of base.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/grants/balance.h"
#include "gtest/gtest.h"

namespace priorityd::grants {
namespace {

constexpr double kMillion = 1e6;

struct EmulatorRow {
  double base, used, half_life_days, grace, total, threshold, grace_limit;
};

std::vector<EmulatorRow> EmulatorRows() {
  std::ifstream file("tests/engine/grants/emulator.tsv");
  std::string line;
  std::getline(file, line);
  std::vector<EmulatorRow> rows;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    EmulatorRow& r = rows.emplace_back();
    words >> r.base >> r.used >> r.half_life_days >> r.grace >> r.total >> r.threshold >>
        r.grace_limit;
    EXPECT_TRUE(words) << line;
  }
  return rows;
}

absl::Time QuarterBegin(int month) {
  return absl::FromCivil(absl::CivilMonth(2026, month), absl::UTCTimeZone());
}

// The balance of the second quarter; node-hours are TRES-minutes here.
Balance SecondQuarter(const EmulatorRow& row) {
  Grant grant;
  grant.begin = QuarterBegin(1);
  grant.window = WindowKind::kQuarter;
  grant.versions = {{grant.begin, Amount::FromMinutes(row.base)}};
  grant.carry_over = 1'000'000;
  grant.carry_half_life = absl::Hours(24) * row.half_life_days;
  grant.grace = std::llround(row.grace * kMillion);
  const std::vector<Period> periods = {
      {QuarterBegin(1), QuarterBegin(4), Amount::FromMinutes(row.used)}};
  return BalancesOf({&grant, 1}, periods, absl::UTCTimeZone(), QuarterBegin(4))[0][1];
}

TEST(EmulatorTest, CarriesOverAsSlurmEmulator) {
  const auto rows = EmulatorRows();
  ASSERT_EQ(rows.size(), 144);
  for (const EmulatorRow& row : rows) {
    const Balance balance = SecondQuarter(row);
    const double allowed = 1e-9 * row.total;
    EXPECT_NEAR(balance.available().minutes(), row.total, allowed);
    EXPECT_NEAR(balance.available().minutes(), row.threshold, allowed);
    const double graced_carry = row.grace * balance.carried.minutes();
    EXPECT_NEAR((balance.available() + balance.beyond).minutes(), row.grace_limit - graced_carry,
                allowed);
  }
}

}  // namespace
}  // namespace priorityd::grants
