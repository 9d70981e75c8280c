#include "engine/explanation/overtaken_row.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

class OvertakenRowTest : public testing::Test {
 protected:
  OvertakenRowTest() {
    site_.source.policy.weight_age = 100'000;
    site_.source.policy.max_age = absl::Hours(10);
    site_.source.policy.weight_qos = 1000;
  }

  void Add(absl::string_view job_id, int hours, bool high) {
    priority::Job job = priority::JobOf(job_id);
    job.submit_time = priority::kNow - absl::Hours(hours);
    if (high) job.qos = {"high"};
    jobs_.push_back(job);
  }
  std::optional<OvertakenRow> Find() {
    snapshot_ = site_.Build();
    return FindOvertakenByAge(*snapshot_, jobs_, priority::kNow);
  }

  priority::SmallSite site_;
  std::vector<priority::Job> jobs_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
};

TEST_F(OvertakenRowTest, TheJobAheadHasFewerPointsAndHasWaitedLonger) {
  Add("1", 5, /*high=*/false);
  Add("2", 2, /*high=*/true);
  const auto pair = Find();
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->job_id, "2");
  EXPECT_EQ(pair->others, 1000);
  EXPECT_EQ(pair->ahead_job_id, "1");
  EXPECT_EQ(pair->ahead_others, 0);
  EXPECT_NEAR(absl::ToDoubleHours(pair->longer), 3, 1e-9);
}

TEST_F(OvertakenRowTest, ThereIsNoneWhereTheOtherFactorsDecideOrAgree) {
  EXPECT_FALSE(Find().has_value());
  Add("1", 2, /*high=*/false);
  Add("2", 2, /*high=*/true);
  EXPECT_FALSE(Find().has_value());
  jobs_.clear();
  Add("1", 5, /*high=*/false);
  Add("2", 2, /*high=*/false);
  EXPECT_FALSE(Find().has_value());
}

}  // namespace
}  // namespace priorityd::explanation
