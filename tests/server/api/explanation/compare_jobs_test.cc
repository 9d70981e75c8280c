// ExplainPriority with compare_to, and LintPolicy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using testing::Contains;
using testing::HasSubstr;

class CompareJobsTest : public ::testing::Test {
 protected:
  // Account a has used twice what b has; both are due a half.
  CompareJobsTest() {
    Import(service_, SmallSite("PriorityWeightFairshare=1000\n"));
    service_.SetNow(TestEpoch() + absl::Hours(24));
    v1::RecordUsageRequest usage;
    *usage.add_records() = Usage("amy", TestEpoch(), absl::Hours(1), 2);
    *usage.add_records() = Usage("cat", TestEpoch(), absl::Hours(1), 1);
    usage.mutable_records(1)->set_user("cat");
    usage.mutable_records(1)->set_account("b");
    RecordUsage(service_, usage);
    Recalculate(service_);
    AddJob("1", "amy");
    AddJob("2", "cat");
    request_.set_job_id("1");
    request_.mutable_compare_to()->set_job_id("2");
  }

  void AddJob(const std::string& id, const std::string& user) {
    v1::Job* job = request_.mutable_jobs()->add_jobs();
    job->set_job_id(id);
    job->set_user(user);
  }

  v1::Comparison Compare(grpc::Status* status = nullptr) {
    v1::ExplainPriorityResponse response;
    const grpc::Status result = CallUnary(service_, request_, &response);
    if (status != nullptr) {
      *status = result;
    } else {
      EXPECT_TRUE(result.ok()) << result.error_message();
    }
    EXPECT_EQ(response.has_comparison(), result.ok() && request_.has_compare_to());
    return response.comparison();
  }

  v1::OrderChange Change(v1::OrderChangeKind kind) {
    const v1::Comparison comparison = Compare();
    for (const v1::OrderChange& change : comparison.changes()) {
      if (change.kind() == kind) return change;
    }
    ADD_FAILURE() << "no such change";
    return {};
  }

  // What `sacctmgr load` would do.
  void GiveShares(const std::string& account, double shares) {
    v1::ImportRequest import;
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
            absl::StrFormat("Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - "
                            "'%s':Fairshare=%.0f\n",
                            account, shares),
            &import);
    Import(service_, import);
    Recalculate(service_);
  }

  v1::LintPolicyResponse Lint(const v1::LintPolicyRequest& request) {
    v1::LintPolicyResponse response;
    const grpc::Status status = CallUnary(service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  TestService service_;
  v1::ExplainPriorityRequest request_;
};

TEST_F(CompareJobsTest, ReportsTheRuleTheFactorsAndTheBranches) {
  const v1::Comparison comparison = Compare();
  EXPECT_EQ(comparison.first_job_id(), "2");
  EXPECT_EQ(comparison.rule(), v1::ORDER_RULE_PRIORITY);
  EXPECT_EQ(comparison.job().job_id(), "1");
  EXPECT_EQ(comparison.compare_to().user(), "cat");
  EXPECT_EQ(comparison.compare_to().priority(), 1000u);
  EXPECT_TRUE(comparison.job().ranked());
  ASSERT_GT(comparison.factors_size(), 2);
  const v1::FactorComparison& fair_share = comparison.factors(2);
  EXPECT_EQ(fair_share.name(), "fair_share");
  EXPECT_DOUBLE_EQ(fair_share.difference(),
                   fair_share.job().contribution() - fair_share.compare_to().contribution());
  EXPECT_EQ(comparison.branches().ancestor().account(), "root");
  EXPECT_EQ(comparison.branches().job().association().account(), "a");
  EXPECT_NEAR(comparison.branches().job().usage(), 2.0 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(comparison.branches().compare_to().shares(), 0.5);
  EXPECT_THAT(comparison.sentences(),
              Contains("a has used 66.7% of the cluster's usage and is due 50.0%, LevelFS 0.75 "
                       "(over-served); b has used 33.3% and is due 50.0%, LevelFS 1.50 "
                       "(under-served)."));
}

TEST_F(CompareJobsTest, SharesGivenAsItSaysTurnTheOrderAndOneLessDoesNot) {
  const v1::OrderChange change = Change(v1::ORDER_CHANGE_KIND_RAW_SHARES);
  ASSERT_TRUE(change.possible());
  EXPECT_EQ(change.account(), "a");
  EXPECT_EQ(change.to(), 3);  // 2 to 1, as the usage, is a tie.
  GiveShares("a", change.to() - 1);
  EXPECT_EQ(Compare().first_job_id(), "2");
  GiveShares("a", change.to());
  EXPECT_EQ(Compare().first_job_id(), "1");
}

TEST_F(CompareJobsTest, EveryKindOfChangeIsAnswered) {
  EXPECT_EQ(Compare().changes_size(), 5);
  EXPECT_FALSE(Change(v1::ORDER_CHANGE_KIND_WAITING).possible());
  const v1::OrderChange usage = Change(v1::ORDER_CHANGE_KIND_USAGE);
  EXPECT_NEAR(usage.to() / usage.from(), 0.5, 1e-6);
  EXPECT_NEAR(usage.duration().seconds(), 7 * 24 * 3600, 2);  // One half-life.
  const v1::OrderChange nice = Change(v1::ORDER_CHANGE_KIND_RAISE_NICE);
  EXPECT_EQ(nice.job_id(), "2");
  EXPECT_EQ(nice.to(), 667);
  EXPECT_THAT(nice.sentence(), HasSubstr("at least 667"));
}

TEST_F(CompareJobsTest, ABadCompareToIsNamed) {
  grpc::Status status;
  request_.mutable_compare_to()->set_job_id("3");
  Compare(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_JOB");
  for (const char* id : {"", "1"}) {
    request_.mutable_compare_to()->set_job_id(id);
    Compare(&status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailsOf(status).Fields(), "compare_to.job_id");
  }
  request_.clear_compare_to();
  Compare();
}

TEST_F(CompareJobsTest, LintReportsRangesAndFindings) {
  v1::LintPolicyRequest request;
  v1::LintPolicyResponse response = Lint(request);
  EXPECT_EQ(response.rows(), 0u);
  ASSERT_GT(response.ranges_size(), 2);
  EXPECT_EQ(response.ranges(2).name(), "fair_share");
  EXPECT_NEAR(response.ranges(2).range(), 2000.0 / 3, 1e-6);
  EXPECT_EQ(response.findings_size(), 0);
  EXPECT_EQ(response.snapshot().cluster(), "c");

  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityWeightFairshare=2\n");
  ApplyPolicy(service_, policy);
  Recalculate(service_);
  *request.mutable_jobs() = request_.jobs();
  response = Lint(request);
  EXPECT_EQ(response.rows(), 2u);
  ASSERT_EQ(response.findings_size(), 1);
  EXPECT_EQ(response.findings(0).code(), "FAIRSHARE_WEIGHT_SMALL");
  EXPECT_EQ(response.findings(0).parameter(), "PriorityWeightFairshare");
}

}  // namespace
}  // namespace priorityd::rpc
