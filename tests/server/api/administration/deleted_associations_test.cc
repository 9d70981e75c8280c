// Associations that are deleted and made again have their usage back.
#include <gtest/gtest.h>

#include <string>

#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {
namespace {

class DeletedAssociationsTest : public AdministeredSite {
 protected:
  std::string AllShares() {
    std::string text;
    const v1::ListSharesResponse shares = ListShares(service_);
    for (const v1::AssociationShare& share : shares.shares()) {
      text += share.ShortDebugString() + "\n";
    }
    return text;
  }
};

// As Slurm's rows with deleted=1: nobody gains by deleting a user, or loses.
TEST_F(DeletedAssociationsTest, WhoIsDeletedAndAddedAgainHasTheUsageOfBefore) {
  AddAccount("a2", "a");
  AddUser("eve", {"a2"}, {"Fairshare=3"});
  Record({Hour(0), Hour(2), 3});
  Record({Hour(0), Hour(2), 1}, "ben");
  Record({Hour(0), Hour(1), 7}, "eve", "a2");
  RecalculateAt(Hour(3));
  const std::string before = AllShares();
  const double amy = UsageOf("a", "amy");
  const double eve = UsageOf("a2", "eve");
  const double account = UsageOf("a", "");
  ASSERT_GT(amy, 0);
  for (int time = 0; time < 2; ++time) {
    Remove(Where({}, {"amy"}));
    Remove(Where({"a2"}, {}));
    RecalculateAt(Hour(3));
    ExpectClose(UsageOf("a", ""), account);
    AddUser("amy", {"a"}, {"Fairshare=2"});
    AddAccount("a2", "a");
    AddUser("eve", {"a2"}, {"Fairshare=3"});
    RecalculateAt(Hour(3));
    EXPECT_EQ(UsageOf("a", "amy"), amy);
    EXPECT_EQ(UsageOf("a2", "eve"), eve);
    EXPECT_EQ(UsageOf("a", ""), account);
    EXPECT_EQ(AllShares(), before);
    EXPECT_EQ(Rebuild(true).different_rows(), 0);
  }
  // What was recorded before is known.
  Record({Hour(2), Hour(3), 1});
  RecalculateAt(Hour(3));
  EXPECT_GT(UsageOf("a", "amy"), amy);
}

TEST_F(DeletedAssociationsTest, AResetOfTheAccountIsOneOfItsDeletedUsers) {
  Record({Hour(0), Hour(2), 3});
  RecalculateAt(Hour(3));
  Remove(Where({}, {"amy"}));
  Modify(Where({"a"}, {""}), {"RawUsage=0"});
  AddUser("amy", {"a"});
  RecalculateAt(Hour(3));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
  EXPECT_EQ(UsageOf("a", ""), 0);
}

TEST_F(DeletedAssociationsTest, AnImportThatNamesAUserAgainBringsTheUsageBack) {
  Record({Hour(0), Hour(2), 3});
  RecalculateAt(Hour(3));
  const std::string policy = "Clock=manual\nPriorityDecayHalfLife=2:0:0\n";
  const double before = UsageOf("a", "amy");
  RemoveAmy(service_, policy);
  RecalculateAt(Hour(3));
  Import(service_, SmallSite(policy));
  RecalculateAt(Hour(3));
  EXPECT_EQ(UsageOf("a", "amy"), before);
  EXPECT_EQ(UsageOf("a", ""), before);
}

}  // namespace
}  // namespace priorityd::rpc
