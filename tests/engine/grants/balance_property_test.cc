#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/grants/balance.h"
#include "engine/grants/windows.h"
#include "gtest/gtest.h"
#include "tests/engine/grants/naive_balances.h"
#include "tests/times.h"

namespace priorityd::grants {
namespace {

constexpr int kMillionthsOfAPercent = 10'000;

// Draws stacks of grants and usage of about three years.
class DrawGrants {
 public:
  explicit DrawGrants(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }

  absl::TimeZone Zone() {
    const char* names[] = {"UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu"};
    return NamedZone(names[Below(4)]);
  }

  absl::Time Time(const absl::TimeZone& zone) {
    const absl::CivilDay day = absl::CivilDay(2017, 3, 1) + Below(1000);
    absl::Time time = absl::FromCivil(OneIn(3) ? absl::CivilDay(absl::CivilMonth(day)) : day, zone);
    if (OneIn(2)) time += absl::Microseconds(Below(86'400'000'000));
    return time;
  }

  Amount Used() {
    return OneIn(5) ? Amount()
                    : Amount::Of(static_cast<double>(Below(1000)) / 7, absl::Minutes(Below(30)));
  }

  std::vector<Grant> Stack(const absl::TimeZone& zone) {
    if (OneIn(5)) return {OneGrant(zone, WindowKind::kRolling, 0)};
    std::vector<Grant> stack;
    for (int64_t i = 0, count = 1 + Below(4); i < count; ++i) {
      stack.push_back(OneGrant(zone, static_cast<WindowKind>(Below(4)), static_cast<int>(i)));
    }
    return stack;
  }

  // Of all boundaries, and between them.
  std::vector<Period> Periods(const std::vector<Grant>& stack, const absl::TimeZone& zone,
                              absl::Time now) {
    std::vector<absl::Time> times = BoundariesOf(stack, zone, now);
    if (times.empty()) return {};
    for (int64_t extra = Below(30); extra > 0; --extra) times.push_back(Time(zone));
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    times.push_back(times.back() + absl::Hours(1));
    std::vector<Period> periods;
    for (size_t i = 0; i + 1 < times.size(); ++i) {
      periods.push_back({times[i], times[i + 1], Used()});
    }
    return periods;
  }

 private:
  Amount Granted() { return Amount::FromMinutes(static_cast<double>(Below(5000)) / 3); }
  int64_t Part(int most_percent) { return Below(most_percent * kMillionthsOfAPercent + 1); }

  Grant OneGrant(const absl::TimeZone& zone, WindowKind window, int number) {
    Grant grant;
    grant.name = absl::StrCat("grant", number);
    grant.window = window;
    grant.begin = Time(zone);
    if (OneIn(2)) grant.end = grant.begin + absl::Hours(1 + Below(24 * 900));
    if (OneIn(20)) grant.end = grant.begin - absl::Hours(1);
    grant.order = Below(2);
    grant.grace = OneIn(2) ? Part(40) : 0;
    DrawAmounts(zone, &grant);
    if (window == WindowKind::kRolling) grant.rolling_days = static_cast<int>(1 + Below(60));
    if (window != WindowKind::kRolling && window != WindowKind::kFixed) DrawCarry(&grant);
    return grant;
  }

  void DrawAmounts(const absl::TimeZone& zone, Grant* grant) {
    for (int64_t i = 0, count = 1 + Below(4); i < count; ++i) {
      grant->versions.push_back({Time(zone), Granted()});
    }
    std::sort(grant->versions.begin(), grant->versions.end(),
              [](const Version& a, const Version& b) { return a.effective < b.effective; });
    for (int64_t count = Below(5); count > 0; --count) {
      grant->transfers.push_back({Time(zone), OneIn(2) ? Granted() : -Granted()});
    }
  }

  void DrawCarry(Grant* grant) {
    if (OneIn(2)) grant->borrow = Part(150);
    if (OneIn(4)) return;
    grant->carry_over = OneIn(2) ? Part(100) : 1'000'000;
    grant->carry_windows = static_cast<int>(1 + Below(5));
    if (OneIn(2)) grant->carry_cap = Part(200);
    if (OneIn(4)) grant->carry_half_life = absl::Hours(1 + Below(2000));
  }

  std::mt19937_64 random_;
};

TEST(BalancePropertyTest, WindowsAndBoundariesAreThoseOfTheNaiveCalendar) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    DrawGrants draw(seed);
    const absl::TimeZone zone = draw.Zone();
    const absl::Time now = draw.Time(zone);
    const auto stack = draw.Stack(zone);
    std::vector<absl::Time> times;
    for (const Grant& grant : stack) {
      auto naive = NaiveWindows(grant, zone, now);
      for (const Window& window : naive) {
        times.push_back(window.begin);
        times.push_back(window.end);
      }
      std::erase_if(naive, [&](const Window& window) { return window.begin > now; });
      EXPECT_EQ(WindowsOf(grant, zone, now), naive) << "seed " << seed;
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto after = std::upper_bound(times.begin(), times.end(), now);
    if (after != times.end()) times.erase(after + 1, times.end());
    std::erase(times, absl::InfiniteFuture());
    EXPECT_EQ(BoundariesOf(stack, zone, now), times) << "seed " << seed;
  }
}

TEST(BalancePropertyTest, BalancesAreThoseOfTheNaiveModelToTheLastDigit) {
  int windows = 0;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    DrawGrants draw(seed);
    const absl::TimeZone zone = draw.Zone();
    const absl::Time now = draw.Time(zone);
    const auto stack = draw.Stack(zone);
    const auto periods = draw.Periods(stack, zone, now);
    const auto balances = BalancesOf(stack, periods, zone, now);
    const auto naive = NaiveBalances(stack, periods, zone, now);
    ASSERT_EQ(balances.size(), naive.size());
    for (size_t i = 0; i < stack.size(); ++i) {
      ASSERT_EQ(balances[i].size(), naive[i].size()) << "seed " << seed;
      windows += static_cast<int>(naive[i].size());
      for (size_t k = 0; k < naive[i].size(); ++k) {
        const Balance& b = balances[i][k];
        const Balance& n = naive[i][k];
        EXPECT_TRUE(b == n) << "seed " << seed << ", grant " << i << ", window " << k << ": used "
                            << b.used.ToDecimal() << " / " << n.used.ToDecimal() << ", carried "
                            << b.carried.ToDecimal() << " / " << n.carried.ToDecimal()
                            << ", repaid " << b.repaid.ToDecimal() << " / " << n.repaid.ToDecimal();
      }
    }
  }
  EXPECT_GT(windows, 20'000) << "enough of them to say something";
}

// The same usage, each period in several: usage of parts adds up to that of the whole.
TEST(BalancePropertyTest, PeriodsSplitFurtherGiveTheSameBalances) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    DrawGrants draw(seed);
    const absl::TimeZone zone = draw.Zone();
    const absl::Time now = draw.Time(zone);
    const auto stack = draw.Stack(zone);
    const auto periods = draw.Periods(stack, zone, now);
    std::vector<Period> parts;
    for (const Period& period : periods) {
      const absl::Time cut = period.begin + (period.end - period.begin) / 3;
      const Amount first = period.used.Part(draw.Below(1'000'001));
      if (cut > period.begin && period.end <= now) {
        parts.push_back({period.begin, cut, first});
        parts.push_back({cut, period.end, period.used - first});
      } else {
        parts.push_back(period);
      }
    }
    EXPECT_EQ(BalancesOf(stack, parts, zone, now), BalancesOf(stack, periods, zone, now))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace priorityd::grants
