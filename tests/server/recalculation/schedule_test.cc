// When clusters are due, and what the end of a recalculation does to that.
#include "server/recalculation/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/errors/error_details.h"

namespace priorityd::recalculation {
namespace {

const absl::Time kScheduleStart = absl::FromUnixSeconds(1'700'000'000);

// So many minutes after the start.
absl::Time At(double minutes) { return kScheduleStart + minutes * absl::Minutes(1); }

priority::Policy Every(int minutes, priority::ClockMode clock = priority::ClockMode::kReal) {
  priority::Policy policy;
  policy.calc_period = absl::Minutes(minutes);
  policy.clock = clock;
  return policy;
}

priority::Policy Manual() { return Every(5, priority::ClockMode::kManual); }

TEST(NextDueTest, IsTheFirstWholePeriodAfterNow) {
  struct Case {
    double anchor, period, now, due;
  };
  for (const Case& c : std::vector<Case>{{0, 5, 0, 5},
                                         {0, 5, 4.9, 5},
                                         {0, 5, 5, 10},
                                         {0, 5, 7, 10},
                                         {0, 5, 5000, 5005},
                                         {3, 5, 7, 8},
                                         {3, 5, 1, 3},
                                         {-2, 5, 0, 3}}) {
    EXPECT_EQ(NextDue(At(c.anchor), c.period * absl::Minutes(1), At(c.now)), At(c.due))
        << "anchor " << c.anchor << ", now " << c.now;
  }
}

TEST(ScheduleTest, AnEmptyOneHasNothingDueEver) {
  const Schedule schedule;
  EXPECT_EQ(schedule.Due(absl::InfiniteFuture()), std::nullopt);
  EXPECT_EQ(schedule.NextWake(), absl::InfiniteFuture());
  EXPECT_EQ(schedule.DueAt("c"), std::nullopt);
}

TEST(ScheduleTest, AClusterIsDueAPeriodAfterItsLastRecalculation) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  EXPECT_EQ(schedule.Due(At(4.9)), std::nullopt);
  EXPECT_EQ(schedule.Due(At(5)), "c");
  EXPECT_EQ(schedule.NextWake(), At(5));
}

TEST(ScheduleTest, AddingAgainChangesNothing) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Add("c", At(2), absl::Minutes(1));
  EXPECT_EQ(schedule.DueAt("c"), At(5));
}

TEST(ScheduleTest, TheClusterThatIsDueTheLongestComesFirst) {
  Schedule schedule;
  schedule.Add("a", At(2), absl::Minutes(5));
  schedule.Add("b", At(0), absl::Minutes(5));
  schedule.Add("d", At(1), absl::Minutes(5));
  schedule.Add("c", At(1), absl::Minutes(5));
  std::vector<std::string> order;
  while (const auto due = schedule.Due(At(60))) {
    order.push_back(*due);
    schedule.Remove(*due);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"b", "c", "d", "a"}));
}

TEST(ScheduleTest, ASlowClusterDoesNotKeepOthersFromTheirTurn) {
  Schedule schedule;
  schedule.Add("a", At(0), absl::Minutes(1));
  schedule.Add("b", At(0), absl::Minutes(1));
  // Each takes longer than the period.
  absl::Time now = At(10);
  std::map<std::string, int> turns;
  for (int i = 0; i < 10; ++i) {
    const auto due = schedule.Due(now);
    ASSERT_TRUE(due.has_value());
    ++turns[*due];
    now += absl::Seconds(90);
    schedule.Succeeded(*due, Every(1), now);
  }
  EXPECT_EQ(turns["a"], 5);
  EXPECT_EQ(turns["b"], 5);
}

TEST(ScheduleTest, ALateRecalculationDoesNotShiftTheSchedule) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Succeeded("c", Every(5), At(7));
  EXPECT_EQ(schedule.DueAt("c"), At(10));
  // Nor one on demand.
  schedule.Succeeded("c", Every(5), At(8));
  EXPECT_EQ(schedule.DueAt("c"), At(10));
}

TEST(ScheduleTest, ALeaseIsDueWhenItBeginsOrEndsAndKeepsTheSchedule) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Succeeded("c", Every(5), At(5), At(7.25));
  EXPECT_EQ(schedule.DueAt("c"), At(7.25));
  schedule.Succeeded("c", Every(5), At(7.25), At(11));
  EXPECT_EQ(schedule.DueAt("c"), At(10)) << "a period later";
}

TEST(ScheduleTest, AnAddedClusterIsDueWhenALeaseBeginsOrEndsWithinThePeriod) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5), At(3));
  schedule.Add("d", At(0), absl::Minutes(5), At(6));
  EXPECT_EQ(schedule.DueAt("c"), At(3));
  EXPECT_EQ(schedule.DueAt("d"), At(5));
}

TEST(ScheduleTest, LeasesOfOneSecondShareARecalculation) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Succeeded("c", Every(5), At(2), At(2) + absl::Milliseconds(1));
  EXPECT_EQ(schedule.DueAt("c"), At(2) + Schedule::kBetweenHastened);
  schedule.Succeeded("c", Every(5), At(3), At(2));
  EXPECT_EQ(schedule.DueAt("c"), At(3) + Schedule::kBetweenHastened);
}

TEST(ScheduleTest, MissedPeriodsAreNotMadeUpFor) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Succeeded("c", Every(5), At(33));
  EXPECT_EQ(schedule.DueAt("c"), At(35));
}

TEST(ScheduleTest, ANewPeriodCountsFromTheRecalculationThatBroughtIt) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Succeeded("c", Every(3), At(7));
  EXPECT_EQ(schedule.DueAt("c"), At(10));
  schedule.Succeeded("c", Every(3), At(10.5));
  EXPECT_EQ(schedule.DueAt("c"), At(13));
}

TEST(ScheduleTest, TheFirstRecalculationAddsACluster) {
  Schedule schedule;
  schedule.Succeeded("c", Every(5), At(1));
  EXPECT_EQ(schedule.DueAt("c"), At(6));
}

TEST(ScheduleTest, AChangeIsDueAtOnceAndKeepsTheSchedule) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Hasten("c", At(2));
  EXPECT_EQ(schedule.DueAt("c"), At(2));
  schedule.Begun("c");
  schedule.Succeeded("c", Every(5), At(2));
  EXPECT_EQ(schedule.DueAt("c"), At(5));
}

TEST(ScheduleTest, ChangesOfOneSecondShareARecalculation) {
  Schedule schedule;
  schedule.Succeeded("c", Every(5), At(2));
  for (int i = 1; i < 10; ++i) schedule.Hasten("c", At(2) + i * absl::Milliseconds(100));
  EXPECT_EQ(schedule.DueAt("c"), At(2) + Schedule::kBetweenHastened);
}

TEST(ScheduleTest, AChangeDuringARecalculationHasAnotherOneThatReadsIt) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Begun("c");
  schedule.Hasten("c", At(5));
  schedule.Succeeded("c", Every(5), At(6));
  EXPECT_EQ(schedule.DueAt("c"), At(6) + Schedule::kBetweenHastened);
}

TEST(ScheduleTest, AChangeMakesNothingLaterAndAddsNoCluster) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Hasten("c", At(7));
  EXPECT_EQ(schedule.DueAt("c"), At(5));
  schedule.Hasten("none", At(7));
  EXPECT_EQ(schedule.DueAt("none"), std::nullopt);
}

TEST(ScheduleTest, AFailedOneIsRetriedSoonAndKeepsTheSchedule) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Failed("c", absl::UnavailableError("the database"), At(5));
  EXPECT_EQ(schedule.DueAt("c"), At(5) + Schedule::kRetryDelay);
  schedule.Succeeded("c", Every(5), At(5) + Schedule::kRetryDelay);
  EXPECT_EQ(schedule.DueAt("c"), At(10));
}

TEST(ScheduleTest, AFirstOneThatFailsIsRetried) {
  Schedule schedule;
  schedule.Failed("c", absl::AbortedError("met another one"), At(0));
  EXPECT_EQ(schedule.DueAt("c"), At(0) + Schedule::kRetryDelay);
  schedule.Succeeded("c", Every(5), At(1));
  EXPECT_EQ(schedule.DueAt("c"), At(6));
}

TEST(ScheduleTest, ARowThatRefersToNoneIsRetried) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Failed(
      "c", absl::FailedPreconditionError("the object refers to one that does not exist"), At(5));
  EXPECT_EQ(schedule.DueAt("c"), At(5) + Schedule::kRetryDelay);
}

TEST(ScheduleTest, ErrorsThatDoNotPassEndTheSchedule) {
  const absl::Status needs_time = absl::FailedPreconditionError("as_of: got none");
  for (const absl::Status& error :
       {errors::WithReason(needs_time, "AS_OF_NEEDED"), absl::NotFoundError("gone")}) {
    Schedule schedule;
    schedule.Add("c", At(0), absl::Minutes(5));
    schedule.Failed("c", error, At(5));
    EXPECT_EQ(schedule.DueAt("c"), std::nullopt) << error;
    EXPECT_EQ(schedule.NextWake(), absl::InfiniteFuture());
  }
}

TEST(ScheduleTest, AManualClockLeavesTheScheduleAndARealOneComesBack) {
  Schedule schedule;
  schedule.Add("c", At(0), absl::Minutes(5));
  schedule.Succeeded("c", Manual(), At(5));
  EXPECT_EQ(schedule.Due(absl::InfiniteFuture()), std::nullopt);
  schedule.Succeeded("c", Every(5), At(11));
  EXPECT_EQ(schedule.DueAt("c"), At(16));
}

TEST(ScheduleTest, WhatIsRemovedOrClearedIsNotDue) {
  Schedule schedule;
  schedule.Add("a", At(0), absl::Minutes(5));
  schedule.Add("b", At(1), absl::Minutes(5));
  schedule.Remove("a");
  schedule.Remove("unknown");
  EXPECT_EQ(schedule.Due(At(100)), "b");
  schedule.Clear();
  EXPECT_EQ(schedule.Due(At(100)), std::nullopt);
  EXPECT_EQ(schedule.NextWake(), absl::InfiniteFuture());
}

// The same, by looking at every cluster and counting periods one by one.
class NaiveSchedule {
 public:
  void Add(const std::string& cluster, absl::Time last, absl::Duration period) {
    if (rows_.count(cluster) == 0) rows_[cluster] = {last + period, last, period};
  }
  void Remove(const std::string& cluster) { rows_.erase(cluster); }
  void Clear() { rows_.clear(); }
  void Succeeded(const std::string& cluster, const priority::Policy& policy, absl::Time now) {
    if (policy.clock == priority::ClockMode::kManual) return Remove(cluster);
    Row& row = rows_[cluster];
    if (row.period != policy.calc_period) row = {now, now, policy.calc_period};
    row.due = row.anchor;
    while (row.due <= now) row.due += row.period;
  }
  void Failed(const std::string& cluster, const absl::Status& status, absl::Time now) {
    if (!absl::IsUnavailable(status)) return Remove(cluster);
    rows_[cluster].due = now + absl::Seconds(5);
  }
  std::optional<std::string> Due(absl::Time now) const {
    std::optional<std::string> found;
    for (const auto& [cluster, row] : rows_) {
      if (row.due <= now && (!found.has_value() || row.due < rows_.at(*found).due)) found = cluster;
    }
    return found;
  }
  absl::Time NextWake() const {
    absl::Time next = absl::InfiniteFuture();
    for (const auto& [cluster, row] : rows_) next = std::min(next, row.due);
    return next;
  }
  std::optional<absl::Time> DueAt(const std::string& cluster) const {
    const auto found = rows_.find(cluster);
    if (found == rows_.end()) return std::nullopt;
    return found->second.due;
  }

 private:
  struct Row {
    absl::Time due, anchor;
    absl::Duration period;
  };
  std::map<std::string, Row> rows_;
};

class RandomScheduleTest : public testing::TestWithParam<int> {
 protected:
  int Draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  // Does the same to both.
  template <typename Change>
  void Both(Change change) {
    change(schedule_);
    change(naive_);
  }

  void ChangeSomething(const std::string& cluster) {
    switch (Draw(16)) {
      case 0:
        return Both([&](auto& schedule) { schedule.Remove(cluster); });
      case 1:
        if (Draw(10) == 0) Both([&](auto& schedule) { schedule.Clear(); });
        return;
      case 2:
        return Both([&](auto& schedule) { schedule.Succeeded(cluster, Manual(), now_); });
      case 3:
      case 4:
        return Both([&](auto& s) { s.Failed(cluster, absl::UnavailableError(""), now_); });
      case 5:
        return Both([&](auto& s) { s.Failed(cluster, absl::NotFoundError(""), now_); });
      case 6:
      case 7:
      case 8: {
        const absl::Time last = now_ - absl::Seconds(Draw(900));
        const absl::Duration period = absl::Minutes(1 + Draw(3));
        return Both([&](auto& schedule) { schedule.Add(cluster, last, period); });
      }
      default: {
        const priority::Policy policy = Every(1 + Draw(3));
        return Both([&](auto& schedule) { schedule.Succeeded(cluster, policy, now_); });
      }
    }
  }

  void ExpectSame() const {
    EXPECT_EQ(schedule_.NextWake(), naive_.NextWake());
    EXPECT_EQ(schedule_.Due(now_), naive_.Due(now_));
    for (const std::string& cluster : kClusters) {
      EXPECT_EQ(schedule_.DueAt(cluster), naive_.DueAt(cluster)) << cluster;
    }
  }

  const std::vector<std::string> kClusters = {"a", "b", "c", "d"};
  std::mt19937_64 random_{static_cast<uint64_t>(GetParam())};
  absl::Time now_ = kScheduleStart;
  Schedule schedule_;
  NaiveSchedule naive_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, RandomScheduleTest, testing::Range(0, 20));

TEST_P(RandomScheduleTest, IsTheSameAsANaiveOne) {
  for (int step = 0; step < 500 && !HasFailure(); ++step) {
    SCOPED_TRACE(step);
    // Whole seconds and few clusters, so that ties come.
    now_ += absl::Seconds(Draw(60));
    // Mostly as a loop does: whatever is due is done.
    const std::optional<std::string> due = schedule_.Due(now_);
    ChangeSomething(due.has_value() && Draw(3) > 0 ? *due : kClusters[Draw(4)]);
    ExpectSame();
  }
}

TEST_P(RandomScheduleTest, WhatIsDueIsDueSinceTheLongestAndNothingIsBefore) {
  for (int step = 0; step < 500 && !HasFailure(); ++step) {
    now_ += absl::Seconds(Draw(60));
    ChangeSomething(kClusters[Draw(4)]);
    const std::optional<std::string> due = schedule_.Due(now_);
    EXPECT_EQ(due.has_value(), schedule_.NextWake() <= now_);
    if (due.has_value()) {
      EXPECT_EQ(schedule_.DueAt(*due), schedule_.NextWake());
    }
  }
}

}  // namespace
}  // namespace priorityd::recalculation
