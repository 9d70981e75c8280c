// Jobs that name reservations of the cluster: when they have a place in the start order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/explanation/reason_text.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReservationRankingTest : public ::testing::Test {
 protected:
  ReservationRankingTest() {
    site_.source.reservations = {{.name = "r",
                                  .start = kNow + absl::Hours(1),
                                  .end = kNow + absl::Hours(2),
                                  .nodes = "n1",
                                  .users = {{"ann"}}}};
    jobs_ = {JobOf("plain"), JobOf("reserved")};
    jobs_[1].reservation = "r";
  }

  Ranking RankAt(absl::Duration later) {
    snapshot_ = site_.Build();
    return Rank(*snapshot_, jobs_, {.as_of = kNow + later});
  }
  std::vector<std::string> OrderAt(absl::Duration later) { return JobIds(RankAt(later), jobs_); }
  std::string TextAt(absl::Duration later) {
    const Ranking ranking = RankAt(later);
    if (ranking.ineligible.size() != 1) return "";
    const IneligibleRow& row = ranking.ineligible[0];
    return std::string(ReasonName(snapshot_->limits(), row.why)) + ": " +
           explanation::ReasonText(*snapshot_, jobs_[row.job], row, row.why);
  }

  SmallSite site_;
  std::vector<Job> jobs_;
  std::unique_ptr<const Snapshot> snapshot_;
};

TEST_F(ReservationRankingTest, AJobHasAPlaceWhileItsReservationLastsAndThenComesFirst) {
  EXPECT_THAT(OrderAt(absl::ZeroDuration()), ElementsAre("plain"));
  EXPECT_THAT(OrderAt(absl::Minutes(59)), ElementsAre("plain"));
  EXPECT_THAT(OrderAt(absl::Minutes(60)), ElementsAre("reserved", "plain"));
  EXPECT_THAT(OrderAt(absl::Minutes(119)), ElementsAre("reserved", "plain"));
  EXPECT_THAT(OrderAt(absl::Minutes(120)), ElementsAre("plain"));
}

// The word of a real Slurm 22.05.
TEST_F(ReservationRankingTest, UntilThenItWaitsForTheReservation) {
  EXPECT_EQ(TextAt(absl::ZeroDuration()),
            "Reservation: reservation r is from 2027-01-15T09:00:00+00:00 to "
            "2027-01-15T10:00:00+00:00");
  EXPECT_EQ(TextAt(absl::Hours(1)), "");
  EXPECT_THAT(TextAt(absl::Hours(3)), HasSubstr("Reservation: reservation r is from"));
}

TEST_F(ReservationRankingTest, AReservationForOthersOrThatIsMissingIsAReasonToo) {
  site_.source.reservations[0].users = {{"bob"}};
  EXPECT_EQ(TextAt(absl::Hours(1)),
            "Reservation: reservation r is not for user ann with account physics");
  jobs_[1].reservation = "x";
  EXPECT_EQ(TextAt(absl::Hours(1)), "Reservation: reservation x does not exist");
}

TEST_F(ReservationRankingTest, WhereTheyArePrivateOneForOthersIsLikeOneThatIsMissing) {
  site_.source.policy.private_data.reservations = true;
  site_.source.reservations[0].users = {{"bob"}};
  EXPECT_EQ(TextAt(absl::Hours(1)),
            "Reservation: reservation r is not for user ann with account physics");
  jobs_[1].reservation = "x";
  EXPECT_EQ(TextAt(absl::Hours(1)),
            "Reservation: reservation x is not for user ann with account physics");
}

TEST_F(ReservationRankingTest, AnEarlierReasonComesFirst) {
  jobs_[1].hold = Hold::kUser;
  EXPECT_THAT(TextAt(absl::ZeroDuration()), HasSubstr("JobHeldUser"));
  jobs_[1].hold = Hold::kNone;
  jobs_[1].eligible_time = kNow + absl::Minutes(90);
  EXPECT_THAT(TextAt(absl::ZeroDuration()), HasSubstr("BeginTime"));
  EXPECT_THAT(OrderAt(absl::Minutes(90)), ElementsAre("reserved", "plain"));
}

TEST_F(ReservationRankingTest, WithFlexItMayStartBeforeButNotAfter) {
  site_.source.reservations[0].flex = true;
  EXPECT_THAT(OrderAt(absl::ZeroDuration()), ElementsAre("reserved", "plain"));
  EXPECT_THAT(OrderAt(absl::Hours(2)), ElementsAre("plain"));
}

// The age that it gains does not depend on the reservation, as in Slurm.
TEST_F(ReservationRankingTest, ItAgesWhileItWaits) {
  site_.source.policy.weight_age = 1000;
  jobs_[0].reservation = "r";
  jobs_[0].submit_time = kNow - absl::Hours(5);
  EXPECT_THAT(OrderAt(absl::Hours(1)), ElementsAre("plain", "reserved"));
}

TEST_F(ReservationRankingTest, WithoutReservationsTheFrontendsWordCounts) {
  site_.source.reservations.clear();
  EXPECT_THAT(OrderAt(absl::ZeroDuration()), ElementsAre("reserved", "plain"));
}

TEST_F(ReservationRankingTest, ARunningJobIsNotKeptBack) {
  jobs_[1].state = JobState::kRunning;
  const Ranking ranking = RankAt(absl::ZeroDuration());
  EXPECT_EQ(ranking.running.size(), 1u);
  EXPECT_THAT(ranking.ineligible, IsEmpty());
}

}  // namespace
}  // namespace priorityd::priority
