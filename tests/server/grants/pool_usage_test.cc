// Periods of usage beside a list of what was added.
#include "server/grants/pool_usage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace priorityd::grants {
namespace {

absl::Time At(int64_t second) { return absl::UnixEpoch() + absl::Seconds(second); }

// CPUs from one second to another.
struct Stretch {
  int64_t start;
  int64_t end;
  int64_t cpus;
};

int64_t CpuSeconds(const std::vector<Stretch>& all, int64_t from, int64_t until) {
  int64_t sum = 0;
  for (const Stretch& stretch : all) {
    sum += stretch.cpus *
           std::max<int64_t>(0, std::min(stretch.end, until) - std::max(stretch.start, from));
  }
  return sum;
}

class PoolUsageTest : public testing::TestWithParam<uint32_t> {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  void AddAny() {
    const int64_t start = Below(1000);
    const Stretch stretch = {start, start + 1 + Below(300), 1 + Below(9)};
    all_.push_back(stretch);
    usage_.Add(static_cast<double>(stretch.cpus), At(stretch.start), At(stretch.end), true);
  }

  void TakeAnyOut() {
    if (all_.empty()) return;
    const auto gone = all_.begin() + Below(static_cast<int64_t>(all_.size()));
    usage_.Add(static_cast<double>(gone->cpus), At(gone->start), At(gone->end), false);
    all_.erase(gone);
  }

  // Wants some boundaries more, and reads what that takes from the list.
  void DivideAny() {
    for (int i = 0; i < 3; ++i) boundaries_.insert(At(Below(1300)));
    const std::vector<absl::Time> wanted(boundaries_.begin(), boundaries_.end());
    const std::optional<absl::Time> from = usage_.Divide(wanted);
    if (!from.has_value()) return;
    usage_.Cut(*from, wanted);
    for (const Stretch& stretch : all_) {
      const absl::Time start = std::max(At(stretch.start), *from);
      if (start >= At(stretch.end)) continue;
      usage_.Add(static_cast<double>(stretch.cpus), start, At(stretch.end), true);
    }
    usage_.Join();
  }

  void ExpectTheList() {
    std::set<absl::Time> begins;
    for (size_t i = 0; i < usage_.periods().size(); ++i) {
      const Period& period = usage_.periods()[i];
      const bool is_last = i + 1 == usage_.periods().size();
      EXPECT_EQ(period.end, is_last ? absl::InfiniteFuture() : usage_.periods()[i + 1].begin);
      const int64_t until = is_last ? 1'000'000 : absl::ToUnixSeconds(period.end);
      EXPECT_EQ(period.used.ToDecimal(),
                std::to_string(CpuSeconds(all_, absl::ToUnixSeconds(period.begin), until)));
      begins.insert(period.begin);
    }
    EXPECT_TRUE(
        std::includes(begins.begin(), begins.end(), boundaries_.begin(), boundaries_.end()));
  }

  std::mt19937 random_{GetParam()};
  std::vector<Stretch> all_;
  std::set<absl::Time> boundaries_;
  PoolUsage usage_;
};

TEST_P(PoolUsageTest, EachPeriodHasWhatTheListHasInIt) {
  for (int step = 0; step < 200; ++step) {
    const int64_t kind = Below(10);
    if (kind < 6) {
      AddAny();
    } else if (kind < 9) {
      TakeAnyOut();
    } else {
      DivideAny();
    }
    ExpectTheList();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PoolUsageTest, testing::Range(1u, 21u));

// A new period at the end needs no reading as long as nobody has used anything by then.
TEST(PoolUsageTest, ANewPeriodAfterAllUsageIsMadeWithoutReading) {
  PoolUsage usage({{At(0), At(10), Amount()}, {At(10), absl::InfiniteFuture(), Amount()}});
  usage.Add(1, At(2), At(5), true);
  EXPECT_EQ(usage.Divide({At(0), At(10), At(20), At(30)}), std::nullopt);
  EXPECT_EQ(usage.periods().size(), 4u);
  usage.Add(1, At(25), At(45), true);
  EXPECT_EQ(usage.Divide({At(0), At(10), At(20), At(30), At(40)}), At(40));
}

}  // namespace
}  // namespace priorityd::grants
