#include "engine/scheduling/plan_options.h"

#include <gtest/gtest.h>

namespace priorityd::scheduling {
namespace {

TEST(PlanOptionsTest, APolicyWithoutSchedulerParametersPlansWithSlurmsDefaults) {
  const plan::PlanOptions options = PlanOptionsOf({});
  EXPECT_EQ(options.backfill, plan::Backfill::kEasy);
  EXPECT_EQ(options.max_job_test, 500);
  EXPECT_EQ(options.max_job_user, 0);
  EXPECT_EQ(options.window, absl::Hours(24));
}

TEST(PlanOptionsTest, EachParameterOfThePolicyIsAnOption) {
  const plan::PlanOptions options = PlanOptionsOf({.backfill = false,
                                                   .max_job_test = 9,
                                                   .max_job_user = 1,
                                                   .max_job_assoc = 2,
                                                   .max_job_part = 3,
                                                   .window = absl::Minutes(60)});
  EXPECT_EQ(options.backfill, plan::Backfill::kNone);
  EXPECT_EQ(options.max_job_test, 9);
  EXPECT_EQ(options.max_job_user, 1);
  EXPECT_EQ(options.max_job_assoc, 2);
  EXPECT_EQ(options.max_job_part, 3);
  EXPECT_EQ(options.window, absl::Hours(1));
}

}  // namespace
}  // namespace priorityd::scheduling
