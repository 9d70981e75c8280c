// Site factors asked of a site's own service, over real gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/await.h"
#include "tests/server/api/site_factor/site_factor_case.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SiteFactorTest, EveryPendingJobIsAskedAboutOnceInBatches) {
  std::vector<v1::Job> jobs = Jobs(2500);
  jobs[7].set_state(v1::JOB_STATE_RUNNING);
  jobs[8].set_hold(v1::HOLD_USER);
  Upsert(service_, jobs);
  Recalculated();
  const auto requests = site_.requests();
  ASSERT_EQ(requests.size(), 3);
  std::set<std::string> asked;
  for (const auto& request : requests) {
    EXPECT_LE(request.jobs_size(), 1000);
    EXPECT_EQ(request.cluster(), "c");
    EXPECT_EQ(request.parameters(), "queue=a,b");
    EXPECT_EQ(request.as_of().seconds(), absl::ToUnixSeconds(at_));
    for (const v1::Job& job : request.jobs()) {
      EXPECT_TRUE(asked.insert(job.job_id()).second) << job.job_id();
      EXPECT_EQ(job.account(), "a");
    }
  }
  EXPECT_EQ(asked.size(), 2499);
  EXPECT_EQ(asked.count("8"), 0);
  const Factors factors = RankedFactors(service_);
  EXPECT_EQ(factors.size(), 2498);
  for (const auto& [job, factor] : factors) EXPECT_EQ(factor, 50) << job;
}

TEST_F(SiteFactorTest, TheServicesWordCountsFromItsFirstAnswerOn) {
  site_.SetScript([](const auto&, auto* response) {
    AddFactor("1", 100, response);
    return grpc::Status::OK;
  });
  Upsert(service_, {JobOf("1", 7), JobOf("2", 8)});
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 7}, {"2", 8}}));
  Recalculated();
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 100}, {"2", 8}}));
  const auto again = Upsert(service_, {JobOf("1", 9), JobOf("2", 9)});
  EXPECT_EQ(again.upserts(0).outcome(), v1::UPDATE_OUTCOME_UNCHANGED);
  EXPECT_EQ(again.upserts(1).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 100}, {"2", 9}}));
}

TEST_F(SiteFactorTest, WithoutAPluginTheFrontendsWordCountsAgain) {
  Upsert(service_, {JobOf("1", 7)});
  Recalculated();
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 50}}));
  Import(service_, SmallSite("Clock=manual\n"));
  Recalculated();
  Upsert(service_, {JobOf("1", 7)});
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 7}}));
  EXPECT_FALSE(Explain(service_, "1").has_site_factor_source());
}

TEST_F(SiteFactorTest, AJobThatCameBackAfterItsEndStartsAgain) {
  Upsert(service_, {JobOf("1", 7)});
  Recalculated();
  v1::Job ended = JobOf("1", 7);
  ended.set_state(v1::JOB_STATE_COMPLETED);
  Upsert(service_, {ended});
  Upsert(service_, {JobOf("1", 7)});
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 7}}));
}

TEST_F(SiteFactorTest, ADeadServiceLeavesTheFactorsAndIsReported) {
  Upsert(service_, {JobOf("1"), JobOf("2")});
  Recalculated();
  const absl::Time answered_at = at_;
  site_.Stop();
  Recalculated();
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 50}, {"2", 50}}));
  const v1::SiteFactorSource source = Explain(service_, "1").site_factor_source();
  EXPECT_EQ(source.plugin(), site_.address());
  EXPECT_EQ(source.answered_at().seconds(), absl::ToUnixSeconds(answered_at));
  EXPECT_THAT(source.failure(), HasSubstr("UNAVAILABLE"));
  site_.Start();
  Recalculated();
  EXPECT_THAT(Explain(service_, "1").site_factor_source().failure(), IsEmpty());
}

TEST_F(SiteFactorTest, AServiceThatDoesNotAnswerDelaysNoMoreThanTheTimeout) {
  Upsert(service_, Jobs(6000));
  ApplyTimeout("2");
  site_.Hang();
  Recalculated();
  // Four calls at once, all of which time out, on a busy host before they are there; no others
  // follow.
  EXPECT_TRUE(site_.AwaitRequests(1));
  EXPECT_LE(site_.requests().size(), 4);
  EXPECT_EQ(Explain(service_, "1").site_factor_source().failure(), "no answer within 2s");
  EXPECT_EQ(RankedFactors(service_).at("1"), 0);
}

TEST_F(SiteFactorTest, AWrongAnswerIsRefusedWhole) {
  const std::map<std::string, ScriptedSiteFactors::Script> wrong = {
      {"it names job \"nobody\", which was not asked for",
       [](const auto&, auto* response) {
         AddFactor("1", 1, response);
         AddFactor("nobody", 1, response);
         return grpc::Status::OK;
       }},
      {"it names job \"1\" twice",
       [](const auto&, auto* response) {
         AddFactor("1", 1, response);
         AddFactor("1", 1, response);
         return grpc::Status::OK;
       }},
      {"job \"2\" has site_factor 2147483648",
       [](const auto&, auto* response) {
         AddFactor("1", 1, response);
         AddFactor("2", 2147483648, response);
         return grpc::Status::OK;
       }},
      {"job \"2\" has site_factor -2147483649", [](const auto&, auto* response) {
         AddFactor("1", 1, response);
         AddFactor("2", -2147483649, response);
         return grpc::Status::OK;
       }}};
  Upsert(service_, {JobOf("1"), JobOf("2")});
  Recalculated();
  for (const auto& [failure, script] : wrong) {
    site_.SetScript(script);
    Recalculated();
    EXPECT_THAT(Explain(service_, "1").site_factor_source().failure(), HasSubstr(failure));
    EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 50}, {"2", 50}})) << failure;
  }
}

TEST_F(SiteFactorTest, OneWrongAnswerDoesNotSpoilTheOthers) {
  Upsert(service_, Jobs(2000));
  site_.SetScript([](const auto& request, auto* response) {
    bool has_first = false;
    for (const v1::Job& job : request.jobs()) {
      AddFactor(job.job_id(), 10, response);
      has_first = has_first || job.job_id() == "1";
    }
    if (has_first) AddFactor("1", 10, response);
    return grpc::Status::OK;
  });
  Recalculated();
  int ten = 0;
  for (const auto& [job, factor] : RankedFactors(service_)) ten += factor == 10;
  EXPECT_EQ(ten, 1000);
}

TEST_F(SiteFactorTest, TheLimitsOfTheRangeAreTaken) {
  Upsert(service_, {JobOf("1"), JobOf("2")});
  site_.SetScript([](const auto&, auto* response) {
    AddFactor("1", 2147483647, response);
    AddFactor("2", -2147483648, response);
    return grpc::Status::OK;
  });
  Recalculated();
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 2147483647}, {"2", -2147483648}}));
}

TEST_F(SiteFactorTest, WhatWasAnsweredOutlivesARestart) {
  Upsert(service_, {JobOf("1", 7)});
  Recalculated();
  const v1::SiteFactorSource source = Explain(service_, "1").site_factor_source();
  site_.Stop();
  TestService restarted({.database_url = service_.database_url(), .limits = {}});
  EXPECT_EQ(RankedFactors(restarted), (Factors{{"1", 50}}));
  EXPECT_EQ(Explain(restarted, "1").site_factor_source().SerializeAsString(),
            source.SerializeAsString());
  EXPECT_EQ(Upsert(restarted, {JobOf("1", 7)}).upserts(0).outcome(), v1::UPDATE_OUTCOME_UNCHANGED);
}

TEST_F(SiteFactorTest, ExplainSaysWhoseWordTheFactorIs) {
  site_.SetScript([](const auto&, auto* response) {
    AddFactor("1", 100, response);
    return grpc::Status::OK;
  });
  Upsert(service_, {JobOf("1"), JobOf("2", 3)});
  Recalculated();
  EXPECT_THAT(Explain(service_, "1").sentences(),
              ::testing::Contains(HasSubstr(absl::StrCat(
                  "is what the site's service at ", site_.address(), " said; it last answered"))));
  EXPECT_THAT(Explain(service_, "2").sentences(),
              ::testing::Contains(HasSubstr("is its frontend's")));
}

class SiteFactorRealClockTest : public SiteFactorTest {
 protected:
  SiteFactorRealClockTest() : SiteFactorTest("real") {}

  // Whether a factor is there within a minute.
  bool AwaitFactor(const std::string& job, int64_t factor) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (absl::Now() < deadline) {
      if (RankedFactors(service_)[job] == factor) return true;
    }
    return false;
  }
};

TEST_F(SiteFactorRealClockTest, ARecalculationDoesNotWaitForTheService) {
  // Before the job is there: the round of the import may still see it.
  site_.Hang();
  Upsert(service_, {JobOf("1")});
  service_.SetNow(TestEpoch() + absl::Minutes(10));
  const int64_t generation = Recalculate(service_).generation();
  ASSERT_TRUE(site_.AwaitRequests(1));
  // Three more while one question is open: it is asked once more, for the newest.
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(Recalculate(service_).generation(), generation + i);
  service_.SetNow(TestEpoch() + absl::Minutes(11));
  Recalculate(service_);
  site_.Release();
  ASSERT_TRUE(AwaitFactor("1", 50));
  EXPECT_EQ(site_.requests().size(), 2);
  EXPECT_EQ(site_.requests().back().as_of().seconds(), absl::ToUnixSeconds(service_.now()));
}

TEST_F(SiteFactorRealClockTest, ADeletedClusterDoesNotDelayTheNextOneOfItsName) {
  site_.Hang();
  Upsert(service_, {JobOf("1")});
  Recalculate(service_);
  ASSERT_TRUE(site_.AwaitRequests(1));
  v1::DeleteClusterRequest request;
  request.set_name("c");
  request.set_purge(true);
  v1::DeleteClusterResponse deleted;
  const grpc::Status status = CallUnary(service_, request, &deleted);
  ASSERT_TRUE(status.ok()) << status.error_message();
  Import(service_, SmallSite(Policy("real")));
  // The replica may notice the deletion, which drops what it has of that name, only now.
  v1::UpdateJobsRequest update;
  *update.add_upserts() = JobOf("1");
  EXPECT_TRUE(Await([&] {
    grpc::Status ignored;
    UpdateJobs(service_, update, &ignored);
    Recalculate(service_, {}, &ignored);
    return site_.requests().size() > 1;
  }));
}

TEST_F(SiteFactorRealClockTest, AServiceThatHangsDoesNotKeepPrioritydFromStopping) {
  auto stopped =
      std::make_unique<TestService>(TestService::Options{.database_url = "", .limits = {}});
  Import(*stopped, SmallSite(Policy("real", "300")));
  Upsert(*stopped, {JobOf("1")});
  site_.Hang();
  Recalculate(*stopped);
  ASSERT_TRUE(site_.AwaitRequests(1));
  const absl::Time before = absl::Now();
  stopped.reset();
  EXPECT_LT(absl::Now() - before, absl::Seconds(60));
}

}  // namespace
}  // namespace priorityd::rpc
