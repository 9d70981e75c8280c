#include "client/ranking_watch.h"

#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "grpcpp/support/sync_stream.h"
#include "gtest/gtest.h"
#include "tests/client/fake_priorityd.h"

namespace priorityd::client {
namespace {

using Writer = grpc::ServerWriter<v1::WatchRankingResponse>;
using Texts = std::vector<std::string>;

v1::RankedJob Row(const std::string& job_id, uint32_t rank) {
  v1::RankedJob row;
  row.set_job_id(job_id);
  row.set_rank(rank);
  return row;
}

v1::WatchRankingResponse State(const Texts& job_ids) {
  v1::WatchRankingResponse answer;
  answer.mutable_state();
  for (const std::string& job_id : job_ids) {
    *answer.mutable_state()->add_ranked() =
        Row(job_id, static_cast<uint32_t>(answer.state().ranked_size() + 1));
  }
  return answer;
}

// `left` goes, `entered` comes at `rank`.
v1::WatchRankingResponse Delta(const std::string& left, const std::string& entered, uint32_t rank) {
  v1::WatchRankingResponse answer;
  if (!left.empty()) answer.mutable_delta()->add_left()->set_job_id(left);
  if (!entered.empty()) *answer.mutable_delta()->add_entered() = Row(entered, rank);
  return answer;
}

Texts Ids(const WatchedTop& top) {
  Texts ids;
  for (const v1::RankedJob& row : top.ranked()) ids.push_back(row.job_id());
  return ids;
}

TEST(WatchedTopTest, ADeltaPutsRowsInTheirPlaces) {
  WatchedTop top;
  ASSERT_TRUE(top.Apply(State({"1", "2", "3"})).ok());
  v1::WatchRankingResponse answer = Delta("1", "4", 1);
  *answer.mutable_delta()->add_changed()->mutable_row() = Row("3", 2);
  *answer.mutable_delta()->add_changed()->mutable_row() = Row("2", 3);
  ASSERT_TRUE(top.Apply(answer).ok());
  EXPECT_EQ(Ids(top), Texts({"4", "3", "2"}));
}

TEST(WatchedTopTest, ADeltaThatDoesNotFitChangesNothing) {
  WatchedTop top;
  ASSERT_TRUE(top.Apply(State({"1", "2"})).ok());
  v1::WatchRankingResponse unknown;
  *unknown.mutable_delta()->add_changed()->mutable_row() = Row("7", 1);
  for (const v1::WatchRankingResponse& misfit :
       {Delta("7", "", 0), Delta("", "7", 1), Delta("", "7", 4), Delta("1", "", 0),
        Delta("", "2", 3), Delta("2", "7", 0), unknown}) {
    EXPECT_TRUE(absl::IsDataLoss(top.Apply(misfit))) << misfit.DebugString();
    EXPECT_EQ(Ids(top), Texts({"1", "2"}));
  }
}

// Where rows of others are not sent, the ranks have as many gaps as there are others, and no more.
TEST(WatchedTopTest, RowsOfOthersLeaveGaps) {
  WatchedTop top;
  v1::WatchRankingResponse state;
  *state.mutable_state()->add_ranked() = Row("1", 2);
  *state.mutable_state()->add_ranked() = Row("2", 5);
  state.set_others(3);
  ASSERT_TRUE(top.Apply(state).ok());
  v1::WatchRankingResponse answer = Delta("2", "3", 1);
  *answer.mutable_delta()->add_changed()->mutable_row() = Row("1", 4);
  answer.set_others(2);
  ASSERT_TRUE(top.Apply(answer).ok());
  EXPECT_EQ(Ids(top), Texts({"3", "1"}));
  v1::WatchRankingResponse beyond = Delta("", "4", 6);
  beyond.set_others(2);
  EXPECT_TRUE(absl::IsDataLoss(top.Apply(beyond)));
}

v1::IneligibleJob Ineligible(const std::string& job_id, const std::string& reason) {
  v1::IneligibleJob job;
  job.set_job_id(job_id);
  job.set_reason(reason);
  return job;
}

TEST(WatchedTopTest, IneligibleJobsComeAndGoInTheOrderOfTheirIds) {
  WatchedTop top;
  v1::WatchRankingResponse state = State({"1"});
  *state.mutable_state()->add_ineligible() = Ineligible("9", "BeginTime");
  *state.mutable_state()->add_ineligible() = Ineligible("10_2", "Dependency");
  ASSERT_TRUE(top.Apply(state).ok());
  v1::WatchRankingResponse answer;
  *answer.mutable_delta()->add_ineligible() = Ineligible("10_02", "JobHeldUser");
  *answer.mutable_delta()->add_ineligible() = Ineligible("10", "JobHeldUser");
  *answer.mutable_delta()->add_ineligible() = Ineligible("10_2", "JobHeldAdmin");
  *answer.mutable_delta()->add_ineligible() = Ineligible("a", "JobHeldAdmin");
  answer.mutable_delta()->add_no_longer_ineligible("9");
  ASSERT_TRUE(top.Apply(answer).ok());
  std::vector<std::pair<std::string, std::string>> told;
  for (const v1::IneligibleJob& job : top.ineligible())
    told.emplace_back(job.job_id(), job.reason());
  EXPECT_EQ(told, (std::vector<std::pair<std::string, std::string>>{{"10", "JobHeldUser"},
                                                                    {"10_02", "JobHeldUser"},
                                                                    {"10_2", "JobHeldAdmin"},
                                                                    {"a", "JobHeldAdmin"}}));
  EXPECT_EQ(Ids(top), Texts({"1"}));
  EXPECT_TRUE(absl::IsDataLoss(top.Apply(answer)));  // 9 is not there any more.
  EXPECT_EQ(top.ineligible().size(), 4);
}

class RankingWatchTest : public ::testing::Test {
 protected:
  PriorityClient Client(int max_attempts = 4) {
    return PriorityClient(
        {.address = fake_.address(),
         .cluster = "orc",
         .retry = {.max_attempts = max_attempts, .initial_backoff = absl::Milliseconds(1)}});
  }

  FakePriorityd fake_;
};

TEST_F(RankingWatchTest, ABrokenWatchRestartsWithTheState) {
  int calls = 0;
  fake_.watch_ranking.Answer([&](const auto&, Writer* writer) {
    ++calls;
    writer->Write(State({std::to_string(calls), "x"}));
    writer->Write(Delta("x", "y", 2));
    return calls % 2 == 0 ? grpc::Status(grpc::UNAVAILABLE, "stops") : grpc::Status::OK;
  });
  const PriorityClient client = Client();
  RankingWatch watch(&client, {}, {.max_attempts = 2, .initial_backoff = absl::Milliseconds(1)});
  std::vector<Texts> tops;
  const absl::Status status = watch.Run([&](const auto&, const WatchedTop& top) {
    tops.push_back(Ids(top));
    return tops.size() < 8;
  });
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_EQ(tops.size(), 8u);
  EXPECT_EQ(tops[0], Texts({"1", "x"}));
  EXPECT_EQ(tops[5], Texts({"3", "y"}));
  EXPECT_EQ(fake_.watch_ranking.requests()[0].cluster(), "orc");
}

TEST_F(RankingWatchTest, BeforeTheFirstAnswerItGivesUpAsTheClientDoes) {
  fake_.watch_ranking.Answer(
      [](const auto&, Writer*) { return grpc::Status(grpc::UNAVAILABLE, "stops"); });
  const PriorityClient client = Client(3);
  RankingWatch watch(&client, {});
  EXPECT_TRUE(absl::IsUnavailable(watch.Run([](const auto&, const auto&) { return true; })));
  EXPECT_EQ(fake_.watch_ranking.requests().size(), 3u);
}

TEST_F(RankingWatchTest, AChangeThatDoesNotFitRestartsTheWatchWithTheState) {
  int calls = 0;
  fake_.watch_ranking.Answer([&](const auto&, Writer* writer) {
    writer->Write(State({std::to_string(++calls)}));
    writer->Write(Delta("7", "", 0));
    return grpc::Status::OK;
  });
  const PriorityClient client = Client();
  RankingWatch watch(&client, {});
  const absl::Status status =
      watch.Run([](const auto&, const WatchedTop& top) { return Ids(top) != Texts({"2"}); });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(calls, 2);
}

TEST_F(RankingWatchTest, ChangesThatNeverFitAreAnErrorAfterAsManyAttemptsAsTheClientHas) {
  fake_.watch_ranking.Answer([](const auto&, Writer* writer) {
    writer->Write(State({"1"}));
    writer->Write(Delta("7", "", 0));
    return grpc::Status::OK;
  });
  const PriorityClient client = Client(3);
  RankingWatch watch(&client, {});
  EXPECT_TRUE(absl::IsDataLoss(watch.Run([](const auto&, const auto&) { return true; })));
  EXPECT_EQ(fake_.watch_ranking.requests().size(), 3u);
}

TEST_F(RankingWatchTest, APermanentErrorIsNotRetried) {
  fake_.watch_ranking.Answer([](const auto&, Writer* writer) {
    writer->Write(State({"1"}));
    return grpc::Status(grpc::INVALID_ARGUMENT, "no");
  });
  const PriorityClient client = Client();
  RankingWatch watch(&client, {});
  EXPECT_TRUE(absl::IsInvalidArgument(watch.Run([](const auto&, const auto&) { return true; })));
  EXPECT_EQ(fake_.watch_ranking.requests().size(), 1u);
}

TEST_F(RankingWatchTest, StopEndsAWatchThatNothingComesFrom) {
  std::promise<void> read, over;
  // The service's thread may come to wait only when this test is done.
  const std::shared_future<void> is_over = over.get_future().share();
  fake_.watch_ranking.Answer([is_over](const auto&, Writer* writer) {
    writer->Write(State({"1"}));
    is_over.wait();
    return grpc::Status::OK;
  });
  const PriorityClient client = Client();
  RankingWatch watch(&client, {});
  std::thread stopper([&] {
    read.get_future().wait();
    watch.Stop();
  });
  const absl::Status status = watch.Run(
      [&](const auto&, const auto&) {
        read.set_value();
        return true;
      },
      [](const absl::Status& why) { ADD_FAILURE() << "told as lost: " << why; });
  EXPECT_TRUE(status.ok()) << status;
  over.set_value();
  stopper.join();
}

TEST_F(RankingWatchTest, StopEndsTheWaitForTheNextAttempt) {
  fake_.watch_ranking.Answer([](const auto&, Writer* writer) {
    writer->Write(State({"1"}));
    return grpc::Status(grpc::UNAVAILABLE, "stops");
  });
  const PriorityClient client = Client();
  RankingWatch watch(&client, {}, {.initial_backoff = absl::Hours(1)});
  std::promise<void> read;
  std::thread stopper([&] {
    read.get_future().wait();
    watch.Stop();
  });
  EXPECT_TRUE(watch
                  .Run([&](const auto&, const auto&) {
                    read.set_value();
                    return true;
                  })
                  .ok());
  stopper.join();
}

}  // namespace
}  // namespace priorityd::client
