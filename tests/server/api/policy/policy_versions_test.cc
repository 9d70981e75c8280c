#include "server/api/policy/policy_versions.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class PolicyVersionsTest : public ::testing::Test {
 protected:
  PolicyVersionsTest() { Import(service_, SmallSite()); }

  v1::ApplyPolicyResponse Apply(const std::string& text, const std::string& comment = "") {
    v1::ApplyPolicyRequest request;
    request.set_text(text);
    request.set_comment(comment);
    return ApplyPolicy(service_, request);
  }
  v1::ApplyPolicyResponse RollBack(int64_t version, const std::string& comment = "",
                                   bool validate_only = false) {
    v1::RollbackPolicyRequest request;
    request.set_version(version);
    request.set_comment(comment);
    request.set_validate_only(validate_only);
    v1::ApplyPolicyResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  v1::ListPolicyVersionsResponse List(int page_size = 0, const std::string& token = "") {
    v1::ListPolicyVersionsRequest request;
    request.set_page_size(page_size);
    request.set_page_token(token);
    v1::ListPolicyVersionsResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  v1::Policy Newest() {
    v1::Policy policy;
    EXPECT_TRUE(CallUnary(service_, v1::GetPolicyRequest(), &policy).ok());
    return policy;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(PolicyVersionsTest, OfTwoWhoChangeTheSameVersionAtOnceOneWins) {
  constexpr int kRounds = 5;
  for (int64_t newest = 1; newest <= kRounds; ++newest) {
    std::vector<grpc::Status> outcomes(2);
    std::vector<std::thread> callers;
    for (int i = 0; i < 2; ++i) {
      callers.emplace_back([&, i] {
        v1::ApplyPolicyRequest request;
        request.set_text(absl::StrCat("PriorityWeightAge=", 10 * newest + i, "\n"));
        request.set_expected_version(newest);
        v1::ApplyPolicyResponse response;
        outcomes[i] = CallUnary(service_, request, &response);
      });
    }
    for (std::thread& caller : callers) caller.join();
    const int winner = outcomes[0].ok() ? 0 : 1;
    EXPECT_TRUE(outcomes[winner].ok()) << outcomes[winner].error_message();
    const grpc::Status& other = outcomes[1 - winner];
    EXPECT_EQ(other.error_code(), grpc::ABORTED);
    EXPECT_EQ(DetailsOf(other).reason, "POLICY_VERSION_MISMATCH");
    EXPECT_EQ(other.error_message(),
              absl::StrCat("expected_version: got ", newest, ", want ", newest + 1,
                           ", which is the newest: the policy has changed since that was read"));
    EXPECT_EQ(Newest().version(), newest + 1);
    EXPECT_EQ(Newest().parameters().weight_age(), 10 * newest + winner);
  }
}

TEST_F(PolicyVersionsTest, ARollbackOfWhatChangedMeanwhileChangesNothing) {
  Apply("PriorityWeightAge=7\n");
  v1::RollbackPolicyRequest request;
  request.set_version(1);
  request.set_expected_version(1);
  v1::ApplyPolicyResponse response;
  status_ = CallUnary(service_, request, &response);
  EXPECT_EQ(status_.error_code(), grpc::ABORTED);
  EXPECT_EQ(DetailsOf(status_).reason, "POLICY_VERSION_MISMATCH");
  EXPECT_EQ(Newest().version(), 2);
  request.set_expected_version(2);
  status_ = CallUnary(service_, request, &response);
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Newest().version(), 3);
}

TEST_F(PolicyVersionsTest, ACheckWithoutChangeReportsAnotherVersionToo) {
  v1::ApplyPolicyRequest request;
  request.set_text("PriorityWeightAge=7\n");
  request.set_validate_only(true);
  for (const int64_t expected : {0, 2, -1}) {
    request.set_expected_version(expected);
    v1::ApplyPolicyResponse response;
    status_ = CallUnary(service_, request, &response);
    EXPECT_EQ(status_.error_code(), expected < 0 ? grpc::INVALID_ARGUMENT : grpc::ABORTED);
  }
  EXPECT_EQ(DetailsOf(status_).Fields(), "expected_version");
}

TEST_F(PolicyVersionsTest, VersionsAreListedNewestFirstWithWhoWhenAndWhy) {
  Apply("PriorityWeightAge=7\n", "older jobs first");
  service_.SetNow(TestEpoch() + absl::Hours(1));
  Apply("PriorityWeightAge=8\n");
  const v1::ListPolicyVersionsResponse list = List();
  ASSERT_EQ(list.versions_size(), 3);
  EXPECT_EQ(list.versions(0).version(), 3);
  EXPECT_EQ(list.versions(0).applied_at().seconds(), absl::ToUnixSeconds(TestEpoch()) + 3600);
  EXPECT_EQ(list.versions(1).comment(), "older jobs first");
  EXPECT_NE(list.versions(1).applied_by(), "");
  EXPECT_EQ(list.versions(1).text(), "");
  EXPECT_EQ(list.versions(2).version(), 1);
  EXPECT_EQ(list.next_page_token(), "");
  EXPECT_EQ(Newest().comment(), "");
}

TEST_F(PolicyVersionsTest, PagesContinueWhereTheOneBeforeEnded) {
  for (int i = 2; i <= 5; ++i) Apply("PriorityWeightAge=" + std::to_string(i) + "\n");
  std::string versions;
  std::string token;
  do {
    const v1::ListPolicyVersionsResponse page = List(2, token);
    for (const v1::Policy& version : page.versions()) {
      versions += std::to_string(version.version());
    }
    versions += " ";
    token = page.next_page_token();
  } while (!token.empty());
  EXPECT_EQ(versions, "54 32 1 ");
  List(2, "nonsense");
  EXPECT_EQ(DetailsOf(status_).Fields(), "page_token");
  List(-1);
  EXPECT_EQ(DetailsOf(status_).Fields(), "page_size");
}

TEST_F(PolicyVersionsTest, ARollbackMakesANewVersionThatIsAsTheOlderOne) {
  Apply("PriorityWeightAge=7\n");
  Apply("PriorityWeightAge=8\nFairShareAlgorithm=classic\n");
  const v1::ApplyPolicyResponse back = RollBack(2, "too harsh");
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_TRUE(back.created());
  EXPECT_EQ(back.policy().version(), 4);
  EXPECT_EQ(back.policy().comment(), "too harsh");
  EXPECT_EQ(back.takes_effect_at().seconds(), absl::ToUnixSeconds(TestEpoch()) + 300);
  EXPECT_EQ(Newest().text(), "PriorityWeightAge=7\n");
  EXPECT_EQ(Newest().parameters().weight_age(), 7u);
  EXPECT_EQ(Recalculate(service_).policy_version(), 4);
  EXPECT_EQ(ListShares(service_).fair_share_algorithm(), "fair_tree");
}

TEST_F(PolicyVersionsTest, ARollbackTakesIncludedFilesAlong) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", "ClusterName=c\nInclude more.conf\n", &request);
  AddFile(v1::FILE_KIND_SLURM_CONF, "more.conf", "PriorityWeightAge=9\n", &request);
  Import(service_, request);
  Apply("PriorityWeightAge=10\n");
  RollBack(2);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Newest().parameters().weight_age(), 9u);
}

TEST_F(PolicyVersionsTest, ARollbackToWhatIsInForceMakesNoVersion) {
  Apply("PriorityWeightAge=7\n");
  EXPECT_FALSE(RollBack(2).created());
  EXPECT_EQ(Newest().version(), 2);
}

TEST_F(PolicyVersionsTest, ValidateOnlyMakesNoVersion) {
  Apply("PriorityWeightAge=7\n");
  EXPECT_TRUE(RollBack(1, "", /*validate_only=*/true).created());
  EXPECT_EQ(Newest().version(), 2);
}

TEST_F(PolicyVersionsTest, AMissingVersionIsReported) {
  RollBack(9);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_POLICY_VERSION");
  RollBack(0);
  EXPECT_EQ(DetailsOf(status_).Fields(), "version");
}

}  // namespace
}  // namespace priorityd::rpc
