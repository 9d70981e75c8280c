// A client's stream goes on where the last acknowledgement was when the server is
// killed and started again.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/usage_stream.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kBatches = 300;
constexpr int kStreamBatch = 100;
constexpr int kBatchesBetweenKills = 50;

v1::RecordUsageRequest Batch(int number) {
  v1::RecordUsageRequest batch;
  for (int64_t i = number * kStreamBatch; i < (number + 1) * kStreamBatch; ++i) {
    *batch.add_records() = collected::RecordOf(0, i);
  }
  return batch;
}

TEST(StreamResumptionTest, OnlyWhatWasNotAcknowledgedIsSentAgain) {
  const std::string data_dir = storage::NewTestDirectory() + "/data";
  // Nobody else gets the port while the server is away.
  const std::string address = absl::StrCat("127.0.0.1:", FreePort());
  const auto start = [&] {
    auto priorityd = std::make_unique<RealPriorityd>(
        std::vector<std::string>{"--listen=" + address, "--data_dir=" + data_dir});
    EXPECT_TRUE(priorityd->AwaitListening());
    return priorityd;
  };
  auto priorityd = start();
  ImportCollectors(*priorityd);
  const client::PriorityClient client({.address = address,
                                       .deadline = absl::Minutes(10),
                                       .retry = {.max_attempts = 10'000,
                                                 .initial_backoff = absl::Milliseconds(10),
                                                 .max_backoff = absl::Milliseconds(100)}});
  int answers = 0, kills = 0;
  int64_t accepted = 0, duplicates = 0;
  client::UsageStream stream(&client, [&](const v1::RecordUsageResponse& answer) {
    accepted += answer.accepted();
    duplicates += answer.duplicates();
    if (++answers % kBatchesBetweenKills != 0) return;
    ++kills;
    priorityd->Signal(SIGKILL);
    EXPECT_EQ(priorityd->Wait(), 128 + SIGKILL);
    priorityd = start();
  });
  for (int batch = 0; batch < kBatches; ++batch) {
    const absl::Status sent = stream.Send(Batch(batch));
    ASSERT_TRUE(sent.ok()) << sent;
  }
  const absl::Status flushed = stream.Flush();
  ASSERT_TRUE(flushed.ok()) << flushed;
  EXPECT_EQ(kills, kBatches / kBatchesBetweenKills);
  EXPECT_EQ(answers, kBatches);
  EXPECT_EQ(accepted + duplicates, kBatches * kStreamBatch);
  // Those that were written when the answer was lost.
  EXPECT_LE(duplicates, kills * client::UsageStream::kMaxInFlight * kStreamBatch);
  CollectedCounts recorded{};
  recorded[0] = kBatches * kStreamBatch;
  ExpectCollectedOnce(*priorityd, EmbeddedDatabaseUrl(data_dir), recorded);
}

}  // namespace
}  // namespace priorityd
