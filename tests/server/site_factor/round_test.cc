// One round of questions: batches, right and wrong answers, failures.
#include "server/site_factor/round.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/queue/replication/stored_queue.h"
#include "tests/server/site_factor/scripted_service.h"

namespace priorityd::site_factor {
namespace {

class RoundTest : public testing::Test {
 protected:
  RoundResult Run() {
    const auto snapshot = queue_.Recalculate();
    return Round(&queue_.queues(), &service_, snapshot.get()).Run();
  }
  std::vector<int64_t> Factors() { return queue::SiteFactorsOf(**queue_.queues().State("small")); }

  queue::StoredQueue queue_;
  Script script_{Everything(50)};
  ScriptedService service_{&script_};
};

TEST_F(RoundTest, WithoutPendingJobsNothingIsAsked) {
  const RoundResult result = Run();
  EXPECT_FALSE(result.answered);
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(script_.asked().empty());
}

TEST_F(RoundTest, EveryJobIsAskedAboutOnceInBatches) {
  std::vector<std::string> ids;
  for (int i = 0; i < 2500; ++i) ids.push_back(absl::StrCat(i));
  queue_.Upsert(ids);
  const RoundResult result = Run();
  EXPECT_TRUE(result.answered);
  EXPECT_EQ(result.failure, "");
  std::multiset<std::string> asked;
  for (const Script::Asked& batch : script_.asked()) {
    EXPECT_LE(batch.job_ids.size(), Round::kBatchJobs);
    EXPECT_EQ(batch.cluster, "small");
    asked.insert(batch.job_ids.begin(), batch.job_ids.end());
  }
  EXPECT_EQ(script_.asked().size(), 3);
  EXPECT_EQ(asked, std::multiset<std::string>(ids.begin(), ids.end()));
  EXPECT_EQ(Factors(), std::vector<int64_t>(ids.size(), 50));
}

TEST_F(RoundTest, WhatAnotherReplicaChangedIsAskedAboutToo) {
  Run();
  queue::StoredQueue other(queue_.database_url());
  other.Upsert({"1"});
  EXPECT_TRUE(Run().answered);
  EXPECT_EQ(Factors(), std::vector<int64_t>{50});
}

TEST_F(RoundTest, AWrongAnswerIsRefusedWholeAndTheNextBatchIsAsked) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < Round::kBatchJobs + 1; ++i) ids.push_back(absl::StrCat(i));
  queue_.Upsert(ids);
  script_.SetAnswer([](const Script::Asked& asked) {
    auto factors = *Everything(7)(asked);
    if (asked.job_ids.size() > 1) factors.push_back({"stranger", 7});
    return factors;
  });
  const RoundResult result = Run();
  EXPECT_TRUE(result.answered);
  EXPECT_EQ(result.failure, "a wrong answer: it names job \"stranger\", which was not asked for");
  const std::vector<int64_t> factors = Factors();
  EXPECT_EQ(std::count(factors.begin(), factors.end(), 7), 1);
}

TEST_F(RoundTest, ACallThatFailsIsReportedAndChangesNothing) {
  queue_.Upsert({"1"});
  script_.SetAnswer([](const Script::Asked&) { return absl::UnavailableError("\ngone"); });
  const RoundResult result = Run();
  EXPECT_FALSE(result.answered);
  EXPECT_EQ(result.failure, "UNAVAILABLE: \\ngone");
  script_.SetAnswer([](const Script::Asked&) { return absl::DeadlineExceededError(""); });
  EXPECT_EQ(Run().failure.find("no answer within "), 0);
  EXPECT_EQ(Factors(), std::vector<int64_t>{0});
}

TEST(CheckAnswerTest, AnAnswerNamesEachJobAtMostOnceWithAFactorThatFits) {
  const auto message = [](const std::vector<queue::SiteFactor>& factors) {
    return std::string(CheckAnswer({"1", "2"}, factors).message());
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({{"2", 2147483647}, {"1", -2147483648}}), "");
  EXPECT_EQ(message({{"3", 0}}), "a wrong answer: it names job \"3\", which was not asked for");
  EXPECT_EQ(message({{"1", 0}, {"1", 0}}), "a wrong answer: it names job \"1\" twice");
  EXPECT_EQ(message({{"1", 2147483648}}),
            "a wrong answer: job \"1\" has site_factor 2147483648, want -2147483648 to 2147483647");
}

}  // namespace
}  // namespace priorityd::site_factor
