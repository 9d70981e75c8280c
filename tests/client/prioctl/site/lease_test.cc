// prioctl lease list and end.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void AddLease(int64_t id, v1::ListLeasesResponse* response) {
  v1::Lease* lease = response->add_leases();
  lease->set_id(id);
  lease->set_object("account chem");
  v1::Setting* setting = lease->add_settings();
  setting->set_name("QOS");
  setting->set_operator_(v1::SETTING_OPERATOR_ADD);
  setting->set_value("high");
  setting = lease->add_settings();
  setting->set_name("Fairshare");
  setting->set_operator_(v1::SETTING_OPERATOR_SET);
  setting->set_value("1000");
  lease->mutable_begin_time()->set_seconds(1797206400);
  lease->mutable_end_time()->set_seconds(1797292800);
  lease->set_state(v1::LEASE_STATE_PENDING);
  lease->set_created_by("amy (MUNGE, uid 1000; ipv4:127.0.0.1:1)");
  lease->set_comment("the paper");
}

TEST_F(PrioctlTest, LeaseListShowsSettingsStateAndAuthorOfAllPages) {
  fake_.list_leases.Answer(
      [](const v1::ListLeasesRequest& request, v1::ListLeasesResponse* response) {
        AddLease(request.page_token().empty() ? 12 : 7, response);
        if (request.page_token().empty()) response->set_next_page_token("more");
        return grpc::Status::OK;
      });
  const std::string out = Output({"lease", "list", "--object", "account chem"});
  for (const char* cell :
       {"12", "7", "account chem", "QOS+=high Fairshare=1000", "pending", "amy", "the paper"}) {
    EXPECT_THAT(out, HasSubstr(cell));
  }
  EXPECT_THAT(out, Not(HasSubstr("MUNGE")));
  const v1::ListLeasesRequest request = fake_.list_leases.requests()[0];
  EXPECT_THAT(request.objects(), ElementsAre("account chem"));
  EXPECT_THAT(request.states(), IsEmpty());
}

TEST_F(PrioctlTest, TimesOfLeasesAreOfTheZoneOfThePolicy) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
    policy->mutable_parameters()->set_time_zone("Europe/Berlin");
    return grpc::Status::OK;
  });
  fake_.list_leases.Answer([](const auto&, v1::ListLeasesResponse* response) {
    AddLease(12, response);
    return grpc::Status::OK;
  });
  fake_.list_associations.Answer([](const auto&, v1::ListAssociationsResponse* response) {
    v1::Association* association = response->add_associations();
    association->set_account("chem");
    v1::LeasedSetting* leased = association->add_leased();
    leased->set_name("Fairshare");
    leased->set_value("1000");
    leased->mutable_until()->set_seconds(1797292800);  // 2026-12-15T00:00:00Z
    leased->set_then("200");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"lease", "list"}).out,
              ContainsRegex("2026-12-14T01:00:00 +2026-12-15T01:00:00 +pending"));
  EXPECT_THAT(Run({"sacctmgr", "-P", "show", "association", "format=account,leases"}).out,
              HasSubstr("chem|Fairshare=1000 until 2026-12-15T01:00:00, then 200\n"));
  EXPECT_THAT(Run({"sacctmgr", "-P", "show", "association", "format=account"}).out,
              HasSubstr("chem\n"));
  EXPECT_EQ(fake_.get_policy.requests().size(), 2u) << "only for times of leases";
}

TEST_F(PrioctlTest, LeaseListAsksForEveryStateWithPast) {
  fake_.list_leases.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"lease", "list"}).out, HasSubstr("no leases; --past"));
  EXPECT_THAT(Run({"lease", "list", "--past"}).out, HasSubstr("no leases\n"));
  EXPECT_EQ(fake_.list_leases.requests()[1].states_size(), 4);
}

TEST_F(PrioctlTest, LeaseEndNamesWhatItEnded) {
  fake_.end_leases.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_updated(1);
    v1::ConfigurationChange* change = response->add_changes();
    change->set_kind(v1::CHANGE_KIND_UPDATED);
    change->set_object("lease 12 of account chem");
    change->set_before("End=2026-12-18T18:00:00");
    change->set_after("End=2026-12-14T10:00:00");
    return grpc::Status::OK;
  });
  EXPECT_NE(Run({"lease", "end", "12"}).exit_code, 0) << "there is no terminal";
  EXPECT_THAT(Output({"lease", "end", "12", "13", "--yes", "--comment", "accepted"}),
              HasSubstr("lease 12 of account chem"));
  const v1::EndLeasesRequest request = fake_.end_leases.requests()[0];
  EXPECT_THAT(request.ids(), ElementsAre(12, 13));
  EXPECT_EQ(request.options().comment(), "accepted");
}

TEST_F(PrioctlTest, ALeaseThatCannotBeEndedIsNamedAsItWasTyped) {
  fake_.end_leases.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::NOT_FOUND, "ids[1]: got 99, want a lease that has not ended");
  });
  EXPECT_THAT(Failure(1, {"lease", "end", "12", "99", "--yes"}),
              HasSubstr("prioctl: ID: got 99, want a lease that has not ended\n"));
}

}  // namespace
}  // namespace priorityd
