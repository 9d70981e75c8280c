// Replicas of two versions on one database while usage is recorded: what an upgrade by
// rolling looks like to the clients. The environment variable PRIORITYD_PREVIOUS names
// the earlier version's binary; tests/upgrade/run builds it.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/database/database.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using ::testing::HasSubstr;

constexpr absl::Duration kPatience = absl::Minutes(2);
// Of batches that an acknowledgement is awaited for at every step.
constexpr int64_t kBatches = 20;

// A policy as only a newer program writes it.
constexpr char kApplyNovelty[] =
    "INSERT INTO priorityd.policy_version (cluster_id, version, file_names, file_contents, "
    "applied_at, applied_by, comment, reset_anchor, reset_floor) "
    "SELECT cluster_id, version + 1, file_names, "
    "ARRAY[file_contents[1] || E'\\nPriorityNovelty=1\\nPriorityWeightAge=777\\n'], "
    "now(), applied_by, comment, reset_anchor, reset_floor "
    "FROM priorityd.policy_version ORDER BY version DESC LIMIT 1";

std::unique_ptr<RealPriorityd> StartPrevious(const std::string& url, const std::string& listen) {
  return std::make_unique<RealPriorityd>(
      std::vector<std::string>{"--listen=" + listen, "--database_url=" + url},
      std::getenv("PRIORITYD_PREVIOUS"));
}

std::unique_ptr<RealPriorityd> StartTodays(const std::string& url) {
  return std::make_unique<RealPriorityd>(
      std::vector<std::string>{"--listen=127.0.0.1:0", "--database_url=" + url});
}

v1::Snapshot Recalculate(const RealPriorityd& priorityd) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  v1::Snapshot snapshot;
  const grpc::Status status =
      v1::AdminService::NewStub(priorityd.Connect())->Recalculate(&context, {}, &snapshot);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return snapshot;
}

v1::ListSharesResponse ListShares(const RealPriorityd& priorityd) {
  grpc::ClientContext context;
  v1::ListSharesResponse shares;
  const grpc::Status status =
      v1::PriorityService::NewStub(priorityd.Connect())->ListShares(&context, {}, &shares);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return shares;
}

// Lists until the snapshot is of `generation` or a later one.
v1::ListSharesResponse ListSharesOf(int64_t generation, const RealPriorityd& priorityd) {
  v1::ListSharesResponse shares = ListShares(priorityd);
  for (const absl::Time until = absl::Now() + kPatience;
       shares.snapshot().generation() < generation && absl::Now() < until;) {
    absl::SleepFor(absl::Milliseconds(20));
    shares = ListShares(priorityd);
  }
  EXPECT_GE(shares.snapshot().generation(), generation);
  return shares;
}

// Recalculates by each; both must then answer with the same numbers.
void ExpectSameShares(const RealPriorityd& a, const RealPriorityd& b) {
  for (const RealPriorityd* asked : {&a, &b}) {
    const int64_t generation = Recalculate(*asked).generation();
    const v1::ListSharesResponse of_a = ListSharesOf(generation, a);
    const v1::ListSharesResponse of_b = ListSharesOf(generation, b);
    // A period may have passed between the two.
    if (of_a.snapshot().generation() != of_b.snapshot().generation()) continue;
    ASSERT_EQ(of_a.shares_size(), of_b.shares_size());
    for (int i = 0; i < of_a.shares_size(); ++i) {
      EXPECT_EQ(of_a.shares(i).SerializeAsString(), of_b.shares(i).SerializeAsString());
    }
  }
}

TEST(UpgradeTest, ReplicasOfTwoVersionsServeOneDatabaseAndCountEveryRecordOnce) {
  ASSERT_NE(std::getenv("PRIORITYD_PREVIOUS"), nullptr) << "run tests/upgrade/run";
  const std::string url = storage::NewEmptyTestDatabase();
  // Nobody else gets the port while the server is away.
  const std::string address = absl::StrCat("127.0.0.1:", FreePort());
  std::unique_ptr<RealPriorityd> previous = StartPrevious(url, address);
  ASSERT_TRUE(previous->AwaitListening());
  ImportCollectors(*previous);
  Collectors collectors(address);
  ASSERT_TRUE(collectors.AwaitNew(kBatches));

  // The new one migrates the database beside the old one's traffic.
  std::unique_ptr<RealPriorityd> todays = StartTodays(url);
  ASSERT_TRUE(todays->AwaitListening());
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  ExpectSameShares(*previous, *todays);

  // An old one starts on the new schema.
  previous->Signal(SIGKILL);
  previous->Wait();
  previous = StartPrevious(url, address);
  ASSERT_TRUE(previous->AwaitListening()) << previous->Err();
  ASSERT_TRUE(collectors.AwaitNew(kBatches));

  // And keeps serving under a policy that it does not know all words of.
  storage::Database database({.url = url});
  ASSERT_TRUE(
      database.Write([](storage::Transaction& t) { return t.Execute(kApplyNovelty).status(); })
          .ok());
  ExpectSameShares(*previous, *todays);
  EXPECT_THAT(previous->Err(), HasSubstr("PriorityNovelty"));
  ASSERT_TRUE(collectors.AwaitNew(kBatches));

  // The last old one goes; the new one leads, and takes its place.
  previous->Signal(SIGTERM);
  EXPECT_EQ(previous->Wait(), 0);
  std::unique_ptr<RealPriorityd> second = std::make_unique<RealPriorityd>(
      std::vector<std::string>{"--listen=" + address, "--database_url=" + url});
  ASSERT_TRUE(second->AwaitListening());

  // What only the old one needs goes too, beside the traffic; it does not start again.
  RealPriorityd contraction({"--migrate_only", "--contract", "--database_url=" + url});
  EXPECT_EQ(contraction.Wait(), 0) << contraction.Err();
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  EXPECT_NE(StartPrevious(url, "127.0.0.1:0")->Wait(), 0);
  collectors.Finish();
  ExpectSameShares(*todays, *second);
  ExpectCollectedOnce(*todays, url, collectors.recorded());
}

TEST(UpgradeTest, AfterAMergeOfUsersNoProgramStartsThatKnowsNone) {
  ASSERT_NE(std::getenv("PRIORITYD_PREVIOUS"), nullptr) << "run tests/upgrade/run";
  const std::string url = storage::NewEmptyTestDatabase();
  std::unique_ptr<RealPriorityd> previous = StartPrevious(url, "127.0.0.1:0");
  ASSERT_TRUE(previous->AwaitListening());
  ImportCollectors(*previous);
  std::unique_ptr<RealPriorityd> todays = StartTodays(url);
  ASSERT_TRUE(todays->AwaitListening());
  previous->Signal(SIGTERM);
  EXPECT_EQ(previous->Wait(), 0);
  v1::MergeUsersRequest request;
  request.set_from_user(collected::UserOf(1));
  request.set_into_user(collected::UserOf(0));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  v1::ChangeResponse response;
  const grpc::Status merged =
      v1::AdminService::NewStub(todays->Connect())->MergeUsers(&context, request, &response);
  ASSERT_TRUE(merged.ok()) << merged.error_message();
  previous = StartPrevious(url, "127.0.0.1:0");
  EXPECT_NE(previous->Wait(), 0);
  EXPECT_THAT(previous->Err(), HasSubstr("start the newer one"));
}

}  // namespace
}  // namespace priorityd
