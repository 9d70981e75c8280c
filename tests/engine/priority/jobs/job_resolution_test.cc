#include "engine/priority/jobs/job_resolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AppliedNamesTest : public testing::Test {
 protected:
  SmallSite site_;
  Job job_ = JobOf("1");
};

TEST_F(AppliedNamesTest, AJobThatNamesNothingHasTheDefaults) {
  job_.account = "";
  site_.association("physics", "ann").default_qos = "high";
  const std::unique_ptr<const Snapshot> snapshot = site_.Build();
  JobResolver resolver(*snapshot);
  EXPECT_EQ(resolver.AccountOf(job_), "physics");
  EXPECT_THAT(resolver.PartitionsOf(job_), ElementsAre("main"));
  EXPECT_THAT(resolver.QosOf(job_), ElementsAre("high"));
}

// A wrong name keeps the job waiting: it must be visible.
TEST_F(AppliedNamesTest, ANameStaysAsItIsWhetherItExistsOrNot) {
  job_.account = "biology";
  job_.partitions = {"fast", "slow"};
  job_.qos = {"best"};
  const std::unique_ptr<const Snapshot> snapshot = site_.Build();
  JobResolver resolver(*snapshot);
  EXPECT_EQ(resolver.AccountOf(job_), "biology");
  EXPECT_THAT(resolver.PartitionsOf(job_), ElementsAre("fast", "slow"));
  EXPECT_THAT(resolver.QosOf(job_), ElementsAre("best"));
}

TEST_F(AppliedNamesTest, ThereIsNoNameWithoutADefault) {
  job_.account = "";
  job_.user = "bob";  // Without a default account.
  site_.partition("main").is_default = false;
  const std::unique_ptr<const Snapshot> snapshot = site_.Build();
  JobResolver resolver(*snapshot);
  EXPECT_EQ(resolver.AccountOf(job_), "");
  EXPECT_THAT(resolver.PartitionsOf(job_), IsEmpty());
  EXPECT_THAT(resolver.QosOf(job_), IsEmpty());
}

}  // namespace
}  // namespace priorityd::priority
