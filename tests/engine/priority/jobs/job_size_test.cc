#include "engine/priority/jobs/job_size.h"

#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

// 10 nodes of 10 CPUs.
class JobSizeTest : public testing::Test {
 protected:
  double Factor(double nodes, double cpus, double minutes = 1) const {
    return JobSizeFactor(policy_, cluster_, {nodes, cpus, minutes});
  }

  Policy policy_;
  Cluster cluster_{"ten", 10, 100, {}};
};

TEST_F(JobSizeTest, LargeJobsAreFavouredByDefault) {
  EXPECT_DOUBLE_EQ(Factor(2, 40), (0.2 + 0.4) / 2);
  EXPECT_DOUBLE_EQ(Factor(10, 100), 1);
}

TEST_F(JobSizeTest, WithoutCpusNodesAloneCount) {
  EXPECT_DOUBLE_EQ(Factor(2, 0), 0.2);
  policy_.favor_small = true;
  EXPECT_DOUBLE_EQ(Factor(2, 0), 0.8);
}

TEST_F(JobSizeTest, FavorSmallTurnsBothPartsRound) {
  policy_.favor_small = true;
  EXPECT_DOUBLE_EQ(Factor(1, 1), (0.9 + 0.99) / 2);
  EXPECT_DOUBLE_EQ(Factor(10, 100), 0);
}

TEST_F(JobSizeTest, EachPartOfASmallFactorIsAtLeastZero) {
  policy_.favor_small = true;
  EXPECT_DOUBLE_EQ(Factor(20, 50), 0.5 / 2);
}

TEST_F(JobSizeTest, TheFactorIsAtMostOne) { EXPECT_DOUBLE_EQ(Factor(100, 1000), 1); }

TEST_F(JobSizeTest, RelativeToTimeAFullSystemJobOfOneMinuteHasOne) {
  policy_.small_relative_to_time = true;
  EXPECT_DOUBLE_EQ(Factor(10, 100, 1), 1);
  EXPECT_DOUBLE_EQ(Factor(10, 100, 4), 0.25);
}

TEST_F(JobSizeTest, RelativeToTimeTheLargerOfNodesAndCpusCounts) {
  policy_.small_relative_to_time = true;
  EXPECT_DOUBLE_EQ(Factor(3, 1, 2), 0.15);
  EXPECT_DOUBLE_EQ(Factor(1, 60, 2), 0.3);
}

TEST_F(JobSizeTest, RelativeToTimeFavorSmallIsTheRest) {
  policy_.small_relative_to_time = true;
  policy_.favor_small = true;
  EXPECT_DOUBLE_EQ(Factor(3, 1, 2), 0.85);
}

TEST_F(JobSizeTest, AClusterWithoutNodesOrCpusGivesZero) {
  cluster_.cpus = 0;
  EXPECT_EQ(Factor(1, 1), 0);
  cluster_ = {"none", 0, 100, {}};
  EXPECT_EQ(Factor(1, 1), 0);
  policy_.small_relative_to_time = true;
  policy_.favor_small = true;
  EXPECT_EQ(Factor(1, 1), 0);
}

TEST_F(JobSizeTest, MinutesAreRoundedUpFromOneToTheLargestInteger) {
  EXPECT_EQ(LimitMinutes(absl::ZeroDuration()), 1);
  EXPECT_EQ(LimitMinutes(absl::Seconds(60)), 1);
  EXPECT_EQ(LimitMinutes(absl::Seconds(61)), 2);
  EXPECT_EQ(LimitMinutes(absl::InfiniteDuration()), 4294967295.0);
}

}  // namespace
}  // namespace priorityd::priority
