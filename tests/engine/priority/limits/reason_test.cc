#include "engine/priority/limits/reason.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace priorityd::priority {
namespace {

// Of squeue(1), "JOB REASON CODES", and of the reasons that scontrol shows.
TEST(ReasonTest, ItsNameIsSlurms) {
  EXPECT_EQ(ReasonName(Reason::kInvalidAccount), "InvalidAccount");
  EXPECT_EQ(ReasonName(Reason::kInvalidQos), "InvalidQOS");
  EXPECT_EQ(ReasonName(Reason::kJobHeldUser), "JobHeldUser");
  EXPECT_EQ(ReasonName(Reason::kJobHeldAdmin), "JobHeldAdmin");
  EXPECT_EQ(ReasonName(Reason::kDependency), "Dependency");
  EXPECT_EQ(ReasonName(Reason::kDependencyNever), "DependencyNeverSatisfied");
  EXPECT_EQ(ReasonName(Reason::kBeginTime), "BeginTime");
  EXPECT_EQ(ReasonName(Reason::kPartitionDown), "PartitionDown");
  EXPECT_EQ(ReasonName(Reason::kPartitionNodeLimit), "PartitionNodeLimit");
  EXPECT_EQ(ReasonName(Reason::kPartitionTimeLimit), "PartitionTimeLimit");
  EXPECT_EQ(ReasonName(Reason::kArrayTaskLimit), "JobArrayTaskLimit");
  EXPECT_EQ(ReasonName(Reason::kQosUsageThreshold), "QOSUsageThreshold");
}

TEST(ReasonTest, NoTwoReasonsBeforeLimitsHaveOneNameAndNoneIsEmpty) {
  std::set<absl::string_view> names;
  for (int reason = 0; reason < static_cast<int>(Reason::kLimit); ++reason) {
    const absl::string_view name = ReasonName(static_cast<Reason>(reason));
    EXPECT_NE(name, "") << reason;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(ReasonTest, AJobThatCanStartHasNone) {
  EXPECT_EQ(ReasonName(Reason::kNone), "");
  EXPECT_EQ(ReasonName(Limits(), Ineligibility{}), "");
}

TEST(ReasonTest, WithoutAnExceededLimitTheReasonItselfHasTheName) {
  EXPECT_EQ(ReasonName(Limits(), {.reason = Reason::kBeginTime}), "BeginTime");
}

}  // namespace
}  // namespace priorityd::priority
