// A server that is killed while usage is recorded loses and doubles nothing.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/import_site.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kKilledRecords = 50'000;
constexpr int kKillBatch = 250;
constexpr int kSenders = 2;
constexpr int kKillAfterBatches = 40;

v1::RecordUsageRequest Batch(int first) {
  v1::RecordUsageRequest request;
  for (int i = first; i < first + kKillBatch; ++i) {
    v1::UsageRecord* record = request.add_records();
    record->set_source("collector");
    record->set_record_id(absl::StrCat(i));
    record->set_user(absl::StrCat("u", i % 10));
    record->set_account("a");
    record->mutable_start_time()->set_seconds(1'700'000'000 + i);
    record->mutable_end_time()->set_seconds(1'700'000'000 + i + 10);
    (*record->mutable_tres())["cpu"] = 1 + i % 7;
  }
  return request;
}

// CPU-seconds of the first `count` records.
double ExpectedUsage(int count) {
  double usage = 0;
  for (int i = 0; i < count; ++i) usage += 10 * (1 + i % 7);
  return usage;
}

void ImportUsers(const RealPriorityd& priorityd) {
  std::string dump =
      "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\n";
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&dump, "User - 'u", i, "':DefaultAccount='a':Fairshare=1\n");
  }
  ImportSite(*v1::AdminService::NewStub(priorityd.Connect()),
             "ClusterName=c\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n", dump);
}

struct Tally {
  std::atomic<int64_t> accepted{0};
  std::atomic<int64_t> duplicates{0};
  std::atomic<int> batches{0};
};

// Sends every record once, until done or until a call fails. Calls `after_batch`
// after each answer.
void SendAll(const RealPriorityd& priorityd, Tally* tally,
             const std::function<void()>& after_batch) {
  std::atomic<int> next{0};
  std::vector<std::thread> senders;
  for (int s = 0; s < kSenders; ++s) {
    senders.emplace_back([&] {
      auto stub = v1::PriorityService::NewStub(priorityd.Connect());
      for (int first = next.fetch_add(kKillBatch); first < kKilledRecords;
           first = next.fetch_add(kKillBatch)) {
        grpc::ClientContext context;
        v1::RecordUsageResponse response;
        if (!stub->RecordUsage(&context, Batch(first), &response).ok()) return;
        EXPECT_EQ(response.rejected(), 0);
        tally->accepted += response.accepted();
        tally->duplicates += response.duplicates();
        ++tally->batches;
        after_batch();
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
}

double RootUsage(const RealPriorityd& priorityd) {
  auto channel = priorityd.Connect();
  grpc::ClientContext recalculate, list;
  v1::Snapshot snapshot;
  EXPECT_TRUE(v1::AdminService::NewStub(channel)->Recalculate(&recalculate, {}, &snapshot).ok());
  v1::ListSharesResponse shares;
  EXPECT_TRUE(v1::PriorityService::NewStub(channel)->ListShares(&list, {}, &shares).ok());
  return shares.shares(0).raw_usage();
}

TEST(KillTest, EveryRecordCountsOnceAfterAKillInTheMiddle) {
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                          "--data_dir=" + storage::NewTestDirectory() + "/data"};
  Tally before;
  {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    ImportUsers(priorityd);
    SendAll(priorityd, &before, [&] {
      if (before.batches >= kKillAfterBatches) priorityd.Signal(SIGKILL);
    });
    EXPECT_EQ(priorityd.Wait(), 128 + SIGKILL);
  }
  EXPECT_GE(before.accepted, kKillAfterBatches * kKillBatch);
  EXPECT_LT(before.accepted, kKilledRecords);

  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  Tally again, third;
  SendAll(priorityd, &again, [] {});
  EXPECT_EQ(again.accepted + again.duplicates, kKilledRecords);
  // What was answered before the kill was on disk.
  EXPECT_GE(again.duplicates, before.accepted);
  EXPECT_DOUBLE_EQ(RootUsage(priorityd), ExpectedUsage(kKilledRecords));
  SendAll(priorityd, &third, [] {});
  EXPECT_EQ(third.duplicates, kKilledRecords);
  EXPECT_DOUBLE_EQ(RootUsage(priorityd), ExpectedUsage(kKilledRecords));
}

// The moment of each kill is random: while the collectors send again what they
// sent before, or when new records are under way.
TEST(KillTest, EveryRecordCountsOnceAfterTwentyKills) {
  constexpr int kRounds = 20;
  const std::string data_dir = storage::NewTestDirectory() + "/data";
  // Nobody else gets the port while the server is away.
  const std::string address = absl::StrCat("127.0.0.1:", FreePort());
  const std::vector<std::string> flags = {"--listen=" + address, "--data_dir=" + data_dir};
  auto priorityd = std::make_unique<RealPriorityd>(flags);
  ASSERT_TRUE(priorityd->AwaitListening());
  ImportCollectors(*priorityd);
  Collectors collectors(address);
  std::mt19937 random(20261120);
  for (int round = 0; round < kRounds; ++round) {
    const auto answers = [&] {
      return round % 2 == 0 ? collectors.new_answers() : collectors.answers();
    };
    const int64_t until = answers() + 1 + static_cast<int64_t>(random() % 40);
    ASSERT_TRUE(Collectors::Await([&] { return answers() >= until; }, "answers"));
    priorityd->Signal(SIGKILL);
    EXPECT_EQ(priorityd->Wait(), 128 + SIGKILL) << "round " << round;
    priorityd = std::make_unique<RealPriorityd>(flags);
    ASSERT_TRUE(priorityd->AwaitListening());
  }
  EXPECT_GE(collectors.errors(), kRounds);
  collectors.Finish();
  ExpectCollectedOnce(*priorityd, EmbeddedDatabaseUrl(data_dir), collectors.recorded());
}

}  // namespace
}  // namespace priorityd
