// Before when no job can start, worked out by hand.
#include "engine/scheduling/earliest_starts.h"

#include <gtest/gtest.h>

#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

absl::Time InMinutesOfNow(int minutes) { return priority::kNow + absl::Minutes(minutes); }

// Three nodes of 8 CPUs, all of them with jobs.
class EarliestStartsTest : public testing::Test {
 protected:
  EarliestStartsTest() {
    for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 1, node);
  }
  void Reserve(const char* name, const char* nodes, int from, int until) {
    site_.site.source.reservations.push_back({.name = name,
                                              .start = InMinutesOfNow(from),
                                              .end = InMinutesOfNow(until),
                                              .nodes = nodes,
                                              .users = {{"ann"}},
                                              .maint = true});
  }
  absl::Time StartOf(int nodes, int minutes, const char* reservation = "",
                     const char* partition = "main") {
    site_.Build();
    priority::Job job = priority::JobOf("1");
    job.partitions = {partition};
    job.nodes = nodes;
    job.cpus = nodes;
    job.time_limit = absl::Minutes(minutes);
    job.reservation = reservation;
    EarliestStarts starts(*site_.snapshot, *site_.cluster, priority::kNow);
    const absl::Time start = starts.Of(job);
    EXPECT_EQ(starts.Of(job), start) << "again";
    return start;
  }

  DescribedSite site_;
};

TEST_F(EarliestStartsTest, WithoutReservationsEachJobMayStartNow) {
  EXPECT_EQ(StartOf(3, 10'000), InMinutesOfNow(0));
  EXPECT_FALSE(HasReservations(*site_.snapshot, priority::kNow));
}

TEST_F(EarliestStartsTest, AJobThatWouldMeetAReservationStartsAtItsEnd) {
  Reserve("maint", "ALL", 60, 240);
  EXPECT_EQ(StartOf(1, 60), InMinutesOfNow(0)) << "it ends as the reservation begins";
  EXPECT_EQ(StartOf(1, 61), InMinutesOfNow(240));
  EXPECT_TRUE(HasReservations(*site_.snapshot, InMinutesOfNow(239)));
  EXPECT_FALSE(HasReservations(*site_.snapshot, InMinutesOfNow(240)));
}

TEST_F(EarliestStartsTest, OnlyAJobThatNeedsAReservedNodeWaits) {
  Reserve("maint", "a,b", 60, 240);
  EXPECT_EQ(StartOf(1, 100), InMinutesOfNow(0)) << "on node c";
  EXPECT_EQ(StartOf(2, 100), InMinutesOfNow(240));
}

TEST_F(EarliestStartsTest, TwoReservationsInTurnsAreWaitedFor) {
  Reserve("first", "ALL", 60, 240);
  Reserve("second", "ALL", 300, 400);
  EXPECT_EQ(StartOf(1, 60), InMinutesOfNow(0));
  EXPECT_EQ(StartOf(1, 61), InMinutesOfNow(400)) << "an hour lies between them";
}

TEST_F(EarliestStartsTest, AJobOfAReservationWaitsForItsBegin) {
  Reserve("course", "a", 60, 240);
  EXPECT_EQ(StartOf(1, 10, "course"), InMinutesOfNow(60));
}

TEST_F(EarliestStartsTest, APartitionInWhichAJobNeverFitsCountsForNothing) {
  site_.description.node_types = {
      {.name = "two", .nodes = {"a", "b"}, .partitions = {"main"}, .tres = {{"cpu", 8}}},
      {.name = "one", .nodes = {"c"}, .partitions = {"fast"}, .tres = {{"cpu", 8}}}};
  Reserve("maint", "ALL", 60, 240);
  site_.Build();
  priority::Job job = priority::JobOf("1");
  job.partitions = {"main", "fast"};
  job.nodes = 2;
  job.cpus = 2;
  job.time_limit = absl::Minutes(100);
  EarliestStarts starts(*site_.snapshot, *site_.cluster, priority::kNow);
  EXPECT_EQ(starts.Of(job), InMinutesOfNow(240));
}

TEST_F(EarliestStartsTest, OfWhatIsNotKnownNothingIsClaimed) {
  Reserve("maint", "ALL", 60, 240);
  EXPECT_EQ(StartOf(4, 100), InMinutesOfNow(0)) << "it never fits";
  EXPECT_EQ(StartOf(1, 100, "", "elsewhere"), InMinutesOfNow(0));
}

}  // namespace
}  // namespace priorityd::scheduling
