// Who may use a reservation, as a real Slurm 22.05 decides by its two forms of lists.
#include "engine/priority/jobs/reservation_access.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

class ReservationAccessTest : public ::testing::Test {
 protected:
  ReservationAccessTest() {
    reservation_ = {.name = "r", .start = kNow, .end = kNow + absl::Hours(1), .nodes = "n1"};
  }

  bool MayUse(const char* user, const char* account) {
    const AssociationTree& tree = snapshot_->tree();
    return priority::MayUse(reservation_, user, tree.FindUser(account, user, ""), tree);
  }
  ReservationUse UseOf(const char* name) {
    Job job = JobOf("1");
    job.reservation = name;
    const AssociationTree& tree = snapshot_->tree();
    return ReservationUseOf(*snapshot_, job, tree.FindUser("physics", "ann", ""));
  }

  SmallSite site_;
  std::unique_ptr<const Snapshot> snapshot_ = site_.Build();
  Reservation reservation_;
};

TEST_F(ReservationAccessTest, UsersThatAreNamedMayUseIt) {
  reservation_.users = {{"ann", "cat"}};
  EXPECT_TRUE(MayUse("ann", "physics"));
  EXPECT_TRUE(MayUse("cat", "chemistry"));
  EXPECT_FALSE(MayUse("bob", "physics"));
}

TEST_F(ReservationAccessTest, UsersThatAreExcludedMayNot) {
  reservation_.users = {{"ann", "cat"}, true};
  EXPECT_FALSE(MayUse("ann", "physics"));
  EXPECT_TRUE(MayUse("bob", "physics"));
}

TEST_F(ReservationAccessTest, AMergedUserMayUseWhatTheOtherMay) {
  const AssociationTree tree = snapshot_->tree().WithMergedUsers({{"bob", "ann"}});
  const AssociationIndex ann = tree.FindUser("physics", "ann", "");
  reservation_.users = {{"ann"}};
  EXPECT_TRUE(priority::MayUse(reservation_, "bob", ann, tree));
  reservation_.users = {{"bob"}};
  EXPECT_TRUE(priority::MayUse(reservation_, "bob", ann, tree)) << "the name of the job";
  EXPECT_FALSE(priority::MayUse(reservation_, "ann", ann, tree));
  reservation_.users.excludes = true;
  EXPECT_FALSE(priority::MayUse(reservation_, "bob", ann, tree));
}

TEST_F(ReservationAccessTest, AnAccountStandsForThoseBelowIt) {
  reservation_.accounts = {{"root"}};
  EXPECT_TRUE(MayUse("ann", "physics"));
  reservation_.accounts = {{"physics"}};
  EXPECT_TRUE(MayUse("ann", "physics"));
  EXPECT_FALSE(MayUse("cat", "chemistry"));
  reservation_.accounts.excludes = true;
  EXPECT_FALSE(MayUse("ann", "physics"));
  EXPECT_TRUE(MayUse("cat", "chemistry"));
}

TEST_F(ReservationAccessTest, BothListsMustAllowTheJob) {
  reservation_.users = {{"ann", "cat"}};
  reservation_.accounts = {{"physics"}};
  EXPECT_TRUE(MayUse("ann", "physics"));
  EXPECT_FALSE(MayUse("bob", "physics"));
  EXPECT_FALSE(MayUse("cat", "chemistry"));
  EXPECT_FALSE(MayUse("ann", "chemistry")) << "ann has no association there";
}

TEST_F(ReservationAccessTest, WithoutReservationsTheNameAloneCounts) {
  EXPECT_EQ(UseOf("r"), ReservationUse::kNone);
  reservation_.users = {{"ann"}};
  site_.source.reservations = {reservation_};
  snapshot_ = site_.Build();
  EXPECT_EQ(UseOf(""), ReservationUse::kNone);
  EXPECT_EQ(UseOf("r"), ReservationUse::kAllowed);
  EXPECT_EQ(UseOf("R"), ReservationUse::kMissing);
  site_.source.reservations[0].users = {{"bob"}};
  snapshot_ = site_.Build();
  EXPECT_EQ(UseOf("r"), ReservationUse::kForbidden);
}

}  // namespace
}  // namespace priorityd::priority
