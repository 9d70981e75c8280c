#include "client/prioctl/policy/policy_versions.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PolicyVersionsCommandTest : public PrioctlTest {
 protected:
  // Version 1 and 2: another weight, and lines.
  PolicyVersionsCommandTest() {
    fake_.get_policy.Answer([](const v1::GetPolicyRequest& request, v1::Policy* policy) {
      const bool is_first = request.version() == 1;
      policy->set_cluster("orc");
      policy->set_version(is_first ? 1 : 2);
      policy->set_text(is_first ? "# ours\nPriorityWeightAge=5\n"
                                : "# ours\nPriorityWeightAge=7\nPriorityFavorSmall=NO\n");
      for (const char* name : {"PriorityFavorSmall", "PriorityWeightAge"}) {
        auto* parameter = policy->mutable_parameters()->add_all();
        parameter->set_name(name);
        parameter->set_value(std::string(name) == "PriorityFavorSmall" ? "NO"
                             : is_first                                ? "5"
                                                                       : "7");
      }
      return grpc::Status::OK;
    });
  }
};

TEST_F(PolicyVersionsCommandTest, VersionsAreATableOfWhoWhenAndWhy) {
  fake_.list_policy_versions.Answer([](const auto& request, auto* response) {
    const bool is_first = request.page_token().empty();
    v1::Policy* version = response->add_versions();
    version->set_version(is_first ? 2 : 1);
    version->set_applied_by("adm");
    version->set_comment(is_first ? "older first" : "");
    version->mutable_applied_at()->set_seconds(1795181231);
    if (is_first) response->set_next_page_token("more");
    return grpc::Status::OK;
  });
  const std::string out = Output({"policy", "versions"});
  EXPECT_THAT(out, HasSubstr("VERSION"));
  EXPECT_THAT(out, HasSubstr("older first"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  EXPECT_EQ(fake_.list_policy_versions.requests().size(), 2u);
  Run({"policy", "versions", "--limit", "1"});
  EXPECT_EQ(fake_.list_policy_versions.requests().size(), 3u);
  EXPECT_EQ(fake_.list_policy_versions.requests().back().page_size(), 1);
}

TEST_F(PolicyVersionsCommandTest, ARollbackSendsTheVersionAndWhy) {
  fake_.rollback_policy.Answer([](const auto&, v1::ApplyPolicyResponse* response) {
    response->mutable_policy()->set_version(4);
    response->set_created(true);
    return grpc::Status::OK;
  });
  EXPECT_EQ(Output({"policy", "rollback", "2", "--comment", "too harsh"}),
            "policy version 4 (new), as version 2 was\n");
  EXPECT_EQ(fake_.rollback_policy.requests()[0].version(), 2);
  EXPECT_EQ(fake_.rollback_policy.requests()[0].comment(), "too harsh");
  EXPECT_FALSE(fake_.rollback_policy.requests()[0].has_expected_version());
  Run({"policy", "rollback", "2", "--expected-version", "3"});
  EXPECT_EQ(fake_.rollback_policy.requests()[1].expected_version(), 3);
  EXPECT_EQ(Run({"policy", "rollback", "2", "--expected-version", "-3"}).exit_code, 2);
  EXPECT_EQ(Run({"policy", "rollback", "0"}).exit_code, 2);
  EXPECT_EQ(Run({"policy", "rollback"}).exit_code, 2);
}

TEST_F(PolicyVersionsCommandTest, ChangesTakeEffectInTheZoneOfThePolicy) {
  fake_.get_policy.Answer([](const v1::GetPolicyRequest& request, v1::Policy* policy) {
    policy->mutable_parameters()->set_time_zone(request.cluster() == "tokyo" ? "Asia/Tokyo" : "");
    return grpc::Status::OK;
  });
  const auto answer = [](const auto&, v1::ApplyPolicyResponse* response) {
    response->mutable_policy()->set_cluster("tokyo");
    response->mutable_takes_effect_at()->set_seconds(1797206400);  // 2026-12-14T00:00:00Z
    return grpc::Status::OK;
  };
  fake_.apply_policy.Answer(answer);
  fake_.rollback_policy.Answer(answer);
  fake_.undo_import.Answer([](const auto&, v1::UndoImportResponse* response) {
    response->set_cluster("tokyo");
    response->mutable_takes_effect_at()->set_seconds(1797206400);
    return grpc::Status::OK;
  });
  fake_.update_domain.Answer([](const auto&, v1::ChangeResponse* response) {
    response->mutable_takes_effect_at()->set_seconds(1797206400);
    return grpc::Status::OK;
  });
  constexpr char kEffect[] = "takes effect at 2026-12-14T09:00:00";
  EXPECT_THAT(Output({"policy", "apply", "-"}, "PriorityWeightAge=7\n"), HasSubstr(kEffect));
  EXPECT_THAT(Output({"policy", "rollback", "1"}), HasSubstr(kEffect));
  EXPECT_THAT(Output({"import", "undo", "--yes"}), HasSubstr(kEffect));
  EXPECT_THAT(Output({"domain", "join", "tokyo", "alpha"}), HasSubstr(kEffect));
}

TEST_F(PolicyVersionsCommandTest, ADiffOfTwoVersionsReportsParametersAndLines) {
  const std::string out = Output({"policy", "diff", "1", "2"});
  EXPECT_THAT(out, HasSubstr("from policy version 1 to 2 of cluster orc"));
  EXPECT_THAT(out, HasSubstr("PriorityWeightAge"));
  EXPECT_THAT(out, Not(HasSubstr("PriorityFavorSmall  ")));
  EXPECT_THAT(out,
              HasSubstr("-PriorityWeightAge=5\n+PriorityWeightAge=7\n+PriorityFavorSmall=NO\n"));
  EXPECT_EQ(fake_.get_policy.requests()[1].version(), 2);
}

TEST_F(PolicyVersionsCommandTest, ADiffOfOneVersionIsWithTheNewest) {
  const std::string out = Output({"policy", "diff", "1", "--json"});
  EXPECT_EQ(fake_.get_policy.requests()[1].version(), 0);
  EXPECT_THAT(out, HasSubstr("\"parameter\":\"PriorityWeightAge\""));
}

TEST_F(PolicyVersionsCommandTest, ShowTakesAVersionByItsNumber) {
  EXPECT_EQ(Run({"policy", "show", "1"}).exit_code, 0);
  EXPECT_EQ(fake_.get_policy.requests()[0].version(), 1);
}

}  // namespace
}  // namespace priorityd
