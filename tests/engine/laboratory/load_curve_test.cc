#include "engine/laboratory/load_curve.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

absl::Time CurveAt(int seconds) { return kBegin + absl::Seconds(seconds); }

// Job 1 has two CPUs from 0 to 150, job 2 waits from 50 to 250 and then has one, job 3 waits from
// 300 on.
TEST(LoadCurveTest, IsTheMeanOverEachPart) {
  const std::vector<HistoryJob> jobs = {JobOf("1", 0, 150, 2), JobOf("2", 50, 1000),
                                        JobOf("3", 300, 10)};
  const LoadCurve curve =
      LoadOf(jobs, {{CurveAt(0), CurveAt(250), std::nullopt}}, {CurveAt(0), CurveAt(400)}, 4);
  EXPECT_THAT(curve.cpus, ElementsAre(DoubleEq(2), DoubleEq(1), DoubleEq(0.5), DoubleEq(1)));
  EXPECT_THAT(curve.waiting, ElementsAre(DoubleEq(0.5), DoubleEq(1), DoubleEq(0.5), DoubleEq(1)));
}

TEST(LoadCurveTest, OfAnEmptyPeriodIsZero) {
  EXPECT_THAT(LoadOf({}, {}, {CurveAt(0), CurveAt(0)}, 2).cpus, ElementsAre(0, 0));
}

}  // namespace
}  // namespace priorityd::laboratory
