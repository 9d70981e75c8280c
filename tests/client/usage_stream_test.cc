#include "client/usage_stream.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/client/fake_priorityd.h"

namespace priorityd::client {
namespace {

class UsageStreamTest : public ::testing::Test {
 protected:
  UsageStreamTest() {
    fake_.record_usage.Answer(
        [](const v1::RecordUsageRequest& request, v1::RecordUsageResponse* response) {
          for (int i = 0; i < request.records_size(); ++i) response->add_results();
          response->set_accepted(request.records_size());
          return grpc::Status::OK;
        });
  }

  static v1::RecordUsageRequest Batch(int records) {
    v1::RecordUsageRequest batch;
    for (int i = 0; i < records; ++i) batch.add_records()->set_record_id(absl::StrCat(i));
    return batch;
  }

  FakePriorityd fake_;
  const PriorityClient client_{{.address = fake_.address(), .cluster = "c"}};
  std::vector<int64_t> answers_;
  UsageStream stream_{&client_, [this](const v1::RecordUsageResponse& answer) {
                        answers_.push_back(answer.accepted());
                      }};
};

TEST_F(UsageStreamTest, AnswersComeInTheOrderSent) {
  std::vector<int64_t> sent;
  for (int records = 1; records <= 20; ++records) {
    ASSERT_TRUE(stream_.Send(Batch(records)).ok());
    sent.push_back(records);
  }
  ASSERT_TRUE(stream_.Flush().ok());
  EXPECT_EQ(answers_, sent);
  for (const auto& request : fake_.record_usage.requests()) EXPECT_EQ(request.cluster(), "c");
}

TEST_F(UsageStreamTest, SendDoesNotWaitForTheFirstAnswers) {
  std::latch may_answer(1);
  fake_.record_usage.Answer(
      [&](const v1::RecordUsageRequest& request, v1::RecordUsageResponse* response) {
        may_answer.wait();
        for (int i = 0; i < request.records_size(); ++i) response->add_results();
        return grpc::Status::OK;
      });
  for (int i = 1; i < UsageStream::kMaxInFlight; ++i) ASSERT_TRUE(stream_.Send(Batch(1)).ok());
  EXPECT_TRUE(answers_.empty());
  may_answer.count_down();
  ASSERT_TRUE(stream_.Flush().ok());
}

TEST_F(UsageStreamTest, OfLargeBatchesFewerAreOnTheirWay) {
  std::latch may_answer(1);
  fake_.record_usage.Answer(
      [&](const v1::RecordUsageRequest& request, v1::RecordUsageResponse* response) {
        may_answer.wait();
        for (int i = 0; i < request.records_size(); ++i) response->add_results();
        return grpc::Status::OK;
      });
  const v1::RecordUsageRequest batch = Batch(UsageStream::kManyRecords / 4 + 1);
  for (int i = 1; i < UsageStream::kMinInFlight; ++i) ASSERT_TRUE(stream_.Send(batch).ok());
  EXPECT_TRUE(answers_.empty());
  may_answer.count_down();
  ASSERT_TRUE(stream_.Send(batch).ok());
  EXPECT_FALSE(answers_.empty());
  ASSERT_TRUE(stream_.Flush().ok());
  EXPECT_EQ(answers_.size(), UsageStream::kMinInFlight);
}

// Both are larger than what is on the wire: a service that waits until an answer is taken reads
// nothing meanwhile.
TEST_F(UsageStreamTest, AnswersAreTakenWhileABatchIsBeingWritten) {
  const std::string text(20'000, 'x');
  fake_.record_usage.Answer(
      [&](const v1::RecordUsageRequest& request, v1::RecordUsageResponse* response) {
        for (int i = 0; i < request.records_size(); ++i) response->add_results()->set_message(text);
        return grpc::Status::OK;
      });
  v1::RecordUsageRequest batch = Batch(100);
  for (v1::UsageRecord& record : *batch.mutable_records()) record.set_job_id(text);
  constexpr int kBatches = 40;
  for (int i = 0; i < kBatches; ++i) ASSERT_TRUE(stream_.Send(batch).ok());
  ASSERT_TRUE(stream_.Flush().ok());
  EXPECT_EQ(answers_.size(), kBatches);
}

TEST_F(UsageStreamTest, WhatWasNotAcknowledgedIsSentAgainAfterAPassingError) {
  int calls = 0;
  fake_.record_usage.Answer(
      [&](const v1::RecordUsageRequest& request, v1::RecordUsageResponse* response) {
        if (++calls == 3) return grpc::Status(grpc::UNAVAILABLE, "later");
        for (int i = 0; i < request.records_size(); ++i) response->add_results();
        response->set_accepted(request.records_size());
        return grpc::Status::OK;
      });
  for (int records = 1; records <= 5; ++records) ASSERT_TRUE(stream_.Send(Batch(records)).ok());
  ASSERT_TRUE(stream_.Flush().ok());
  EXPECT_EQ(answers_, (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

TEST_F(UsageStreamTest, ALastingErrorIsReturnedAndTheBatchKept) {
  fake_.record_usage.Answer([](const v1::RecordUsageRequest&, v1::RecordUsageResponse*) {
    return grpc::Status(grpc::NOT_FOUND, "no such cluster");
  });
  ASSERT_TRUE(stream_.Send(Batch(2)).ok());
  EXPECT_EQ(stream_.Flush().message(), "no such cluster");
  fake_.record_usage.Answer([](const v1::RecordUsageRequest&, v1::RecordUsageResponse* response) {
    response->add_results();
    response->add_results();
    response->set_accepted(2);
    return grpc::Status::OK;
  });
  EXPECT_TRUE(stream_.Flush().ok());
  EXPECT_EQ(answers_, std::vector<int64_t>{2});
}

TEST(UsageStreamEndTest, AnswersThatWereNotReadDoNotHideTheEnd) {
  auto fake = std::make_unique<FakePriorityd>();
  std::latch both(2);
  fake->record_usage.Answer([&](const v1::RecordUsageRequest&, v1::RecordUsageResponse* response) {
    both.count_down();
    if (both.try_wait()) return grpc::Status(grpc::UNAVAILABLE, "later");
    response->add_results();
    return grpc::Status::OK;
  });
  const PriorityClient client({.address = fake->address(), .cluster = "c"});
  int answers = 0;
  UsageStream stream(&client, [&](const v1::RecordUsageResponse&) { ++answers; });
  v1::RecordUsageRequest batch;
  batch.add_records();
  ASSERT_TRUE(stream.Send(batch).ok());
  ASSERT_TRUE(stream.Send(batch).ok());
  both.wait();
  fake = nullptr;
  const absl::Status sent = stream.Send(batch);
  const absl::Status flushed = stream.Flush();
  EXPECT_TRUE(sent.ok() || absl::IsUnavailable(sent)) << sent;
  EXPECT_TRUE(absl::IsUnavailable(flushed)) << flushed;
  EXPECT_EQ(answers, 1);
}

TEST_F(UsageStreamTest, AnAnswerOfTheWrongSizeIsAnError) {
  fake_.record_usage.Answer(
      [](const v1::RecordUsageRequest&, v1::RecordUsageResponse*) { return grpc::Status::OK; });
  ASSERT_TRUE(stream_.Send(Batch(2)).ok());
  EXPECT_EQ(stream_.Flush().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(answers_.empty());
}

}  // namespace
}  // namespace priorityd::client
