// A leader that freezes past its lease while usage is recorded, and wakes up later,
// loses and doubles nothing.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

// Of new records, between two events.
constexpr int kBatches = 40;

bool Recalculates(const RealPriorityd& replica) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(10)));
  v1::Snapshot snapshot;
  return v1::AdminService::NewStub(replica.Connect())->Recalculate(&context, {}, &snapshot).ok();
}

class FrozenLeaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(first_.AwaitListening());
    second_.emplace(flags_);
    ASSERT_TRUE(second_->AwaitListening());
    ImportCollectors(first_);
  }

  // Freezes the one that leads until the other one does and `meanwhile` is over.
  template <typename Meanwhile>
  void Freeze(const RealPriorityd& leader, const RealPriorityd& other, Meanwhile meanwhile) {
    leader.Signal(SIGSTOP);
    EXPECT_TRUE(Collectors::Await([&] { return Recalculates(other); }, "the next leader"));
    meanwhile();
    leader.Signal(SIGCONT);
    EXPECT_TRUE(
        Collectors::Await([&] { return absl::StrContains(leader.Err(), "no longer leads"); },
                          "the frozen leader to take note"));
  }

  const std::string url_ = storage::NewTestDatabase();
  const std::vector<std::string> flags_ = {"--listen=127.0.0.1:0",
                                           absl::StrCat("--database_url=", url_)};
  RealPriorityd first_{flags_};  // Leads.
  std::optional<RealPriorityd> second_;
};

TEST_F(FrozenLeaderTest, EveryRecordCountsOnceThoughItFreezesDuringCommits) {
  Collectors collectors(second_->address());
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  // Whatever it held, the other one records on.
  Freeze(first_, *second_, [&] { EXPECT_TRUE(collectors.AwaitNew(kBatches)); });
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  // Now the one that records leads: it freezes in the middle of its commits.
  Freeze(*second_, first_, [] {});
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  collectors.Finish();
  ExpectCollectedOnce(first_, url_, collectors.recorded());
  ExpectCollectedOnce(*second_, url_, collectors.recorded());
}

}  // namespace
}  // namespace priorityd
