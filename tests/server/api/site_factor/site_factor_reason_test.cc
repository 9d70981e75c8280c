// The reasons of a site factor service in explanations, over real gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/server/api/site_factor/site_factor_case.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

// The sentence of the service's reason; waits until the service answers in time, if need be after
// Reasons::kPause.
std::string ReasonOf(TestService& service, const std::string& job_id) {
  const absl::Time deadline = absl::Now() + absl::Minutes(2);
  do {
    const v1::ExplainPriorityResponse response = Explain(service, job_id);
    for (const std::string& sentence : response.sentences()) {
      if (absl::StartsWith(sentence, "The service's reason: ")) return sentence;
    }
  } while (absl::Now() < deadline);
  return "";
}

ScriptedSiteFactors::Script GivesReason(const std::string& reason, int64_t factor) {
  return [=](const auto& request, auto* response) {
    for (const v1::Job& job : request.jobs()) AddFactor(job.job_id(), factor, response);
    for (auto& given : *response->mutable_site_factors()) given.set_reason(reason);
    return grpc::Status::OK;
  };
}

TEST_F(SiteFactorTest, ExplainHasTheServicesReasonCutAndEscaped) {
  site_.SetScript(
      GivesReason("jobs of amy used 31% of\x1b their CPUs" + std::string(200, '.'), 40));
  Upsert(service_, {JobOf("1")});
  Recalculated();
  EXPECT_EQ(ReasonOf(service_, "1"),
            absl::StrCat("The service's reason: jobs of amy used 31% of\\x1b their CPUs",
                         std::string(165, '.'), "...."));
  const auto asked = site_.requests().back();
  EXPECT_TRUE(asked.explains());
  EXPECT_FALSE(site_.requests().front().explains());
  ASSERT_EQ(asked.jobs_size(), 1);
  EXPECT_EQ(asked.jobs(0).account(), site_.requests().front().jobs(0).account());
  EXPECT_EQ(asked.jobs(0).user(), "amy");
  EXPECT_EQ(asked.as_of().seconds(), absl::ToUnixSeconds(at_));
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 40}}));
}

TEST_F(SiteFactorTest, AnExplanationChangesNoFactorAndSaysWhichOneFollows) {
  site_.SetScript(GivesReason("early", 40));
  Upsert(service_, {JobOf("1")});
  Recalculated();
  site_.SetScript(GivesReason("late", -7));
  EXPECT_EQ(
      ReasonOf(service_, "1"),
      "The service's reason: late. It now gives -7 instead of 40, which counts after the next "
      "recalculation.");
  EXPECT_EQ(RankedFactors(service_), (Factors{{"1", 40}}));
}

TEST_F(SiteFactorTest, AJobWithoutAnAnswerAndAServiceThatFailedAreNotAskedForReasons) {
  site_.SetScript([](const auto&, auto* response) {
    AddFactor("1", 1, response);
    return grpc::Status::OK;
  });
  Upsert(service_, {JobOf("1"), JobOf("2")});
  Recalculated();
  Explain(service_, "2");
  EXPECT_EQ(site_.requests().size(), 1);
  site_.SetScript([](const auto&, auto*) { return grpc::Status(grpc::INTERNAL, "broken"); });
  Recalculated();
  Explain(service_, "1");
  EXPECT_EQ(site_.requests().size(), 2);
}

TEST_F(SiteFactorTest, ARunningJobHasNoReason) {
  site_.SetScript(GivesReason("early", 40));
  Upsert(service_, {JobOf("1")});
  Recalculated();
  v1::Job started = JobOf("1");
  started.set_state(v1::JOB_STATE_RUNNING);
  *started.mutable_start_time() = ToTimestamp(at_);
  Upsert(service_, {started});
  Explain(service_, "1");
  EXPECT_EQ(site_.requests().size(), 1);
}

TEST_F(SiteFactorTest, AHangingServiceDelaysAnExplanationBriefly) {
  Upsert(service_, {JobOf("1")});
  Recalculated();
  site_.Hang();
  const v1::ExplainPriorityResponse response = Explain(service_, "1");
  EXPECT_EQ(response.site_factor_source().failure(), "");
  EXPECT_THAT(response.sentences(),
              ::testing::Not(::testing::Contains(HasSubstr("The service's reason"))));
}

}  // namespace
}  // namespace priorityd::rpc
