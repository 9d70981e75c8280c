// LintPolicy of a policy that is not in force.
#include "server/api/policy/lint_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LintPolicyTest : public ::testing::Test {
 protected:
  LintPolicyTest() { Import(service_, SmallSite("PriorityWeightFairshare=1000\n")); }

  v1::LintPolicyResponse Lint(const v1::LintPolicyRequest& request,
                              grpc::Status* status = nullptr) {
    return AnswerTo<v1::LintPolicyResponse>(service_, request, status);
  }
  static std::string Told(v1::LintPolicyResponse response) {
    response.clear_snapshot();
    return response.DebugString();
  }

  TestService service_;
};

constexpr char kOther[] =
    "PriorityWeightFairshare=2\nPriorityWeightQOS=5000\nPriorityWeightPartition=10\n";

TEST_F(LintPolicyTest, AnotherPolicyIsCheckedAsOnceItIsInForce) {
  v1::LintPolicyRequest request;
  v1::Job* job = request.mutable_jobs()->add_jobs();
  job->set_job_id("1");
  job->set_user("amy");
  const std::string before = Told(Lint(request));
  v1::LintPolicyRequest candidate = request;
  candidate.set_policy_text(kOther);
  const v1::LintPolicyResponse supposed = Lint(candidate);
  EXPECT_EQ(supposed.snapshot().policy_version(), 1) << "the one in force";
  EXPECT_EQ(Told(Lint(request)), before) << "nothing is changed";

  v1::ApplyPolicyRequest policy;
  policy.set_text(kOther);
  ApplyPolicy(service_, policy);
  Recalculate(service_);
  EXPECT_NE(Told(supposed), before);
  EXPECT_EQ(Told(supposed), Told(Lint(request)));
}

TEST_F(LintPolicyTest, ATextWithoutParametersIsRefused) {
  v1::LintPolicyRequest request;
  for (const char* text : {"", "\n", "# PriorityWeightAge=10\n"}) {
    request.set_policy_text(text);
    grpc::Status status;
    Lint(request, &status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << text;
    EXPECT_EQ(DetailsOf(status).Fields(), "policy_text") << text;
  }
}

TEST_F(LintPolicyTest, ATextThatIsNoPolicyIsRefusedByItsLine) {
  v1::LintPolicyRequest request;
  request.set_policy_text("PriorityWeightAge=10\nPriorityWeightQOS=much\n");
  request.set_policy_file_name("new.conf");
  grpc::Status status;
  Lint(request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_FILE");
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("new.conf"), HasSubstr("2"),
                                            HasSubstr("PriorityWeightQOS"), HasSubstr("much")));
}

}  // namespace
}  // namespace priorityd::rpc
