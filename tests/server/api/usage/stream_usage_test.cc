#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/api/priority_service.h"
#include "server/transport/server.h"
#include "tests/await.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/held_lock.h"

namespace priorityd::rpc {
namespace {

using Stream = grpc::ClientReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>;

class StreamUsageTest : public ::testing::Test {
 protected:
  StreamUsageTest() {
    Import(service_, SmallSite("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=YEARLY\n"));
    service_.SetNow(TestEpoch() + absl::Hours(2));
    context_.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(2)));
  }

  // Batch `id` of `records` records of 100 CPU-seconds each.
  static v1::StreamUsageRequest Batch(int id, int records) {
    v1::StreamUsageRequest request;
    request.set_batch_id(id);
    for (int i = 0; i < records; ++i) {
      *request.mutable_batch()->add_records() =
          Usage(absl::StrCat(id, ".", i), TestEpoch(), absl::Seconds(100), 1);
    }
    return request;
  }
  double RootUsage() {
    Recalculate(service_);
    return ShareOf(ListShares(service_), "root").raw_usage();
  }

  int64_t WaitingRecords() {
    v1::GetStatusRequest request;
    request.set_cluster("c");
    v1::GetStatusResponse response;
    EXPECT_TRUE(CallUnary(service_, request, &response).ok());
    return response.ingest().waiting_records();
  }

  TestService service_;
  grpc::ClientContext context_;
};

TEST_F(StreamUsageTest, EveryBatchIsAcknowledgedByItsId) {
  auto stream = PriorityStub(service_).StreamUsage(&context_);
  constexpr int kBatches = 50;
  std::thread writer([&] {
    for (int id = 0; id < kBatches; ++id) EXPECT_TRUE(stream->Write(Batch(id, 1 + id % 3)));
    stream->WritesDone();
  });
  std::set<int64_t> ids;
  int64_t records = 0;
  v1::StreamUsageResponse response;
  while (stream->Read(&response)) {
    ids.insert(response.batch_id());
    EXPECT_EQ(response.results().accepted(), 1 + response.batch_id() % 3);
    records += response.results().accepted();
  }
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(ids.size(), static_cast<size_t>(kBatches));
  EXPECT_DOUBLE_EQ(RootUsage(), 100.0 * records);
}

TEST_F(StreamUsageTest, BatchesAreWrittenInTheOrderSent) {
  auto stream = PriorityStub(service_).StreamUsage(&context_);
  stream->Write(Batch(1, 2000));
  v1::StreamUsageRequest correction = Batch(2, 1);
  correction.mutable_batch()->mutable_records(0)->set_replaces_record_id("1.1999");
  stream->Write(correction);
  stream->WritesDone();
  v1::StreamUsageResponse response;
  int64_t accepted = 0;
  while (stream->Read(&response)) accepted += response.results().accepted();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(accepted, 2001);
}

TEST_F(StreamUsageTest, OfBatchesThatAreNotAcknowledgedFewAreReadAndMoreWhereTheyAreSmall) {
  struct Case {
    int records;
    int batches_read;
  };
  for (const Case& c : {Case{10, kMaxBatchesInFlight}, Case{4000, kMinBatchesInFlight}}) {
    storage::HeldLock lock(service_.database_url(), "LOCK TABLE priorityd.association_usage");
    grpc::ClientContext context;
    auto stream = PriorityStub(service_).StreamUsage(&context);
    const int sent = c.batches_read + 8;
    std::thread writer([&] {
      for (int id = 0; id < sent; ++id) {
        EXPECT_TRUE(stream->Write(Batch(c.records * 1000 + id, c.records)));
      }
      stream->WritesDone();
    });
    const int64_t read = int64_t{c.batches_read} * c.records;
    EXPECT_TRUE(Await([&] { return WaitingRecords() >= read; }));
    absl::SleepFor(absl::Milliseconds(300));
    EXPECT_LE(WaitingRecords(), read);
    lock.Release();
    int acknowledged = 0;
    v1::StreamUsageResponse response;
    while (stream->Read(&response)) ++acknowledged;
    writer.join();
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(acknowledged, sent);
  }
}

TEST_F(StreamUsageTest, ABatchSentAgainOnANewStreamIsADuplicate) {
  for (int64_t duplicates : {0, 3}) {
    grpc::ClientContext context;
    auto stream = PriorityStub(service_).StreamUsage(&context);
    stream->Write(Batch(1, 3));
    v1::StreamUsageResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.results().duplicates(), duplicates);
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
  }
  EXPECT_DOUBLE_EQ(RootUsage(), 300);
}

TEST_F(StreamUsageTest, AFaultOfABatchEndsTheStreamAndSaysWhy) {
  auto stream = PriorityStub(service_).StreamUsage(&context_);
  v1::StreamUsageRequest elsewhere = Batch(1, 1);
  elsewhere.mutable_batch()->set_cluster("other");
  stream->Write(elsewhere);
  v1::StreamUsageResponse response;
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_CLUSTER");
}

TEST_F(StreamUsageTest, AServiceThatStopsAcknowledgesWhatItReadAndEndsTheStream) {
  auto stream = PriorityStub(service_).StreamUsage(&context_);
  stream->Write(Batch(1, 3));
  v1::StreamUsageResponse response;
  ASSERT_TRUE(stream->Read(&response));
  service_.priority_service().Drain();
  service_.server().Drain(absl::Minutes(1));
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(DetailsOf(status).reason, "STOPPING");
  EXPECT_TRUE(DetailsOf(status).has_retry_info);
}

TEST_F(StreamUsageTest, AClientThatGoesAwayLeavesNothingBehind) {
  {
    grpc::ClientContext context;
    auto stream = PriorityStub(service_).StreamUsage(&context);
    for (int id = 0; id < 4; ++id) stream->Write(Batch(id, 100));
    context.TryCancel();
    stream->Finish();
  }
  service_.server().Drain(absl::Minutes(1));  // Would wait for an open stream.
}

TEST_F(StreamUsageTest, EightClientsThatSendTheSameRecordsCountEachOnce) {
  constexpr int kClients = 8, kBatches = 20, kRecords = 50;
  std::atomic<int64_t> accepted{0}, duplicates{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < kBatches; ++i) {
        // Each client begins elsewhere; odd ones go backwards.
        const int id = (client % 2 == 0 ? i + client : 2 * kBatches - i - client) % kBatches;
        const auto response = RecordUsage(service_, Batch(id, kRecords).batch());
        accepted += response.accepted();
        duplicates += response.duplicates();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(accepted, kBatches * kRecords);
  EXPECT_EQ(duplicates, (kClients - 1) * kBatches * kRecords);
  EXPECT_DOUBLE_EQ(RootUsage(), 100.0 * kBatches * kRecords);
}

}  // namespace
}  // namespace priorityd::rpc
