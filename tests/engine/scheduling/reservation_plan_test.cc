// Planned starts and preemption beside reservations, worked out by hand. The reasons are those of a
// real Slurm 22.05 in these places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "engine/scheduling/preemption.h"
#include "engine/scheduling/queue_plan.h"
#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Time InMinutes(int minutes) { return priority::kNow + absl::Minutes(minutes); }

// Three nodes of 8 CPUs.
class ReservationPlanTest : public testing::Test {
 protected:
  priority::Reservation& Reserve(const char* name, const char* nodes, int from, int until) {
    site_.site.source.reservations.push_back({.name = name,
                                              .start = InMinutes(from),
                                              .end = InMinutes(until),
                                              .nodes = nodes,
                                              .users = {{"ann", "bob", "cat"}}});
    return site_.site.source.reservations.back();
  }
  priority::Job& Waits(const char* job_id, int minutes, const char* reservation = "") {
    priority::Job& job = site_.Waits(job_id, 8);
    job.time_limit = absl::Minutes(minutes);
    job.reservation = reservation;
    return job;
  }
  void Plan() {
    site_.Build();
    plan_.emplace(*site_.queue, *site_.cluster, plan::PlanOptions());
  }
  size_t Find(const char* id) {
    for (size_t job = 0; job < plan_->size(); ++job) {
      if (site_.jobs[plan_->row(job).job].job_id == id) return job;
    }
    ADD_FAILURE() << id << " is not planned";
    return 0;
  }
  std::vector<std::string> NodesOf(const char* id) {
    return site_.cluster->NodeNames(plan_->plan(Find(id)).nodes);
  }
  std::optional<absl::Time> StartOf(const char* id) { return plan_->plan(Find(id)).start; }

  DescribedSite site_;
  std::optional<QueuePlan> plan_;
};

TEST_F(ReservationPlanTest, OthersDoNotGetItsNodesInItsTime) {
  Reserve("maint", "a,b,c", 60, 120).maint = true;
  Waits("short", 60);
  Waits("long", 61);
  Plan();
  EXPECT_EQ(StartOf("short"), InMinutes(0)) << "it ends as the reservation begins";
  EXPECT_EQ(StartOf("long"), InMinutes(120));
  const StartReason why = plan_->ReasonOf(Find("long"), "");
  EXPECT_EQ(why.reason, "ReqNodeNotAvail");
  EXPECT_EQ(why.sentence,
            "It needs 1 node of 8 cpu, and reservation maint for maintenance has nodes of its "
            "partition; it is expected to start at 2027-01-15T10:00:00+00:00.");
}

TEST_F(ReservationPlanTest, OthersTakeTheNodesThatItLeaves) {
  Reserve("r", "a,c", 0, 120);
  Waits("1", 600);
  Plan();
  EXPECT_EQ(StartOf("1"), InMinutes(0));
  EXPECT_THAT(NodesOf("1"), ElementsAre("b"));
}

TEST_F(ReservationPlanTest, ItsJobsGetItsNodesAlone) {
  Reserve("r", "c", 0, 120);
  Waits("1", 60, "r");
  Waits("2", 60, "r");
  Waits("3", 60);
  Plan();
  EXPECT_THAT(NodesOf("1"), ElementsAre("c"));
  EXPECT_EQ(StartOf("1"), InMinutes(0));
  EXPECT_THAT(NodesOf("2"), ElementsAre("c"));
  EXPECT_EQ(StartOf("2"), InMinutes(60)) << "a and b are free, and not of r";
  EXPECT_THAT(NodesOf("3"), ElementsAre("a"));
}

// Slurm starts a job whose time limit ends after its reservation, and ends it with that.
TEST_F(ReservationPlanTest, ItsJobsStartBeforeItEndsAndEndWithIt) {
  Reserve("r", "c", 0, 120);
  Waits("1", 100, "r");
  Waits("2", 100, "r");
  Waits("3", 100, "r");
  Waits("4", 1000).nodes = 3;
  site_.jobs.back().cpus = 24;
  Plan();
  EXPECT_EQ(StartOf("1"), InMinutes(0));
  EXPECT_EQ(StartOf("2"), InMinutes(100));
  EXPECT_EQ(StartOf("3"), std::nullopt) << "r ends when c is free again";
  EXPECT_EQ(StartOf("4"), InMinutes(120));
}

TEST_F(ReservationPlanTest, AJobThatIsTooLargeForItNeverStarts) {
  Reserve("r", "b,c", 0, 120);
  Waits("1", 10, "r").nodes = 3;
  Plan();
  EXPECT_EQ(plan_->plan(Find("1")).wait, plan::Wait::kNeverFits);
  EXPECT_EQ(plan_->ReasonOf(Find("1"), "").reason, "Reservation");
  EXPECT_THAT(plan_->ReasonOf(Find("1"), "").sentence, HasSubstr("reservation r has too few"));
}

TEST_F(ReservationPlanTest, WithFlexItsJobsUseOtherNodesAndTimesToo) {
  Reserve("r", "c", 60, 120).flex = true;
  Reserve("other", "b", 300, 400);
  Waits("1", 600, "r").nodes = 2;
  site_.jobs.back().cpus = 16;
  Waits("2", 70);
  Plan();
  EXPECT_EQ(StartOf("1"), InMinutes(0));
  EXPECT_THAT(NodesOf("1"), ElementsAre("a", "c"));
  EXPECT_THAT(NodesOf("2"), ElementsAre("b")) << "it ends before `other` begins";
}

TEST_F(ReservationPlanTest, MaintenanceWithinAReservationHasTheNodesThatBothHave) {
  Reserve("r", "b,c", 0, 120);
  Reserve("maint", "c", 60, 90).maint = true;
  Waits("1", 10, "r");
  Waits("2", 10, "r");
  Plan();
  EXPECT_THAT(NodesOf("1"), ElementsAre("b"));
  EXPECT_THAT(NodesOf("2"), ElementsAre("b"));
}

TEST_F(ReservationPlanTest, AllAreTheNodesOfThePartitionOrOfTheCluster) {
  site_.description.node_types[0].nodes = {"a", "b"};
  site_.description.node_types[0].partitions = {"main"};
  site_.description.node_types.push_back(
      {.name = "fast", .nodes = {"f"}, .partitions = {"fast"}, .tres = {{"cpu", 8}}});
  Reserve("r", "ALL", 0, 120).partition = "fast";
  Waits("1", 60);
  Waits("2", 60).partitions = {"fast"};
  Plan();
  EXPECT_EQ(StartOf("1"), InMinutes(0));
  EXPECT_EQ(StartOf("2"), InMinutes(120));
  site_.site.source.reservations[0].partition = "";
  Plan();
  EXPECT_EQ(StartOf("1"), InMinutes(120));
}

TEST_F(ReservationPlanTest, ARunningJobOfUnknownNodesIsAssumedOutsideOfReservations) {
  Reserve("r", "a,b", 0, 120);
  site_.Runs("run", 8, 10, "c");
  site_.placements.clear();
  Waits("1", 10, "r").nodes = 2;
  site_.jobs.back().cpus = 16;
  Plan();
  EXPECT_EQ(StartOf("1"), InMinutes(0));
}

TEST_F(ReservationPlanTest, PreemptionTakesNoNodeOutOfAReservation) {
  site_.site.source.policy.preempt_by_qos = true;
  site_.site.source.policy.preempt_mode = "REQUEUE";
  site_.site.qos("high").preempt = {"normal"};
  for (priority::Association& association : site_.site.associations) {
    if (!association.user.empty()) association.qos = {"normal", "high"};
  }
  site_.Runs("on-a", 8, 30, "a");
  site_.Runs("on-b", 8, 20, "b");
  site_.Runs("on-c", 8, 10, "c");
  Waits("1", 60).qos = {"high"};
  const auto victims = [&] {
    site_.Build();
    Preemption preemption(*site_.queue, *site_.cluster, {.exempt = absl::ZeroDuration()});
    for (const priority::RankedRow& row : site_.ranking.ranked) preemption.Try(row);
    std::vector<std::string> ids;
    if (!preemption.victims().has_value()) return ids;
    for (const int running : preemption.victims()->running) {
      ids.emplace_back(site_.jobs[site_.ranking.running[running].job].job_id);
    }
    return ids;
  };
  EXPECT_THAT(victims(), ElementsAre("on-c")) << "the youngest";
  Reserve("soon", "c", 59, 120);
  EXPECT_THAT(victims(), ElementsAre("on-b"));
  Reserve("later", "b", 60, 120);
  EXPECT_THAT(victims(), ElementsAre("on-b")) << "the job ends before it";
  Reserve("now", "a,b", -10, 30);
  EXPECT_THAT(victims(), ElementsAre());
  site_.jobs.back().reservation = "now";
  EXPECT_THAT(victims(), ElementsAre("on-b"));
}

}  // namespace
}  // namespace priorityd::scheduling
