#include "absl/strings/str_cat.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

class MeTest : public PrioctlTest {
 protected:
  MeTest() {
    fake_.get_caller.Answer([](const v1::GetCallerRequest&, v1::Caller* answer) {
      answer->set_name("ann");
      answer->set_credential("munge");
      answer->add_roles("user");
      answer->add_roles("coordinator");
      answer->add_coordinated_accounts("bio");
      return grpc::Status::OK;
    });
    fake_.list_users.Answer([](const v1::ListUsersRequest& request, v1::ListUsersResponse* answer) {
      if (request.where().names(0) != "ann") return grpc::Status::OK;
      v1::ClusterUser& ann = *answer->add_users();
      ann.set_name("ann");
      ann.set_default_account("chem");
      ann.set_admin_level("None");
      ann.add_coordinated_accounts("bio");
      return grpc::Status::OK;
    });
    fake_.list_associations.Answer(
        [](const v1::ListAssociationsRequest& request, v1::ListAssociationsResponse* answer) {
          answer->set_cluster("orc");
          if (request.where().users(0) != "ann") return grpc::Status::OK;
          v1::Association& one = *answer->add_associations();
          one.set_account("chem");
          one.set_user("ann");
          (*one.mutable_attributes())["Fairshare"] = "parent";
          (*one.mutable_attributes())["MaxSubmitJobs"] = "4";
          (*one.mutable_inherited())["QOS"] = "normal,high";
          (*one.mutable_inherited())["DefaultQOS"] = "normal";
          (*one.mutable_inherited())["MaxJobs"] = "2";
          return grpc::Status::OK;
        });
    fake_.list_shares.Answer([](const v1::ListSharesRequest&, v1::ListSharesResponse* answer) {
      answer->add_shares()->set_account("chem");  // The account above the user.
      v1::AssociationShare& share = *answer->add_shares();
      share.set_account("chem");
      share.set_user("ann");
      share.set_fair_share(0.25);
      share.set_raw_usage(1109000);
      share.set_effective_usage(0.125);
      return grpc::Status::OK;
    });
    fake_.list_partitions.Answer(
        [](const v1::ListPartitionsRequest& request, v1::ListPartitionsResponse* answer) {
          v1::Partition& main = *answer->add_partitions();
          main.set_name("main");
          (*main.mutable_attributes())["MaxTime"] = "1-00:00:00";
          main.add_usable_accounts("chem");
          main.add_usable_qos("high");
          EXPECT_EQ(request.user(), "ann");
          return grpc::Status::OK;
        });
    fake_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
      EXPECT_TRUE(request.with_ranking());
      EXPECT_EQ(request.users(0), "ann");
      v1::TrackedJob& tracked = *answer->add_jobs();
      tracked.mutable_job()->set_job_id("17");
      tracked.mutable_job()->set_state(v1::JOB_STATE_PENDING);
      tracked.set_account("chem");
      tracked.add_partitions("main");
      tracked.add_qos("normal");
      tracked.set_rank(3);
      tracked.set_priority(4711);
      tracked.set_reason("Priority");
      tracked.set_reason_text("2 jobs stand before it");
      return grpc::Status::OK;
    });
  }
};

TEST_F(MeTest, OneScreenHasAccountsPartitionsAndJobs) {
  const std::string me = Output({"me", "ann"});
  EXPECT_THAT(me, HasSubstr("ann on orc, default account chem, coordinates bio\n"
                            "asked as ann (munge), roles user, coordinator, coordinates bio "
                            "and what is below\n"));
  EXPECT_THAT(me, testing::ContainsRegex("chem +parent +0\\.250000 +1,109,000 +12\\.5% "
                                         "+normal +high,normal +MaxJobs=2 MaxSubmitJobs=4"));
  EXPECT_THAT(me, testing::ContainsRegex("main +1-00:00:00 +chem +high"));
  EXPECT_THAT(me, testing::ContainsRegex(
                      "17 +3 +4711 +PENDING +chem +main +normal.*Priority 2 jobs stand before"));
}

TEST_F(MeTest, GrantsOfTheUsersAccountsAreThereWithoutThoseOfOtherUsers) {
  fake_.list_grants.Answer(
      [](const v1::ListGrantsRequest& request, v1::ListGrantsResponse* answer) {
        EXPECT_EQ(request.accounts_size(), 1);
        EXPECT_EQ(request.accounts(0), "chem");
        for (const char* user : {"", "ann", "bob"}) {
          v1::Grant& grant = *answer->add_grants();
          grant.set_name(absl::StrCat("of-", user));
          (*grant.mutable_attributes())["Accounts"] = "chem";
          (*grant.mutable_attributes())["TRES"] = "cpu";
          if (user[0] != 0) (*grant.mutable_attributes())["User"] = user;
          grant.set_state(v1::GRANT_STATE_ACTIVE);
          grant.mutable_balance()->set_left_minutes(1234);
        }
        return grpc::Status::OK;
      });
  const std::string me = Output({"me", "ann"});
  EXPECT_THAT(me, testing::ContainsRegex("of- +chem +cpu .*1,234.* active"));
  EXPECT_THAT(me, testing::ContainsRegex("of-ann +ann in chem +cpu"));
  EXPECT_THAT(me, testing::Not(HasSubstr("of-bob")));
}

// Windows begin and end in it, as in grant list.
TEST_F(MeTest, GrantsAreInTheZoneOfThePolicyOfTheirCluster) {
  fake_.get_policy.Answer([](const v1::GetPolicyRequest& request, v1::Policy* policy) {
    policy->mutable_parameters()->set_time_zone(request.cluster() == "site" ? "Asia/Kolkata"
                                                                            : "Asia/Tokyo");
    return grpc::Status::OK;
  });
  fake_.list_grants.Answer(
      [](const v1::ListGrantsRequest& request, v1::ListGrantsResponse* answer) {
        if (request.cluster() != "site") answer->set_domain("site");
        v1::Grant& grant = *answer->add_grants();
        grant.set_name(absl::StrCat("q", request.cluster()));
        (*grant.mutable_attributes())["Accounts"] = "chem";
        (*grant.mutable_attributes())["Window"] = "quarter";
        grant.mutable_balance()->mutable_end_time()->set_seconds(1798761600);  // 2027-01-01 UTC
        return grpc::Status::OK;
      });
  EXPECT_THAT(Output({"me", "ann"}),
              testing::AllOf(testing::ContainsRegex("q +chem .* until 2027-01-01T09:00:00"),
                             testing::ContainsRegex("qsite +chem .* until 2027-01-01T05:30:00")));
}

// The second call names the domain; bob's is not shown, nor is an error of that call.
TEST_F(MeTest, GrantsOfTheUsageDomainAreBelowThoseOfTheCluster) {
  bool may_see = true;
  fake_.list_grants.Answer(
      [&](const v1::ListGrantsRequest& request, v1::ListGrantsResponse* answer) {
        if (request.cluster() != "site") {
          answer->set_domain("site");
          return grpc::Status::OK;
        }
        if (!may_see) return grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "not there");
        EXPECT_EQ(request.accounts(0), "chem");
        for (const char* user : {"ann", "bob"}) {
          v1::Grant& grant = *answer->add_grants();
          grant.set_name(absl::StrCat("all-", user));
          (*grant.mutable_attributes())["Accounts"] = "chem";
          (*grant.mutable_attributes())["User"] = user;
          grant.set_state(v1::GRANT_STATE_EXHAUSTED);
        }
        return grpc::Status::OK;
      });
  const std::string me = Output({"me", "ann"});
  EXPECT_THAT(me, testing::ContainsRegex("Of the usage domain site:\n"
                                         "NAME.*\nall-ann +ann in chem .* exhausted"));
  EXPECT_THAT(me, testing::Not(HasSubstr("all-bob")));
  may_see = false;
  EXPECT_THAT(Output({"me", "ann"}), testing::Not(HasSubstr("usage domain")));
}

TEST_F(MeTest, AClusterThatIsGoneIsAnErrorAndADomainThatIsGoneIsNone) {
  ExpectOnlyTheClusterIsNeeded({"me", "ann"});
}

TEST_F(MeTest, JsonHasEveryAnswerWhole) {
  const Finished me = Run({"me", "ann", "--json"});
  EXPECT_THAT(me.out, IsOneLine());
  for (const char* name :
       {"\"caller\":{\"name\":\"ann\"", "\"users\":", "\"associations\":", "\"shares\":",
        "\"partitions\":", "\"jobs\":", "\"reasonText\":\"2 jobs stand before it\""}) {
    EXPECT_THAT(me.out, HasSubstr(name));
  }
}

TEST_F(MeTest, WithoutANameItIsAboutTheCallerAsAuthenticated) {
  EXPECT_THAT(Output({"me"}), HasSubstr("ann on orc"));
}

TEST_F(MeTest, ACallerThatTheServiceDidNotIdentifyIsShownAsSuch) {
  fake_.get_caller.Answer([](const v1::GetCallerRequest&, v1::Caller* answer) {
    answer->set_credential("none");
    answer->add_roles("administrator");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"me", "ann"}).out, HasSubstr("caller not identified, roles administrator\n"));
}

TEST_F(MeTest, AUserUnknownToTheClusterIsAnError) {
  EXPECT_THAT(Failure(1, {"me", "nobody"}),
              HasSubstr("got \"nobody\", want a user of the cluster"));
}

}  // namespace
}  // namespace priorityd
