// Each class of fields, by the members that have it.
#include "server/queue/state/job_field_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

using priority::kNow;

constexpr UserStanding kAll[] = {UserStanding::kNew, UserStanding::kPending, UserStanding::kRunning,
                                 UserStanding::kCoordinated, UserStanding::kCoordinatedRunning};

// The fields that a change of an empty job breaches.
std::set<std::string> Breached(UserStanding standing,
                               const std::function<void(TrackedJob&)>& change) {
  TrackedJob wanted;
  change(wanted);
  std::set<std::string> fields;
  for (const JobFieldRule& rule : JobFieldRules()) {
    if (!Breach(rule, standing, TrackedJob(), wanted, kNow).empty()) {
      fields.insert(std::string(rule.name));
    }
  }
  return fields;
}

using Fields = std::set<std::string>;

TEST(JobFieldRulesTest, AnUnchangedJobBreachesNothing) {
  for (const UserStanding standing : kAll)
    EXPECT_EQ(Breached(standing, [](TrackedJob&) {}), Fields());
}

TEST(JobFieldRulesTest, WhatSaysHowMuchAJobWantsIsItsUsersUntilItRuns) {
  const auto resize = [](TrackedJob& j) {
    j.job.nodes = 9;
    j.job.cpus = 1e-7;
    j.job.tres = {{"gres/gpu", 1}};
    j.job.account = "a";
    j.job.partitions = {"p"};
    j.job.qos = {"q"};
    j.name = "n";
    j.dependency = "singleton";
    j.array_task_ids = "0-1";
    j.job.array_tasks = 2;
    j.job.requeue = false;
    j.job.interactive = true;
  };
  const Fields all = {"nodes",          "cpus",        "tres",    "account",
                      "partitions",     "qos",         "name",    "dependency",
                      "array_task_ids", "array_tasks", "requeue", "interactive"};
  EXPECT_EQ(Breached(UserStanding::kNew, resize), Fields());
  EXPECT_EQ(Breached(UserStanding::kPending, resize), Fields());
  EXPECT_EQ(Breached(UserStanding::kRunning, resize), all);
  EXPECT_EQ(Breached(UserStanding::kCoordinated, resize), all);
  EXPECT_EQ(Breached(UserStanding::kCoordinatedRunning, resize), all);
}

TEST(JobFieldRulesTest, WhatGivesPrecedenceIsNobodysButAFrontends) {
  const auto promote = [](TrackedJob& j) {
    j.job.reservation = "r";
    j.job.admin_priority = 9;
    j.job.preemptor = true;
    j.job.site_factor = 1;
    j.job.nice = -1;
    j.told_dependency_unmet = true;
    j.array_job_id = "7";
    j.array_task_id = 1;
    j.job.start_time = kNow;
    j.end_time = kNow;
    j.exit_code = 0;
    j.exit_signal = 9;
    j.job.node_list = "n1";
    j.job.hold = priority::Hold::kAdmin;
  };
  for (const UserStanding standing : kAll) {
    EXPECT_EQ(Breached(standing, promote),
              (Fields{"reservation", "admin_priority", "preemptor", "site_factor", "nice",
                      "dependency_unmet", "array_job_id", "array_task_id", "start_time", "end_time",
                      "exit_code", "exit_signal", "node_list", "hold"}));
  }
}

TEST(JobFieldRulesTest, WhatTheServiceKeepsIsNotLookedAt) {
  const auto keep = [](TrackedJob& j) {
    j.job.accrue_time = kNow - absl::Hours(1);
    j.job.accrual_stopped = kNow;
    j.job.previous_priority = 9;
    j.job.dependency_until = kNow;
    j.job.array_limited = true;
    j.site_factor_answered = true;
    j.source = "s";
    j.ended_at = kNow;
  };
  EXPECT_EQ(Breached(UserStanding::kPending, keep), Fields());
  EXPECT_EQ(Breached(UserStanding::kNew, keep), (Fields{"accrue_time", "previous_priority"}));
}

TEST(JobFieldRulesTest, ALowerValueIsOneThatPutsTheJobBack) {
  const auto lower = [](TrackedJob& j) {
    j.job.site_factor = -1;
    j.job.preemptor = false;
    j.job.nice = 1;
  };
  EXPECT_EQ(Breached(UserStanding::kPending, lower), Fields());
  TrackedJob denied;
  denied.job.preemptor = false;
  for (const JobFieldRule& rule : JobFieldRules()) {
    if (rule.name != "preemptor") continue;
    EXPECT_NE(Breach(rule, UserStanding::kPending, denied, TrackedJob(), kNow), "")
        << "unset is what the QOS says, which may be true";
  }
}

TEST(JobFieldRulesTest, NoTimeOfAUsersLiesBeforeTheSubmission) {
  for (const absl::Duration ahead : {-absl::Hours(1), absl::ZeroDuration(), absl::Hours(1)}) {
    const auto set = [ahead](TrackedJob& j) {
      j.job.submit_time = kNow + ahead;
      j.job.eligible_time = kNow + ahead;
    };
    const bool early = ahead < absl::ZeroDuration();
    EXPECT_EQ(Breached(UserStanding::kNew, set),
              early ? (Fields{"submit_time", "eligible_time"}) : Fields());
  }
}

}  // namespace
}  // namespace priorityd::queue
