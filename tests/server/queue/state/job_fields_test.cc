// Which fields an update can name.
#include "server/queue/state/job_fields.h"

#include <gtest/gtest.h>

#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

TEST(JobFieldsTest, WhatTheServiceKeepsCannotBeNamed) {
  for (const char* name : {"job_id", "submit_time", "accrue_time", "previous_priority", "", "Nice",
                           "time_limit.seconds", "source"}) {
    JobFields fields;
    const absl::Status added = fields.Add(name);
    EXPECT_EQ(added.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_NE(added.message().find("want one of user, account"), absl::string_view::npos);
    EXPECT_TRUE(fields.empty());
  }
}

TEST(JobFieldsTest, MergesTheFieldsNamedAndNoOthers) {
  TrackedJob old;
  old.job.job_id = "1";
  old.job.nice = 5;
  old.job.admin_priority = 7;
  old.job.reservation = "maint";
  TrackedJob told;
  told.job.job_id = "1";
  told.job.nice = 9;
  JobFields fields;
  ASSERT_TRUE(fields.Add("admin_priority").ok());
  ASSERT_TRUE(fields.Add("reservation").ok());
  EXPECT_TRUE(fields.Has("reservation"));
  EXPECT_FALSE(fields.Has("nice"));
  TrackedJob want = old;
  want.job.admin_priority.reset();
  want.job.reservation = "";
  EXPECT_EQ(PackJob(fields.Merge(old, told)), PackJob(want));
}

}  // namespace
}  // namespace priorityd::queue
