// What a user may do to tracked jobs.
#include "server/queue/state/job_rights.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

using priority::Hold;
using priority::JobState;
using priority::kNow;

// The account and the user of priority::JobOf.
constexpr char kAccount[] = "physics";
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

std::optional<DeniedChange> Deny(const JobRights& rights, const TrackedJob* old,
                                 const TrackedJob& sent) {
  const TrackedJob wanted = old == nullptr ? sent : WithKeptFields(rights, *old, sent);
  return DenyUpsert(rights, old, kAccount, wanted, kNow);
}

// The field that a user may not send so; empty = they may.
std::string DeniedField(const TrackedJob* old, const TrackedJob& wanted) {
  const auto denied = Deny(Own(), old, wanted);
  return denied.has_value() ? std::string(denied->field) : "";
}

struct Case {
  const char* field;
  std::function<void(TrackedJob&)> change;
};

TEST(JobRightsTest, AUserSubmitsChangesHoldsAndCancelsTheirJobs) {
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
  EXPECT_FALSE(DenyRemoval(Own(), &stored, kAccount).has_value());
  EXPECT_FALSE(DenyRemoval(Own(), nullptr, "").has_value());
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
    EXPECT_FALSE(DenyUpsert({}, &stored, kAccount, With(Job(), c.change), kNow).has_value())
        << c.field;
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
  EXPECT_EQ(DenyRemoval(Own(), &theirs, kAccount)->field, "job_id");
  EXPECT_FALSE(DenyRemoval({}, &theirs, kAccount).has_value());
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
  QueueUpdate update(queue, kNow, {}, Own());
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

TEST(JobRightsTest, JobsOfAMergedUserAreTheSurvivingUsers) {
  const TrackedJob stored = Stored();
  const TrackedJob held = With(stored, [](TrackedJob& j) { j.job.hold = Hold::kUser; });
  const JobRights merged = {.user = "survivor", .merged_users = {std::string(stored.job.user)}};
  EXPECT_FALSE(Deny(merged, &stored, held).has_value());
  EXPECT_FALSE(DenyRemoval(merged, &stored, "").has_value());
  EXPECT_TRUE(Deny({.user = "survivor"}, &stored, held).has_value());
  EXPECT_TRUE(DenyRemoval({.user = "survivor"}, &stored, "").has_value());
}

// A coordinator of the account that the job is charged to, whose own it is not.
JobRights Coordinator() { return {.user = "coo", .coordinated = {kAccount, "below"}}; }

std::string DeniedToCoordinator(const TrackedJob& old, const TrackedJob& wanted) {
  const auto denied = Deny(Coordinator(), &old, wanted);
  return denied.has_value() ? std::string(denied->field) : "";
}

TEST(JobRightsTest, ACoordinatorHoldsReleasesAndCancelsAndSetsNice) {
  const TrackedJob stored = Stored();
  const TrackedJob held = With(stored, [](TrackedJob& j) { j.job.hold = Hold::kUser; });
  EXPECT_EQ(DeniedToCoordinator(stored, held), "");
  EXPECT_EQ(DeniedToCoordinator(held, stored), "");
  EXPECT_EQ(DeniedToCoordinator(held, Job()), "");  // submit_time is the queue's to know.
  for (const auto& change : std::initializer_list<std::function<void(TrackedJob&)>>{
           [](TrackedJob& j) { j.job.nice = 100; },
           [](TrackedJob& j) { j.end = JobEnd::kCancelled; },
           // What the queue keeps and returns.
           [](TrackedJob& j) { j.job.accrue_time = kNow; },
           [](TrackedJob& j) { j.source = "coordinator"; }}) {
    EXPECT_EQ(DeniedToCoordinator(stored, With(stored, change)), "");
  }
  EXPECT_FALSE(DenyRemoval(Coordinator(), &stored, "below").has_value());
}

TEST(JobRightsTest, ACoordinatorChangesNothingElseAndNobodyElsesJobs) {
  const TrackedJob stored = Stored();
  for (const Case& c : std::initializer_list<Case>{
           {"user", [](TrackedJob& j) { j.job.user = "coo"; }},
           {"nice", [](TrackedJob& j) { j.job.nice = -1; }},
           {"hold", [](TrackedJob& j) { j.job.hold = Hold::kAdmin; }},
           {"admin_priority", [](TrackedJob& j) { j.job.admin_priority = 5; }},
           {"site_factor", [](TrackedJob& j) { j.job.site_factor = 1; }},
           {"state", [](TrackedJob& j) { j.end = JobEnd::kFailed; }},
           {"account", [](TrackedJob& j) { j.job.account = "b"; }},
           {"time_limit", [](TrackedJob& j) { j.job.time_limit = absl::Hours(1); }},
           {"submit_time", [](TrackedJob& j) { j.job.submit_time = kNow - absl::Hours(2); }},
           {"dependency", [](TrackedJob& j) { j.dependency = "afterok:7"; }}}) {
    EXPECT_EQ(DeniedToCoordinator(stored, With(stored, c.change)), c.field);
  }
  const auto admin_hold = With(stored, [](TrackedJob& j) { j.job.hold = Hold::kAdmin; });
  EXPECT_EQ(DeniedToCoordinator(admin_hold, stored), "hold");
  EXPECT_EQ(DenyUpsert(Coordinator(), nullptr, "", Job(), kNow)->field, "user");
  EXPECT_EQ(DenyUpsert(Coordinator(), &stored, "b", stored, kNow)->field, "user");
  EXPECT_EQ(DenyRemoval(Coordinator(), &stored, "b")->field, "job_id");
  EXPECT_EQ(DenyRemoval(Coordinator(), &stored, "")->field, "job_id");
}

// The frontend that sent it must find it in its next full_sync.
TEST(JobRightsTest, AJobThatItsCoordinatorChangedStaysThatOfItsSource) {
  priority::SmallSite site;
  TrackedQueue queue(site.Build());
  TrackedJob job = Job();
  job.source = "slurm";
  QueueUpdate frontend(queue, kNow);
  frontend.Upsert(job);
  queue.Apply(frontend.Finish());
  job.source = "prioctl";
  job.job.hold = Hold::kUser;
  QueueUpdate update(queue, kNow, {}, {.user = "coo", .coordinated = {kAccount}});
  update.Upsert(job);
  queue.Apply(update.Finish());
  EXPECT_EQ(update.results()[0].outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue.Find("1")->source, "slurm");
  EXPECT_EQ(queue.Find("1")->job.hold, Hold::kUser);
}

// The answer does not say whether a stranger's job is there.
TEST(JobRightsTest, WhereJobsArePrivateAStrangersIsRemovedLikeOneThatIsNotThere) {
  priority::SmallSite site;
  TrackedQueue queue(site.Build());
  QueueUpdate frontend(queue, kNow);
  frontend.Upsert(With(Job(), [](TrackedJob& j) { j.job.user = "else"; }));
  queue.Apply(frontend.Finish());
  QueueUpdate update(queue, kNow, {}, {.user = "amy", .jobs_are_private = true});
  for (const char* job_id : {"1", "404", "1", "404"}) update.Remove(job_id);
  queue.Apply(update.Finish());
  for (size_t i : {0u, 2u}) {
    EXPECT_EQ(update.results()[i].outcome, update.results()[i + 1].outcome);
    EXPECT_EQ(update.results()[i].message, update.results()[i + 1].message);
  }
  EXPECT_EQ(update.results()[0].outcome, UpdateOutcome::kUnchanged);
  EXPECT_TRUE(queue.Find("1").has_value());
}

TrackedJob Running() {
  return With(Stored(), [](TrackedJob& j) {
    j.job.state = JobState::kRunning;
    j.job.start_time = kNow - absl::Minutes(9);
    j.job.time_limit = absl::Hours(2);
    j.job.nice = 3;
  });
}

TEST(JobRightsTest, OfAJobThatRunsItsUserOnlyLowersTheTimeLimitAndRaisesTheNiceValue) {
  const TrackedJob running = Running();
  const auto changed = [&](const std::function<void(TrackedJob&)>& change) {
    return DeniedField(&running, With(running, change));
  };
  EXPECT_EQ(changed([](TrackedJob&) {}), "");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.time_limit = absl::Hours(1); }), "");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.time_limit = absl::Hours(3); }), "time_limit");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.time_limit.reset(); }), "time_limit");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.nice = 4; }), "");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.nice = 2; }), "nice");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.state = JobState::kPending; }), "state");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.account = "b"; }), "account");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.partitions = {"debug"}; }), "partitions");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.nodes = 4; }), "nodes");
  EXPECT_EQ(changed([](TrackedJob& j) { j.job.cpus = 1e-7; }), "cpus");
  EXPECT_EQ(changed([](TrackedJob& j) { j.name = "x"; }), "name");
}

TEST(JobRightsTest, AJobThatRunsIsCancelledWhereItRuns) {
  const TrackedJob running = Running();
  const auto removal = DenyRemoval(Own(), &running, kAccount);
  ASSERT_TRUE(removal.has_value());
  EXPECT_NE(removal->message.find("its frontend"), std::string::npos) << removal->message;
  const auto cancelled = Deny(Own(), &running, With(Job(), [](TrackedJob& j) {
                                j.job = Running().job;
                                j.job.state = JobState::kPending;  // As requests are converted.
                                j.end = JobEnd::kCancelled;
                              }));
  ASSERT_TRUE(cancelled.has_value());
  EXPECT_EQ(cancelled->field, "state");
  EXPECT_NE(cancelled->message.find("its frontend"), std::string::npos) << cancelled->message;
  EXPECT_EQ(DenyRemoval(Coordinator(), &running, kAccount)->field, "job_id");
  EXPECT_EQ(
      DeniedToCoordinator(running, With(running, [](TrackedJob& j) { j.job.hold = Hold::kUser; })),
      "hold");
}

TEST(JobRightsTest, WhatHasEndedIsNotPutBackByItsUser) {
  const TrackedJob ended = With(Stored(), [](TrackedJob& j) { j.end = JobEnd::kFailed; });
  EXPECT_EQ(DeniedField(&ended, Job()), "state");
  EXPECT_EQ(DeniedField(&ended, With(Job(), [](TrackedJob& j) { j.end = JobEnd::kCompleted; })),
            "state");
  EXPECT_EQ(DeniedField(&ended, ended), "");
}

class QueueOfSources : public ::testing::Test {
 protected:
  UpdateResult Upsert(const JobRights& rights, const TrackedJob& job) {
    QueueUpdate update(queue_, kNow, {}, rights);
    update.Upsert(job);
    queue_.Apply(update.Finish());
    return update.results()[0];
  }
  UpdateResult Remove(const JobRights& rights, absl::string_view source) {
    QueueUpdate update(queue_, kNow, {}, rights);
    update.Remove("1", source);
    queue_.Apply(update.Finish());
    return update.results()[0];
  }
  static TrackedJob Of(absl::string_view source) {
    return With(Job(), [source](TrackedJob& j) { j.source = source; });
  }

  priority::SmallSite site_;
  TrackedQueue queue_{site_.Build()};
};

TEST_F(QueueOfSources, AFrontendTakesOverWhatAUserSubmitted) {
  const std::string own = SourceOfUser("amy");
  EXPECT_EQ(own, "user:amy");
  EXPECT_EQ(Upsert({.user = std::string(Job().job.user)}, Of(own)).outcome,
            UpdateOutcome::kUpserted);
  TrackedJob bobs = Of("slurm");
  bobs.job.user = "bob";
  EXPECT_EQ(Upsert({}, bobs).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_.Find("1")->source, "slurm");
  EXPECT_EQ(queue_.Find("1")->job.user, "bob");
  EXPECT_EQ(Upsert({}, Of("other")).reason, "OtherSource");
  EXPECT_EQ(Upsert({}, Of("")).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_.Find("1")->source, "slurm") << "what has no source takes nothing over";
  EXPECT_EQ(Remove({}, "other").reason, "OtherSource");
  EXPECT_EQ(Remove({}, "slurm").outcome, UpdateOutcome::kRemoved);
  Upsert({.user = std::string(Job().job.user)}, Of(own));
  EXPECT_EQ(Remove({}, "slurm").outcome, UpdateOutcome::kRemoved);
}

TEST_F(QueueOfSources, WhoIsBoundToSourcesChangesTheirJobsAndThoseOfUsers) {
  const JobRights bound{.sources = {"slurm"}};
  Upsert({}, Of("other"));
  JobFields nice;
  ASSERT_TRUE(nice.Add("nice").ok());
  QueueUpdate change(queue_, kNow, {}, bound);
  change.Change(Of("slurm"), nice);
  EXPECT_EQ(change.results()[0].reason, "OtherSource");
  EXPECT_EQ(change.results()[0].message,
            "source: got slurm, want other, the source that owns the job");
  EXPECT_EQ(Remove(bound, "").reason, "OtherSource");
  const JobRights amys{.user = std::string(Job().job.user), .sources = {"slurm"}};
  EXPECT_EQ(Remove(amys, "").reason, "OtherSource");
  EXPECT_EQ(Remove({}, "").outcome, UpdateOutcome::kRemoved);
  Upsert({}, Of("user:amy"));
  EXPECT_EQ(Remove(bound, "slurm").outcome, UpdateOutcome::kRemoved);
}

TEST_F(QueueOfSources, WithoutAStateAJobKeepsTheOneThatItHas) {
  TrackedJob job = Running();
  const JobRights own{.user = std::string(job.job.user)};
  Upsert({}, job);
  TrackedJob sent = job;
  sent.job.state = JobState::kPending;
  sent.keeps_state = true;
  sent.job.nice = 9;
  for (const JobRights& rights : {own, JobRights()}) {
    ++sent.job.nice;
    EXPECT_EQ(Upsert(rights, sent).outcome, UpdateOutcome::kUpserted);
    EXPECT_EQ(queue_.Find("1")->job.state, JobState::kRunning);
    EXPECT_EQ(queue_.Find("1")->job.nice, sent.job.nice);
  }
  JobFields state;
  ASSERT_TRUE(state.Add("state").ok());
  QueueUpdate change(queue_, kNow, {}, {});
  change.Change(sent, state);
  EXPECT_EQ(change.Finish().size(), 0u);
  sent.keeps_state = false;
  EXPECT_EQ(Upsert(own, sent).field, "state");
  EXPECT_EQ(Upsert({}, sent).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_.Find("1")->job.state, JobState::kPending);
}

}  // namespace
}  // namespace priorityd::queue
