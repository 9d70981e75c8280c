// What a user may do to tracked jobs.
#include "server/queue/state/job_rights.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "server/queue/state/queue_update.h"
#include "tests/server/priority/small_site.h"

namespace priorityd::queue {
namespace {

using priority::Hold;
using priority::JobState;
using priority::kNow;

// The user of priority::JobOf.
JobRights Own() { return {.user = std::string(priority::JobOf("1").user)}; }

TrackedJob Job() {
  TrackedJob job;
  job.job = priority::JobOf("1");
  job.job.submit_time.reset();
  job.job.eligible_time.reset();
  job.job.accrue_time.reset();
  return job;
}

// The job as a queue keeps it, submitted an hour ago.
TrackedJob Stored() {
  TrackedJob job = Job();
  job.job.submit_time = kNow - absl::Hours(1);
  return job;
}

TrackedJob With(TrackedJob job, const std::function<void(TrackedJob&)>& change) {
  change(job);
  return job;
}

// The field that a user may not send so; empty = she may.
std::string DeniedField(const TrackedJob* old, const TrackedJob& wanted) {
  const auto denied = DenyUpsert(Own(), old, wanted, kNow);
  return denied.has_value() ? std::string(denied->field) : "";
}

struct Case {
  const char* field;
  std::function<void(TrackedJob&)> change;
};

TEST(JobRightsTest, AUserSubmitsChangesHoldsAndCancelsHerJobs) {
  const TrackedJob stored = Stored();
  EXPECT_EQ(DeniedField(nullptr, Job()), "");
  for (const auto& change : std::initializer_list<std::function<void(TrackedJob&)>>{
           [](TrackedJob& j) { j.job.nice = 100; }, [](TrackedJob& j) { j.job.hold = Hold::kUser; },
           [](TrackedJob& j) { j.job.time_limit = absl::Hours(1); },
           [](TrackedJob& j) { j.job.eligible_time = kNow + absl::Hours(1); },
           [](TrackedJob& j) { j.end = JobEnd::kCancelled; },
           [](TrackedJob& j) { j.job.submit_time = kNow - absl::Hours(1); }}) {
    EXPECT_EQ(DeniedField(&stored, With(Job(), change)), "");
  }
  EXPECT_FALSE(DenyRemoval(Own(), &stored).has_value());
  EXPECT_FALSE(DenyRemoval(Own(), nullptr).has_value());
}

TEST(JobRightsTest, WhatRaisesAPriorityIsNotAUsersToSet) {
  const TrackedJob stored = Stored();
  for (const Case& c : std::initializer_list<Case>{
           {"nice", [](TrackedJob& j) { j.job.nice = -1; }},
           {"admin_priority", [](TrackedJob& j) { j.job.admin_priority = 5; }},
           {"site_factor", [](TrackedJob& j) { j.job.site_factor = 1; }},
           {"preemptor", [](TrackedJob& j) { j.job.preemptor = true; }},
           {"hold", [](TrackedJob& j) { j.job.hold = Hold::kAdmin; }},
           {"state", [](TrackedJob& j) { j.job.state = JobState::kRunning; }},
           {"state", [](TrackedJob& j) { j.end = JobEnd::kCompleted; }},
           {"submit_time", [](TrackedJob& j) { j.job.submit_time = kNow - absl::Hours(9); }},
           {"eligible_time", [](TrackedJob& j) { j.job.eligible_time = kNow - absl::Hours(9); }}}) {
    EXPECT_EQ(DeniedField(nullptr, With(Job(), c.change)), c.field);
    EXPECT_EQ(DeniedField(&stored, With(Job(), c.change)), c.field);
    EXPECT_FALSE(DenyUpsert({}, &stored, With(Job(), c.change), kNow).has_value()) << c.field;
  }
  EXPECT_EQ(DeniedField(nullptr, With(Job(), [](TrackedJob& j) { j.job.previous_priority = 9; })),
            "previous_priority");
  EXPECT_EQ(
      DeniedField(nullptr,
                  With(Job(), [](TrackedJob& j) { j.job.accrue_time = kNow - absl::Hours(9); })),
      "accrue_time");
}

TEST(JobRightsTest, WhatAnOperatorGaveStaysAndIsNotTakenAway) {
  const TrackedJob given = With(Stored(), [](TrackedJob& j) {
    j.job.nice = -50;
    j.job.hold = Hold::kAdmin;
    j.job.admin_priority = 7;
    j.job.site_factor = -3;
    j.job.state = JobState::kRunning;
  });
  EXPECT_EQ(DeniedField(&given, given), "");
  const auto changed = [&](const std::function<void(TrackedJob&)>& change) {
    return DeniedField(&given, With(given, change));
  };
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.hold = Hold::kNone; }), "hold");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.hold = Hold::kUser; }), "hold");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.admin_priority.reset(); }), "admin_priority");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.site_factor = 0; }), "site_factor");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.nice = -51; }), "nice");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.nice = 0; }), "");
}

TEST(JobRightsTest, AnotherUsersJobIsNeitherTakenNorRemovedNorMade) {
  const TrackedJob theirs = With(Stored(), [](TrackedJob& j) { j.job.user = "else"; });
  EXPECT_EQ(DeniedField(&theirs, Job()), "job_id");
  EXPECT_EQ(DeniedField(nullptr, theirs), "user");
  EXPECT_EQ(DenyRemoval(Own(), &theirs)->field, "job_id");
  EXPECT_FALSE(DenyRemoval({}, &theirs).has_value());
}

// Through the queue: the refused change leaves it as it was, the others are made.
TEST(JobRightsTest, ARefusedJobStaysAsItWasAndFailsNoOther) {
  priority::SmallSite site;
  TrackedQueue queue(site.Build());
  QueueUpdate frontend(queue, kNow);
  const TrackedJob theirs = With(Job(), [](TrackedJob& j) { j.job.user = "else"; });
  frontend.Upsert(theirs);
  queue.Apply(frontend.Finish());
  TrackedJob mine = Job();
  mine.job.job_id = "2";
  QueueUpdate update(queue, kNow, Own());
  update.Remove("1");
  update.Upsert(Job());
  update.Upsert(mine);
  queue.Apply(update.Finish());
  EXPECT_EQ(update.results()[0].reason, "AccessDenied");
  EXPECT_EQ(update.results()[1].outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(update.results()[1].field, "job_id");
  EXPECT_EQ(update.results()[2].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue.Find("1")->job.user, "else");
  EXPECT_TRUE(queue.Find("2").has_value());
}

}  // namespace
}  // namespace priorityd::queue
