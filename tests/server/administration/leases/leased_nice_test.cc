#include "server/administration/leases/leased_nice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/administration/leases/lease_fold.h"
#include "server/administration/leases/lease_values.h"

namespace priorityd::administration {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

absl::Time NiceHour(int hour) { return absl::FromUnixSeconds(3600 * int64_t{hour}); }

storage::Lease NiceLease(int64_t id, const std::string& job, int32_t nice, int begin, int end) {
  storage::Lease lease;
  lease.id = id;
  lease.kind = kJobKind;
  lease.job_id = job;
  lease.object = absl::StrCat("job ", job);
  lease.setting_names = {"Nice"};
  lease.setting_operators = {"="};
  lease.setting_values = {absl::StrCat(nice)};
  lease.begin_time = NiceHour(begin);
  lease.end_time = NiceHour(end);
  return lease;
}

TEST(LeasedNiceTest, TheLastBegunLeaseDecidesAndTheNextChangeIsKnown) {
  const std::vector<storage::Lease> open = {NiceLease(1, "812", -100, 1, 9),
                                            NiceLease(2, "812", 50, 3, 5)};
  EXPECT_THAT(LeasedNicesAt(open, NiceHour(0)), IsEmpty());
  const auto at = [&](int hour) { return LeasedNicesAt(open, NiceHour(hour)).at("812"); };
  EXPECT_EQ(at(1), (priority::LeasedNice{-100, NiceHour(3), 50, 1}));
  EXPECT_EQ(at(3), (priority::LeasedNice{50, NiceHour(5), -100, 2}));
  EXPECT_EQ(at(5), (priority::LeasedNice{-100, NiceHour(9), std::nullopt, 1}));
  EXPECT_THAT(LeasedNicesAt(open, NiceHour(9)), IsEmpty());
}

TEST(LeasedNiceTest, ALeaseThatChangesNothingIsNoNextChange) {
  const std::vector<storage::Lease> open = {NiceLease(1, "812", 7, 1, 9),
                                            NiceLease(2, "812", 7, 3, 5)};
  EXPECT_EQ(LeasedNicesAt(open, NiceHour(2)).at("812"),
            (priority::LeasedNice{7, NiceHour(9), std::nullopt, 1}));
}

TEST(LeasedNiceTest, EndedLeasesAndThoseOfOtherKindsDoNotCount) {
  storage::Lease ended = NiceLease(1, "812", 7, 1, 9);
  ended.ended_at = NiceHour(4);
  storage::Lease other = NiceLease(2, "812", 8, 1, 9);
  other.kind = "association";
  EXPECT_EQ(LeasedNicesAt({ended, other}, NiceHour(3)).at("812").until, NiceHour(4));
  EXPECT_THAT(LeasedNicesAt({ended, other}, NiceHour(4)), IsEmpty());
  EXPECT_THAT(LeasedJobIds({ended, other}), ElementsAre("812"));
}

// The value of each hour, by reading all leases.
std::optional<int32_t> NaiveNice(const std::vector<storage::Lease>& open, int hour) {
  std::optional<int32_t> nice;
  for (const storage::Lease& lease : open) {
    if (lease.begin_time <= NiceHour(hour) && NiceHour(hour) < lease.end_time) {
      nice = std::stoi(lease.setting_values[0]);
    }
  }
  return nice;
}

TEST(LeasedNiceTest, RandomLeasesEqualAScanOfTheHours) {
  std::mt19937 random(812);
  const auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<storage::Lease> open;
    for (int id = 1; id <= 6; ++id) {
      const int begin = pick(0, 20);
      open.push_back(NiceLease(id, "1", pick(-1, 1), begin, begin + pick(1, 9)));
    }
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) {
      return std::tie(a.begin_time, a.id) < std::tie(b.begin_time, b.id);
    });
    for (int hour = 0; hour < 30; ++hour) {
      const priority::LeasedNices nices = LeasedNicesAt(open, NiceHour(hour));
      const std::optional<int32_t> nice = NaiveNice(open, hour);
      ASSERT_EQ(nices.empty(), !nice.has_value()) << round << " " << hour;
      if (nices.empty()) continue;
      int next = hour + 1;
      while (NaiveNice(open, next) == nice) ++next;
      const priority::LeasedNice& leased = nices.at("1");
      EXPECT_EQ(leased.nice, *nice);
      EXPECT_EQ(leased.until, NiceHour(next));
      EXPECT_EQ(leased.then, NaiveNice(open, next));
    }
  }
}

TEST(LeasedNiceTest, PassagesHaveTheNiceValuesBeforeAndAfter) {
  LeasedRows rows;
  rows.jobs.emplace("812", storage::LeasedJob{"812", 5});
  const std::vector<storage::Lease> open = {NiceLease(1, "812", -100, 1, 4)};
  const auto passages = PassagesUpTo(NiceHour(4), open, rows);
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[0].before, (Attributes{{"Nice", "5"}}));
  EXPECT_EQ(passages[0].after, (Attributes{{"Nice", "-100"}}));
  EXPECT_EQ(passages[1].after, (Attributes{{"Nice", "5"}}));
  const auto values = LeasedValues(rows, KeyOf(open[0]), open, NiceHour(2));
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].value, "-100");
  EXPECT_EQ(values[0].then, "5");
}

}  // namespace
}  // namespace priorityd::administration
