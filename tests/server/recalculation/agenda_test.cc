// What workers are given to do, and what they are not.
#include "server/recalculation/agenda.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::recalculation {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);
constexpr absl::Duration kQuick = absl::Milliseconds(10);
constexpr absl::Duration kLong = absl::Seconds(10);

class AgendaTest : public testing::Test {
 protected:
  static void Ask(Agenda& agenda, const std::string& cluster) {
    agenda.Ask(std::make_shared<const Demand>(
        Demand{.cluster = cluster, .as_of = {}, .done = {}, .numbers_of = {}}));
  }
  // Due so many seconds after the start.
  static void AddDue(Agenda& agenda, const std::string& cluster, int seconds) {
    agenda.schedule().Add(cluster, kStart + absl::Seconds(seconds - 60), absl::Minutes(1));
  }
  // `asked c`, `due c`, or nothing.
  static std::string Take(Agenda& agenda, absl::Time now = kStart + absl::Seconds(30),
                          bool leads = true) {
    const auto work = agenda.Take(now, leads);
    if (!work.has_value()) return "";
    return (work->demand == nullptr ? "due " : "asked ") + work->cluster;
  }
};

TEST_F(AgendaTest, NothingIsTakenFromAnEmptyOne) {
  Agenda agenda(2);
  EXPECT_EQ(Take(agenda), "");
  EXPECT_EQ(agenda.NextWake(true), absl::InfiniteFuture());
}

TEST_F(AgendaTest, WorkersTakeDifferentClustersTheLongestDueFirst) {
  Agenda agenda(3);
  AddDue(agenda, "a", 20);
  AddDue(agenda, "b", 10);
  AddDue(agenda, "c", 40);
  EXPECT_EQ(Take(agenda), "due b");
  EXPECT_EQ(Take(agenda), "due a");
  EXPECT_EQ(Take(agenda), "");
  EXPECT_EQ(agenda.NextWake(true), kStart + absl::Seconds(40));
}

TEST_F(AgendaTest, OfOneClusterThereIsOneThingAtATime) {
  Agenda agenda(4);
  AddDue(agenda, "a", 10);
  Ask(agenda, "a");
  Ask(agenda, "a");
  Ask(agenda, "b");
  EXPECT_EQ(Take(agenda), "asked a");
  EXPECT_EQ(Take(agenda), "asked b");
  EXPECT_EQ(Take(agenda), "");
  EXPECT_EQ(agenda.NextWake(true), absl::InfiniteFuture());
  agenda.Finish("a", kQuick);
  EXPECT_EQ(agenda.NextWake(true), absl::InfinitePast());
  EXPECT_EQ(Take(agenda), "due a");
  agenda.Finish("a", kQuick);
  EXPECT_EQ(Take(agenda), "asked a");
}

TEST_F(AgendaTest, AChangeIsReadByWhatBeginsAfterItAndNotByWhatIsUnderWay) {
  Agenda agenda(1);
  AddDue(agenda, "a", 10);
  agenda.schedule().Hasten("a", kStart);
  EXPECT_EQ(Take(agenda), "due a");
  priority::Policy policy;
  policy.calc_period = absl::Minutes(1);
  agenda.schedule().Hasten("a", kStart + absl::Seconds(31));
  agenda.schedule().Succeeded("a", policy, kStart + absl::Seconds(32));
  agenda.Finish("a", kQuick);
  EXPECT_EQ(agenda.NextWake(true), kStart + absl::Seconds(33));
  Ask(agenda, "a");
  EXPECT_EQ(Take(agenda), "asked a");
  agenda.schedule().Succeeded("a", policy, kStart + absl::Seconds(33));
  agenda.Finish("a", kQuick);
  EXPECT_EQ(agenda.NextWake(true), kStart + absl::Seconds(70));
}

TEST_F(AgendaTest, WhatIsAskedForAndWhatIsDueTakeTurns) {
  Agenda agenda(8);
  for (const char* cluster : {"a", "b"}) AddDue(agenda, cluster, 10);
  for (const char* cluster : {"c", "d"}) Ask(agenda, cluster);
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i) order.push_back(Take(agenda));
  EXPECT_EQ(order, (std::vector<std::string>{"asked c", "due a", "asked d", "due b"}));
}

TEST_F(AgendaTest, WhatIsDueWaitsForALeaderAndWhatIsAskedForDoesNot) {
  Agenda agenda(2);
  AddDue(agenda, "a", 10);
  Ask(agenda, "b");
  EXPECT_EQ(Take(agenda, kStart + kLong, false), "asked b");
  EXPECT_EQ(Take(agenda, kStart + kLong, false), "");
  EXPECT_EQ(agenda.NextWake(false), absl::InfiniteFuture());
  EXPECT_EQ(Take(agenda), "due a");
}

TEST_F(AgendaTest, AnyNumberOfSlowClustersLeavesHalfOfTheWorkersToTheOthers) {
  Agenda agenda(4);
  const std::vector<std::string> slow = {"s1", "s2", "s3", "s4", "s5"};
  for (const std::string& cluster : slow) {
    Ask(agenda, cluster);
    ASSERT_EQ(Take(agenda), "asked " + cluster);
    agenda.Finish(cluster, kLong);
  }
  for (const std::string& cluster : slow) AddDue(agenda, cluster, 1);
  AddDue(agenda, "quick", 20);
  EXPECT_EQ(Take(agenda), "due s1");
  EXPECT_EQ(Take(agenda), "due s2");
  EXPECT_EQ(Take(agenda), "due quick");
  EXPECT_EQ(Take(agenda), "");
  agenda.Finish("s1", kLong);
  agenda.schedule().Remove("s1");
  EXPECT_EQ(agenda.NextWake(true), kStart + absl::Seconds(1));
  EXPECT_EQ(Take(agenda), "due s3");
}

TEST_F(AgendaTest, AClusterIsSlowUntilItWasQuickOnce) {
  Agenda agenda(2);
  for (const char* cluster : {"a", "b"}) {
    Ask(agenda, cluster);
    Take(agenda);
    agenda.Finish(cluster, kLong);
  }
  Ask(agenda, "a");
  Ask(agenda, "b");
  EXPECT_EQ(Take(agenda), "asked a");
  EXPECT_EQ(Take(agenda), "");
  agenda.Finish("a", kQuick);
  EXPECT_EQ(Take(agenda), "asked b");
  Ask(agenda, "a");
  EXPECT_EQ(Take(agenda), "asked a");
}

TEST_F(AgendaTest, ASlowClusterIsWorkedAtByASingleWorkerToo) {
  Agenda agenda(1);
  for (int i = 0; i < 3; ++i) {
    Ask(agenda, "a");
    EXPECT_EQ(Take(agenda), "asked a");
    agenda.Finish("a", kLong);
  }
}

TEST_F(AgendaTest, DemandsThatAreNotBegunCanBeWithdrawn) {
  Agenda agenda(1);
  Ask(agenda, "a");
  Ask(agenda, "b");
  EXPECT_EQ(Take(agenda), "asked a");
  EXPECT_EQ(agenda.TakeDemands().size(), 1);
  agenda.Finish("a", kQuick);
  EXPECT_EQ(Take(agenda), "");
}

}  // namespace
}  // namespace priorityd::recalculation
