// Grants through the whole service: created, charged, used up, revoked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/api/grants/grants_fixture.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(GrantsTest, UsageOfAllBelowTheAccountIsTakenFromTheGrantTimesUsageFactor) {
  AddAccount("sub", "a");
  AddUser("dan", {"sub"});
  Grant("a-2026", {"Accounts=a", "Amount=100h", "Begin=2026-01-05T00:00:00Z", "Window=quarter"});
  Used(0, 2, 3);                        // 360 minutes.
  Used(0, 1, 1, "dan", "sub");          // 60
  Used(0, 1, 2, "ben", "a", "double");  // 240
  Used(0, 1, 9, "cat", "b");            // Of another account.
  RecalculateAt(Hour(2));
  const v1::Grant grant = OneGrant("a-2026");
  EXPECT_EQ(grant.state(), v1::GRANT_STATE_ACTIVE);
  EXPECT_EQ(grant.balance().used_minutes(), 660);
  EXPECT_EQ(grant.balance().left_minutes(), 6000 - 660);
  EXPECT_EQ(grant.balance().left_tres_seconds(), "320400");
  EXPECT_EQ(grant.balance().begin_time().seconds(), absl::ToUnixSeconds(TestEpoch()));
  EXPECT_EQ(grant.balance().end_time().seconds(), 1775001600);  // 2026-04-01.
  EXPECT_EQ(grant.attributes().at("Accounts"), "a");
  EXPECT_EQ(grant.attributes().at("Window"), "quarter");
}

TEST_F(GrantsTest, UsageBeforeTheGrantWasCreatedCountsFromItsBegin) {
  Used(-2, 1, 2);  // One of three hours is in the grant.
  RecalculateAt(Hour(1));
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  RecalculateAt(Hour(1));
  EXPECT_THAT(Windows("g"), ElementsAre("1000+0-0+0=1000 120 880"));
}

TEST_F(GrantsTest, ARecalculationThatIsNotPublishedSettlesNothing) {
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  Used(0, 1, 1);
  RecalculateAt(Hour(1));
  Used(1, 2, 2);
  Execute(
      "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN RAISE EXCEPTION 'not now'; END $$");
  Execute(
      "CREATE TRIGGER fail BEFORE UPDATE ON priorityd.publication "
      "FOR EACH ROW EXECUTE FUNCTION fail()");
  v1::RecalculateRequest request;
  *request.mutable_as_of() = ToTimestamp(Hour(2));
  for (int i = 0; i < 2; ++i) {
    grpc::Status status;
    Recalculate(service_, request, &status);
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(Windows("g"), ElementsAre("1000+0-0+0=1000 60 940"));
  }
  Execute("DROP TRIGGER fail ON priorityd.publication");
  RecalculateAt(Hour(2));
  EXPECT_THAT(Windows("g"), ElementsAre("1000+0-0+0=1000 180 820"));
  RecalculateAt(Hour(3));
  EXPECT_THAT(Windows("g"), ElementsAre("1000+0-0+0=1000 180 820"));
}

// A tenth of what is left goes on to the next month. January's record arrives in February.
TEST_F(GrantsTest, ALateRecordChangesTheStatementOfAClosedWindowAndWhatItCarriedOver) {
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z", "Window=month",
              "CarryOver=10%"});
  Used(0, 1, 5);  // 300
  const double february = 27 * 24;
  RecalculateAt(Hour(february + 1));
  EXPECT_THAT(Windows("g"), ElementsAre("1000+0-0+0=1000 300 700", "1000+70-0+0=1070 0 1070"));
  Used(2, 3, 5);                          // Another 300 of January,
  Used(february - 1, february + 1, 0.5);  // and 30 of each month.
  RecalculateAt(Hour(february + 2));
  EXPECT_THAT(Windows("g"), ElementsAre("1000+0-0+0=1000 630 370", "1000+37-0+0=1037 30 1007"));
}

TEST_F(GrantsTest, AJobWaitsWhileAGrantWithBlockIsUsedUpAndStartsInTheNextWindow) {
  Grant("g", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Window=month", "Grace=20%",
              "Consequence=block"});
  Used(0, 1, 1.9);  // 114 of 120 with the grace.
  RecalculateAt(Hour(1));
  EXPECT_EQ(ReasonOf("amy"), "");
  Used(1, 2, 0.1);  // 120
  RecalculateAt(Hour(2));
  EXPECT_EQ(OneGrant("g").state(), v1::GRANT_STATE_EXHAUSTED);
  EXPECT_EQ(ReasonOf("amy"), "AssocGrpBillingMinutes");
  EXPECT_EQ(ReasonOf("cat"), "");
  RecalculateAt(Hour(27 * 24));
  EXPECT_EQ(ReasonOf("amy"), "");
}

// QOS double has 10 of at most 10: the factor 1.
TEST_F(GrantsTest, AJobHasTheQosFactorOfTheQosToWhichAUsedUpGrantDemotesIt) {
  Grant("g",
        {"Accounts=a", "Amount=60", "Begin=2026-01-05T00:00:00Z", "Consequence=demote:normal"});
  const auto qos_points = [this](const std::string& user) {
    return RankOne(service_, user, "double").ranked(0).priority();
  };
  RecalculateAt(Hour(1));
  EXPECT_EQ(qos_points("amy"), 1000u);
  Used(0, 1, 1);
  RecalculateAt(Hour(1));
  EXPECT_EQ(qos_points("amy"), 1u) << "no priority is lower";
  EXPECT_EQ(qos_points("cat"), 1000u);
}

TEST_F(GrantsTest, ATransferMovesAnAmountOnceItIsLeft) {
  Grant("a", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z"});
  Grant("b", {"Accounts=b", "Amount=100", "Begin=2026-01-05T00:00:00Z"});
  Used(0, 1, 1);
  RecalculateAt(Hour(1));
  grpc::Status status;
  Transfer("a", "b", 41, &status);
  EXPECT_EQ(DetailsOf(status).reason, "GRANT_TOO_SMALL");
  EXPECT_THAT(status.error_message(),
              HasSubstr("want at most the 40 billing-minutes that are left of grant a"));
  Transfer("a", "b", 40);
  RecalculateAt(Hour(1));
  EXPECT_THAT(Windows("a"), ElementsAre("100+0-0+-40=60 60 0"));
  EXPECT_THAT(Windows("b"), ElementsAre("100+0-0+40=140 0 140"));
}

TEST_F(GrantsTest, AChangeOfTheAmountIsAVersionFromThePresentWindowOn) {
  Grant("g", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Window=month"});
  RecalculateAt(Hour(27 * 24 + 5));
  Grant("g", {"Amount=250"});
  RecalculateAt(Hour(27 * 24 + 6));
  EXPECT_THAT(Windows("g"), ElementsAre("100+0-0+0=100 0 100", "250+0-0+0=250 0 250"));
  const v1::GetGrantStatementResponse statement = Statement("g");
  ASSERT_EQ(statement.grant().versions_size(), 2);
  EXPECT_EQ(statement.grant().versions(0).amount_minutes(), 100);
  EXPECT_EQ(statement.grant().versions(1).amount_minutes(), 250);
  EXPECT_EQ(statement.grant().versions(1).comment(), "as agreed");
}

TEST_F(GrantsTest, TheGrantWithTheSmallestOrderIsUsedFirst) {
  Grant("late", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Order=2"});
  Grant("early", {"Accounts=a", "Amount=50", "Begin=2026-01-05T00:00:00Z", "Order=1"});
  Used(0, 1, 1);
  RecalculateAt(Hour(1));
  EXPECT_THAT(Windows("early"), ElementsAre("50+0-0+0=50 50 0"));
  EXPECT_THAT(Windows("late"), ElementsAre("100+0-0+0=100 10 90"));
}

TEST_F(GrantsTest, AnAccountThatMovesTakesItsUsageAlong) {
  AddAccount("sub", "a");
  AddUser("dan", {"sub"});
  Grant("a", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  Grant("b", {"Accounts=b", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  Used(0, 1, 1);
  Used(0, 1, 2, "dan", "sub");
  RecalculateAt(Hour(1));
  EXPECT_EQ(OneGrant("a").balance().used_minutes(), 180);
  Modify(Where({"sub"}, {""}), {"Parent=b"});
  RecalculateAt(Hour(1));
  EXPECT_EQ(OneGrant("a").balance().used_minutes(), 60);
  EXPECT_EQ(OneGrant("b").balance().used_minutes(), 120);
}

TEST_F(GrantsTest, ARevokedGrantBlocksNobodyAndKeepsItsStatement) {
  Grant("g", {"Accounts=a", "Amount=10", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  Used(0, 1, 1);
  RecalculateAt(Hour(1));
  EXPECT_EQ(ReasonOf("amy"), "AssocGrpBillingMinutes");
  Revoke("g");
  RecalculateAt(Hour(2));
  EXPECT_EQ(ReasonOf("amy"), "");
  EXPECT_THAT(Grants().grants(), IsEmpty());
  EXPECT_EQ(Statement("g").grant().state(), v1::GRANT_STATE_REVOKED);
  EXPECT_THAT(Windows("g"), ElementsAre("10+0-0+0=10 60 -50"));
  grpc::Status status;
  Grant("g", {"Amount=20"}, &status);
  EXPECT_EQ(DetailsOf(status).reason, "GRANT_REVOKED");
}

TEST_F(GrantsTest, WhatCannotBeGrantedIsRefusedWithTheSetting) {
  const auto fault = [this](const std::string& name, const Names& settings) {
    grpc::Status status;
    Grant(name, settings, &status);
    const ErrorDetails details = DetailsOf(status);
    if (details.bad_request.field_violations().empty()) return details.reason;
    const auto& violation = details.bad_request.field_violations(0);
    return absl::StrCat(violation.field(), " ", violation.description());
  };
  EXPECT_THAT(fault("g", {"Accounts=nobody", "Amount=1"}),
              HasSubstr("settings[0].value Accounts: got \"nobody\", want an existing account"));
  EXPECT_THAT(fault("g", {"Accounts=a", "Amount=0"}), HasSubstr("settings[1].value Amount: got"));
  EXPECT_THAT(fault("g", {"Accounts=a", "Amount=1", "Consequence=demote:gone"}),
              HasSubstr("settings[2].value Consequence: got \"gone\", want an existing QOS"));
  EXPECT_THAT(fault("g", {"Acounts=a"}), HasSubstr("settings[0].name"));
  EXPECT_THAT(fault("two words", {"Accounts=a", "Amount=1"}), HasSubstr("names[0]"));
  Grant("begun", {"Accounts=a", "Amount=1", "Begin=2026-01-05T00:00:00Z"});
  EXPECT_THAT(fault("begun", {"Accounts=b"}),
              HasSubstr("settings[0].value Accounts: got a change"));
  EXPECT_THAT(fault("rolls", {"Accounts=a", "Amount=1", "Window=rolling:30"}),
              HasSubstr("want no other one at that time"));
  EXPECT_THAT(fault("begun", {"CarryOver=5%"}), HasSubstr("settings[0]"));
  EXPECT_THAT(fault("begun", {"Order=1"}), HasSubstr("settings[0].value Order: got a change"));
  EXPECT_THAT(Grants().grants_size(), 1);
}

// In the last two days, by days of the policy's zone.
TEST_F(GrantsTest, ARollingWindowForgetsUsageAfterItsDays) {
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z", "Window=rolling:2"});
  Used(1, 2, 1);
  Used(25, 26, 2);
  Used(49, 50, 3);
  RecalculateAt(Hour(26));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 180);
  RecalculateAt(Hour(50));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 300);
  RecalculateAt(Hour(24 * 9));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 0);
}

// Each further grant lets the windows be planned again, on a day on which the first one is over.
TEST_F(GrantsTest, ARollingWindowIsTheSameAfterEachPlan) {
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z", "Window=rolling:2"});
  for (int day = 0; day < 6; ++day) {
    const int hour = 24 * day;
    Used(hour + 1, hour + 2, day + 1);
    RecalculateAt(Hour(hour + 3));
    Grant(absl::StrCat("h", day), {"Accounts=b", "Amount=1", "Begin=2026-01-05T00:00:00Z"});
    RecalculateAt(Hour(hour + 4));
    EXPECT_EQ(OneGrant("g").balance().used_minutes(), 60 * (day + 1) + 60 * day) << day;
  }
}

// 4 CPUs for what is left of two hours after the half hour that is recorded.
TEST_F(GrantsTest, AJobThatRunsIsShownApart) {
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  v1::Job job = JobOf("1");
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_start_time() = ToTimestamp(Hour(0));
  job.set_cpus(4);
  job.mutable_time_limit()->set_seconds(7200);
  UpdateJobs(service_, Upserts({job}));
  v1::RecordUsageRequest request;
  *request.add_records() = Usage("1", Hour(0), absl::Minutes(30), 4);
  request.mutable_records(0)->set_job_id("1");
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  RecalculateAt(Hour(1));
  EXPECT_EQ(OneGrant("g").running_minutes(), 360);
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 120);
}

// Demoted jobs run on and overdraw the regular grant; a boost has its own amount all the same.
TEST_F(GrantsTest, ABoostHelpsAnOwnerWhoseRegularGrantIsOverdrawn) {
  Grant("regular", {"Accounts=a", "Amount=60", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  Used(0, 1, 3);  // 180 of 60.
  RecalculateAt(Hour(1));
  EXPECT_EQ(ReasonOf("amy"), "AssocGrpBillingMinutes");
  Grant("boost", {"Accounts=a", "Amount=30", "Begin=now", "Order=-1", "End=2026-01-09",
                  "Consequence=block"});
  RecalculateAt(Hour(1));
  EXPECT_EQ(ReasonOf("amy"), "");
  Used(1, 2, 0.5);
  RecalculateAt(Hour(2));
  EXPECT_THAT(Windows("boost"), ElementsAre("30+0-0+0=30 30 0"));
  EXPECT_EQ(ReasonOf("amy"), "AssocGrpBillingMinutes");
}

TEST_F(GrantsTest, AGrantThatBeginsInThePastOfAnotherOneWarns) {
  Grant("g", {"Accounts=a", "Amount=60", "Begin=2026-01-05T00:00:00Z"});
  RecalculateAt(Hour(5) + absl::Milliseconds(500));
  const v1::ChangeResponse past =
      Grant("h", {"Accounts=a", "Amount=60", "Begin=2026-01-05T00:00:00Z"});
  EXPECT_THAT(past.warnings(), ElementsAre(HasSubstr("past windows of grant g")));
  EXPECT_THAT(Grant("i", {"Accounts=a", "Amount=60", "Begin=now"}).warnings(), IsEmpty());
}

TEST_F(GrantsTest, ATresThatTheClusterDoesNotHaveWarnsUntilARecordHasIt) {
  const auto warnings = [&](const char* name, const Names& settings) {
    return Grant(name, settings).warnings();
  };
  EXPECT_THAT(warnings("g", {"Accounts=a", "TRES=cpu=1,gres/gpuu=20,gres/tpu=2", "Amount=60",
                             "Begin=2026-02-01"}),
              ElementsAre(HasSubstr("TRES: the cluster does not have gres/gpuu gres/tpu: ")));
  EXPECT_THAT(warnings("g", {"Amount=70"}), IsEmpty()) << "it was named before";
  EXPECT_THAT(warnings("g", {"TRES=cpu"}), IsEmpty());
  EXPECT_THAT(warnings("g", {"TRES=gres/tpu"}), ElementsAre(HasSubstr("have gres/tpu: ")));
  v1::ImportRequest import;
  AddFile(v1::FILE_KIND_PRIORITYD, "own",
          "Grant - 'h':Accounts='b':TRES='gres/tpu':Begin='2026-01-05T00:00:00Z'\n"
          "Amount - '60':Effective='2026-01-05T00:00:00Z'\n",
          &import);
  EXPECT_THAT(
      Import(service_, import).warnings(),
      ElementsAre("own line 1: h: TRES: the cluster does not have gres/tpu: the grant counts 0 "
                  "of it until a usage record has it"));
  v1::RecordUsageRequest request;
  *request.add_records() = Usage("tpu", TestEpoch(), absl::Hours(1), 1);
  (*request.mutable_records(0)->mutable_tres())["gres/tpu"] = 1;
  ASSERT_EQ(RecordUsage(service_, request).accepted(), 1);
  EXPECT_THAT(warnings("i", {"Accounts=a", "TRES=gres/tpu", "Amount=60"}), IsEmpty());
}

// Begin moves to June and back to March before it has come; each amount replaces the one before.
TEST_F(GrantsTest, TheLastAmountCountsHoweverOftenTheBeginWasMoved) {
  Grant("g", {"Accounts=a", "Amount=100", "Begin=2026-03-01"});
  Grant("g", {"Amount=200", "Begin=2026-06-01"});
  Grant("g", {"Amount=300", "Begin=2026-03-01"});
  RecalculateAt(Hour(24 * 80));
  EXPECT_THAT(Windows("g"), ElementsAre("300+0-0+0=300 0 300"));
}

TEST_F(GrantsTest, UsageOfADeletedUserStaysInTheGrantAndCanBeVoided) {
  Grant("g", {"Accounts=a", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  Grant("of-amy", {"Accounts=a", "User=amy", "Amount=1000", "Begin=2026-01-05T00:00:00Z"});
  Used(0, 1, 1);
  Used(0, 1, 2, "ben");
  RecalculateAt(Hour(1));
  Remove(Where({"a"}, {"amy"}));
  RecalculateAt(Hour(2));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 180);
  v1::VoidUsageRequest request;
  request.mutable_filter()->add_users("amy");
  request.set_comment("wrong");
  Called<v1::VoidUsageResponse>(request, nullptr);
  RecalculateAt(Hour(3));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 120);
  EXPECT_EQ(OneGrant("of-amy").balance().used_minutes(), 0);
  // Still updatable.
  Grant("of-amy", {"Amount=2000"});
}

TEST_F(GrantsTest, ANameIsChangedOnceInARequest) {
  v1::UpdateGrantsRequest request;
  request.add_names("g");
  request.add_names("g");
  request.set_allow_missing(true);
  AddSettings({"Accounts=a", "Amount=1"}, &request);
  grpc::Status status;
  Changed(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "names[1]");
}

// Longer than an index row.
TEST_F(GrantsTest, AGrantOfAThousandAccountsIsSettled) {
  v1::CreateAssociationsRequest create;
  std::string accounts;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = absl::StrCat("account-with-a-rather-long-name-", i * 7919);
    v1::NewAssociation* wanted = create.add_associations();
    wanted->set_account(name);
    wanted->set_parent_account("a");
    absl::StrAppend(&accounts, accounts.empty() ? "" : ",", name);
  }
  Create(create);
  Grant("g",
        {"Accounts=" + accounts, "Amount=1000", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  RecalculateAt(Hour(1));
  EXPECT_EQ(OneGrant("g").state(), v1::GRANT_STATE_ACTIVE);
}

TEST_F(GrantsTest, AReplicaThatStartsHasTheSameConsequences) {
  Grant("g", {"Accounts=a", "Amount=10", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  Used(0, 1, 1);
  RecalculateAt(Hour(1));
  TestService other({.database_url = service_.database_url()});
  EXPECT_EQ(RankOne(other, "amy").ineligible(0).reason(), "AssocGrpBillingMinutes");
}

}  // namespace
}  // namespace priorityd::rpc
