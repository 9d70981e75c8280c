// Which transfers of a file an import warns of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/service/granted_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;

// At noon of 5 January 2026; 1000 minutes of account a and of b.
class TransferWarningsTest : public GrantedSite {
 protected:
  TransferWarningsTest() {
    Start("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nTimeZone=UTC\n");
    RecalculateAt(TestEpoch());
    Grant("g", {"Accounts=a", "Amount=1000", "Window=month", "Begin=2026-01-05T06:00:00"});
    Grant("u", {"Accounts=b", "Amount=1000", "Begin=2026-01-05T06:00:00"});
    RecalculateAt(Hour(12));
  }

  v1::ImportResponse ImportTransfer(const std::string& seconds, const std::string& time) {
    v1::ImportRequest request;
    request.set_cluster("c");
    AddFile(v1::FILE_KIND_PRIORITYD, "own",
            absl::StrCat("# one\nTransfer - 'g':To='u':TRESSeconds='", seconds, "':Time='2026-01-",
                         time, "Z':By='root'\n"),
            &request);
    return rpc::Import(service_, request);
  }
};

TEST_F(TransferWarningsTest, ATransferThatTransferGrantWouldRefuseIsTakenWithAWarning) {
  EXPECT_THAT(ImportTransfer("59999", "05T12:00:00").warnings(), ElementsAre());
  EXPECT_THAT(ImportTransfer("1", "05T11:00:00").warnings(), ElementsAre()) << "nothing is left";
  EXPECT_THAT(ImportTransfer("0.5", "05T12:00:00").warnings(),
              ElementsAre("own line 2: TRESSeconds: got 0.5, want no more than is available: that "
                          "of grant g is -0.5 TRES-seconds with it"));
  EXPECT_THAT(ImportTransfer("1", "05T12:00:01").warnings(),
              ElementsAre("own line 2: Time: got 2026-01-05T12:00:01Z, want at most the cluster's "
                          "time, 2026-01-05T12:00:00Z"));
  const v1::ImportResponse early = ImportTransfer("1", "05T05:59:59");
  EXPECT_THAT(early.warnings(), ElementsAre("own line 2: Time: got 2026-01-05T05:59:59Z, when "
                                            "grant g is not in force"));
  EXPECT_EQ(early.grant_transfers().created(), 1);
}

TEST_F(TransferWarningsTest, TransfersThatTheClusterHasGiveNoWarning) {
  ImportTransfer("999999999999", "05T12:00:00");
  const v1::ImportResponse again = ImportTransfer("999999999999", "05T12:00:00");
  EXPECT_THAT(again.warnings(), ElementsAre());
  EXPECT_EQ(again.grant_transfers().unchanged(), 1);
}

}  // namespace
}  // namespace priorityd::rpc
