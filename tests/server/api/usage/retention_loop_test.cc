// Ledgers are rolled up by themselves.
#include "server/usage/retention_loop.h"

#include <gtest/gtest.h>

#include "tests/await.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

// A cluster all of whose ledger was rolled up by the loop.
class RetentionLoopTest : public UsageSite {
 protected:
  RetentionLoopTest() {
    RecordOldUsage();
    Execute("CREATE TABLE saved AS SELECT * FROM priorityd.usage_record");
    loop_.Start();
    EXPECT_TRUE(AwaitEmptyLedger());
  }

  // In a new cluster. The horizon is at Hour(52) after it.
  void RecordOldUsage() {
    Start("TimeZone=UTC\n");
    Record({Hour(0), Hour(1), 1});
    Apply("TimeZone=UTC\nPurgeJobAfter=48hours\n");
    RecalculateAt(Hour(100));
  }
  bool AwaitEmptyLedger() {
    return Await([&] {
      const auto records = service_.database().Read([](storage::Transaction& transaction) {
        return transaction.Execute("SELECT FROM priorityd.usage_record");
      });
      return records.ok() && *records == 0;
    });
  }
  void DeleteCluster() {
    v1::DeleteClusterRequest request;
    request.set_name("c");
    v1::DeleteClusterResponse response;
    EXPECT_TRUE(CallUnary(service_, request, &response).ok());
    EXPECT_TRUE(Await([&] {
      grpc::Status status;
      ListShares(service_, {}, &status);
      return !status.ok();
    }));
  }

  usage::RetentionLoop loop_{&service_.database(),
                             {.period = absl::Milliseconds(20), .clock = threads::RunningTime}};
};

TEST_F(RetentionLoopTest, AClusterThatIsMadeAgainIsRolledUpUpToTheSameHorizon) {
  DeleteCluster();
  RecordOldUsage();
  EXPECT_TRUE(AwaitEmptyLedger());
}

TEST_F(RetentionLoopTest, WhatARestoreBroughtBackIsRolledUp) {
  Execute("INSERT INTO priorityd.usage_record OVERRIDING SYSTEM VALUE SELECT * FROM saved");
  service_.database().StartOver();
  EXPECT_TRUE(AwaitEmptyLedger());
}

}  // namespace
}  // namespace priorityd::rpc
