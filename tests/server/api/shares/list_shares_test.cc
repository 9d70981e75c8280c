#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;

// `account` or `account/user` of every row.
std::vector<std::string> Names(const v1::ListSharesResponse& response) {
  std::vector<std::string> names;
  for (const v1::AssociationShare& share : response.shares()) {
    names.push_back(share.account() + (share.user().empty() ? "" : "/" + share.user()));
  }
  return names;
}

class ListSharesTest : public ::testing::Test {
 protected:
  ListSharesTest() { Import(service_, SmallSite()); }

  std::vector<std::string> List() { return Names(ListShares(service_, request_)); }

  TestService service_;
  v1::ListSharesRequest request_;
};

TEST_F(ListSharesTest, RowsStandInTheOrderOfSshare) {
  EXPECT_THAT(List(), ElementsAre("root", "a", "a/amy", "a/ben", "b", "b/cat"));
}

TEST_F(ListSharesTest, FiltersNameAccountsUsersAndSubtrees) {
  request_.add_accounts("a");
  EXPECT_THAT(List(), ElementsAre("a", "a/amy", "a/ben"));
  request_.add_users("ben");
  EXPECT_THAT(List(), ElementsAre("a", "a/ben"));
  request_.clear_accounts();
  EXPECT_THAT(List(), ElementsAre("root", "a", "a/ben"));
  request_.clear_users();
  request_.set_accounts_only(true);
  EXPECT_THAT(List(), ElementsAre("root", "a", "b"));
  request_.set_accounts_only(false);
  request_.add_accounts("root");
  EXPECT_THAT(List(), ElementsAre("root"));
  request_.set_subtree(true);
  EXPECT_EQ(List().size(), 6u);
}

TEST_F(ListSharesTest, SharesAndRanksAreThoseOfTheTree) {
  const v1::ListSharesResponse response = ListShares(service_);
  const v1::AssociationShare amy = ShareOf(response, "a", "amy");
  EXPECT_EQ(amy.parent_account(), "a");
  EXPECT_EQ(amy.depth(), 2);
  EXPECT_EQ(amy.raw_shares(), 2u);
  EXPECT_DOUBLE_EQ(amy.level_shares(), 3);
  EXPECT_DOUBLE_EQ(amy.norm_shares(), 2.0 / 3);
  EXPECT_TRUE(amy.level_fs_infinite());
  EXPECT_EQ(amy.sibling_rank(), 1);
  EXPECT_EQ(amy.sibling_count(), 2);
  EXPECT_FALSE(ShareOf(response, "a").has_fair_share());
  EXPECT_EQ(response.fair_share_algorithm(), "fair_tree");
}

TEST_F(ListSharesTest, AUserWithoutUsageRanksAboveOneWithSome) {
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", TestEpoch() - absl::Hours(1), absl::Minutes(1), 1);
  RecordUsage(service_, usage);
  Recalculate(service_);
  const v1::ListSharesResponse response = ListShares(service_);
  EXPECT_EQ(ShareOf(response, "a", "ben").sibling_rank(), 1);
  EXPECT_EQ(ShareOf(response, "a", "amy").sibling_rank(), 2);
}

TEST_F(ListSharesTest, PagesOfOneSnapshotMakeTheWholeList) {
  request_.set_page_size(4);
  const v1::ListSharesResponse first = ListShares(service_, request_);
  EXPECT_THAT(Names(first), ElementsAre("root", "a", "a/amy", "a/ben"));
  Recalculate(service_);
  request_.set_page_token(first.next_page_token());
  const v1::ListSharesResponse second = ListShares(service_, request_);
  EXPECT_THAT(Names(second), ElementsAre("b", "b/cat"));
  EXPECT_EQ(second.next_page_token(), "");
  EXPECT_EQ(second.snapshot().generation(), first.snapshot().generation());
}

TEST_F(ListSharesTest, ATokenIsGoodForItsOwnRequestOnly) {
  request_.set_page_size(1);
  request_.set_page_token(ListShares(service_, request_).next_page_token());
  request_.add_users("amy");
  grpc::Status status;
  ListShares(service_, request_, &status);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_PAGE_TOKEN");
  request_.set_page_token("nonsense");
  ListShares(service_, request_, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ListSharesTest, AListWhoseSnapshotIsGoneContinuesInTheNewestOne) {
  request_.set_page_size(4);
  request_.set_page_token(ListShares(service_, request_).next_page_token());
  for (int i = 0; i < 8; ++i) {
    Recalculate(service_);
    ListShares(service_);
  }
  const v1::ListSharesResponse rest = ListShares(service_, request_);
  EXPECT_THAT(Names(rest), ElementsAre("b", "b/cat"));
  EXPECT_EQ(rest.snapshot().generation(), 9);
}

TEST_F(ListSharesTest, AListContinuesAfterAnAssociationThatIsGone) {
  request_.set_page_size(3);
  request_.set_page_token(ListShares(service_, request_).next_page_token());  // After a/amy.
  RemoveAmy(service_, "");
  for (int i = 0; i < 8; ++i) {
    Recalculate(service_);
    ListShares(service_);
  }
  EXPECT_THAT(Names(ListShares(service_, request_)), ElementsAre("a/ben", "b", "b/cat"));
}

TEST_F(ListSharesTest, AnotherReplicaContinuesWithTheList) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  request_.set_page_size(4);
  request_.set_page_token(ListShares(service_, request_).next_page_token());
  EXPECT_THAT(Names(ListShares(other, request_)), ElementsAre("b", "b/cat"));
}

TEST_F(ListSharesTest, ANegativePageSizeIsRefused) {
  request_.set_page_size(-1);
  grpc::Status status;
  ListShares(service_, request_, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "page_size");
}

}  // namespace
}  // namespace priorityd::rpc
