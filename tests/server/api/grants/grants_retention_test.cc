// Grants beside the roll-up of the ledger.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "server/usage/roll_up.h"
#include "tests/server/service/granted_site.h"

namespace priorityd::rpc {
namespace {

// Of the last Hour(100), records that end before Hour(52) are rolled up.
class GrantsRetentionTest : public GrantedSite {
 protected:
  GrantsRetentionTest() {
    Apply("PriorityDecayHalfLife=4:0:0\nTimeZone=UTC\nPurgeJobAfter=48hours\n");
    RecalculateAt(Hour(100));
    Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
    RecalculateAt(Hour(100));
  }

  usage::RollUpResult RollUp() {
    auto result = usage::RollUp(service_.database(), {.cluster = "c"}, [] { return true; });
    EXPECT_TRUE(result.ok()) << result.status();
    return *result;
  }
};

TEST_F(GrantsRetentionTest, TheHorizonWaitsUntilOldRecordsAreSettled) {
  Record({Hour(1), Hour(2), 1});
  EXPECT_EQ(RollUp().records, 0);
  RecalculateAt(Hour(100));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 60);
  EXPECT_EQ(RollUp().records, 1);
  RecalculateAt(Hour(101));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 60);
}

TEST_F(GrantsRetentionTest, ACorrectionOfAnOldRecordIsSettledBeforeBothAreRolledUp) {
  Record({Hour(1), Hour(2), 1});
  RecalculateAt(Hour(100));
  v1::RecordUsageRequest request;
  v1::UsageRecord& record = *request.add_records();
  record = Usage("corrected", Hour(60), absl::Hours(1), 3);
  record.set_replaces_record_id("r1");
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  EXPECT_EQ(RollUp().records, 0);
  RecalculateAt(Hour(100));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 180);
  RollUp();
  RecalculateAt(Hour(101));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 180);
}

TEST_F(GrantsRetentionTest, AGrantThatIsCreatedLaterCountsWhatWasRolledUp) {
  Record({Hour(1), Hour(2), 1});
  RecalculateAt(Hour(100));
  EXPECT_EQ(RollUp().records, 1);
  Grant("all", {"Accounts=root", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  RecalculateAt(Hour(101));
  EXPECT_EQ(OneGrant("all").balance().used_minutes(), 60);
}

TEST_F(GrantsRetentionTest, TheHorizonDoesNotWaitForOwnersOfAnImportThatWasUndone) {
  v1::ImportRequest import;
  AddFile(v1::FILE_KIND_PRIORITYD, "own",
          "Grant - 'h':Accounts='b':TRES='cpu':Begin='2026-01-05T00:00:00Z'\n"
          "Amount - '60':Effective='2026-01-05T00:00:00Z'\n",
          &import);
  Import(service_, import);
  RecalculateAt(Hour(100));
  v1::UndoImportResponse undone;
  const grpc::Status status = CallUnary(service_, v1::UndoImportRequest(), &undone);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(undone.grants(), 0);
  RecalculateAt(Hour(100));
  Record({Hour(1), Hour(2), 1});
  RecalculateAt(Hour(100));
  EXPECT_EQ(RollUp().records, 1);
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 60);
}

// Beside 100 others, of TRES that nobody uses.
TEST_F(GrantsRetentionTest, OfManyOwnersThoseWithoutUsageAreStoredLater) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = absl::StrCat("l", i);
    Grant(name, {"Accounts=a", "TRES=license/" + name, "Amount=10"});
  }
  RecalculateAt(Hour(100));
  Record({Hour(1), Hour(2), 1});
  RecalculateAt(Hour(100) + absl::Minutes(59));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 60);
  EXPECT_EQ(RollUp().records, 0) << "the horizon waits for the others";
  RecalculateAt(Hour(101));
  EXPECT_EQ(RollUp().records, 1);
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 60);
}

}  // namespace
}  // namespace priorityd::rpc
