// What Simulate says of other grants is what is once they were made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/server/api/grants/grants_fixture.h"
#include "tests/server/service/private_site.h"

namespace priorityd::rpc {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Each user has a job of QOS double, whose factor is the largest; amy and ben are of account a.
class GrantWhatIfTest : public GrantsTest {
 protected:
  GrantWhatIfTest() {
    std::vector<v1::Job> jobs;
    for (const char* user : {"amy", "ben", "cat"}) {
      v1::Job job = JobOf(absl::StrCat(jobs.size() + 1), user);
      job.set_cpus(1);
      job.mutable_time_limit()->set_seconds(3600);
      job.add_qos("double");
      jobs.push_back(job);
    }
    UpdateJobs(service_, Upserts(jobs));
    Used(0, 1, 2);
    RecalculateAt(Hour(1));
    request_.mutable_tracked();
  }

  void Suppose(const std::string& name, const Names& settings) {
    v1::SupposedGrant* grant = request_.add_grants();
    grant->set_name(name);
    AddSettings(settings, grant);
  }
  v1::SimulateResponse Simulate(grpc::Status* status = nullptr) {
    return Called<v1::SimulateResponse>(request_, status);
  }
  void ExpectFault(const std::string& field) {
    grpc::Status status;
    Simulate(&status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_EQ(DetailsOf(status).Fields(), field) << status.error_message();
    request_.clear_grants();
  }

  using Priorities = std::map<std::string, uint32_t>;  // By job.
  Priorities Ranked() {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    Priorities priorities;
    const v1::RankJobsResponse response = RankJobs(service_, request);
    for (const v1::RankedJob& row : response.ranked()) priorities[row.job_id()] = row.priority();
    return priorities;
  }
  static Priorities SupposedOf(const v1::SimulateResponse& response) {
    Priorities priorities;
    for (const v1::SimulatedRow& row : response.rows()) {
      priorities[row.job_id()] = row.after().priority();
    }
    return priorities;
  }

  v1::SimulateRequest request_;
};

const std::vector<Names>& Demotions() {
  static const auto* const kAll = new std::vector<Names>{
      {"Amount=100", "Consequence=demote:Band=70"},
      {"Amount=121", "Consequence=demote:Band=70"},
      {"Amount=100", "Consequence=demote:QOS=12.5%"},
      {"Amount=110", "Grace=10%", "Consequence=demote:Band=7"},
      {"Amount=120", "Consequence=demote:QOS=0%", "User=amy"},
      {"Amount=100", "Consequence=demote:Band=70", "Begin=2026-01-05T00:30:00Z"}};
  return *kAll;
}

// amy has used 120 minutes of a; b has used none.
TEST_F(GrantWhatIfTest, ATransferIsRankedAsOnceItIsMade) {
  Grant("a", {"Accounts=a", "Amount=130", "Begin=2026-01-05", "Consequence=demote:Band=7"});
  Grant("b", {"Accounts=b", "Amount=130", "Begin=2026-01-05", "Consequence=demote:Band=7"});
  RecalculateAt(Hour(1));
  v1::SupposedTransfer* transfer = request_.add_grant_transfers();
  transfer->set_from("a");
  transfer->set_to("b");
  transfer->set_amount_minutes(10);
  const v1::SimulateResponse supposed = Simulate();
  ASSERT_EQ(supposed.grant_effects_size(), 2);
  const v1::GrantEffect& of_a = supposed.grant_effects(0).after();
  const v1::GrantEffect& of_b = supposed.grant_effects(1).after();
  EXPECT_FALSE(supposed.grant_effects(0).before().used_up());
  EXPECT_TRUE(of_a.used_up());
  EXPECT_EQ(of_a.available_minutes(), 120);
  EXPECT_EQ(of_b.available_minutes(), 140);
  EXPECT_EQ(OneGrant("a").balance().available_minutes(), 130) << "nothing is stored";
  Transfer("a", "b", 10);
  RecalculateAt(Hour(1));
  EXPECT_EQ(Ranked(), SupposedOf(supposed));
  EXPECT_EQ(Ranked()["1"], 7u);
}

TEST_F(GrantWhatIfTest, FaultsOfATransferNameTheirField) {
  Grant("a", {"Accounts=a", "Amount=130"});
  Grant("cpu", {"Accounts=a", "TRES=cpu", "Amount=130"});
  Grant("later", {"Accounts=a", "Amount=130", "Begin=2026-03-01"});
  struct Fault {
    const char* from;
    const char* to;
    double minutes;
    const char* reason;
    const char* text;
  };
  const Fault faults[] = {
      {"", "a", 1, "INVALID_FIELD", "grant_transfers[0].from: got none"},
      {"a", "cpu", 0, "INVALID_FIELD", "grant_transfers[0].amount_minutes: got 0"},
      {"a", "cpu", 1, "INVALID_FIELD",
       "grant_transfers[0].to: got cpu, want another grant of bill"},
      {"a", "a", 1, "INVALID_FIELD", "grant_transfers[0].to: got a, want another grant"},
      {"a", "none", 1, "UNKNOWN_GRANT", "grant_transfers[0].to: got \"none\""},
      {"later", "a", 1, "GRANT_NOT_IN_FORCE", "grant_transfers[0].from: got later"}};
  for (const Fault& fault : faults) {
    request_.clear_grant_transfers();
    v1::SupposedTransfer* transfer = request_.add_grant_transfers();
    transfer->set_from(fault.from);
    transfer->set_to(fault.to);
    transfer->set_amount_minutes(fault.minutes);
    grpc::Status status;
    Simulate(&status);
    EXPECT_EQ(DetailsOf(status).reason, fault.reason) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(fault.text));
  }
}

TEST_F(GrantWhatIfTest, ANewGrantIsRankedAsOnceItExists) {
  int number = 0;
  for (const Names& settings : Demotions()) {
    const Names all = WithDefaults(settings, {"Accounts=a", "Begin=2026-01-05T00:00:00Z"});
    const std::string name = absl::StrCat("g", ++number);
    request_.clear_grants();
    Suppose(name, all);
    const v1::SimulateResponse supposed = Simulate();
    Grant(name, all);
    RecalculateAt(Hour(1));
    EXPECT_EQ(SupposedOf(supposed), Ranked()) << name;
    const v1::Grant made = OneGrant(name);
    ASSERT_EQ(supposed.grant_effects_size(), 1);
    const v1::GrantEffect& after = supposed.grant_effects(0).after();
    EXPECT_EQ(after.used_minutes(), made.balance().used_minutes()) << name;
    EXPECT_EQ(after.used_up(), made.state() == v1::GRANT_STATE_EXHAUSTED) << name;
    Revoke(name);
    RecalculateAt(Hour(1));
  }
}

TEST_F(GrantWhatIfTest, NothingIsStored) {
  Suppose("g", {"Accounts=a", "Amount=1", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  Simulate();
  EXPECT_THAT(Grants().grants(), IsEmpty());
  EXPECT_EQ(ReasonOf("amy"), "");
}

TEST_F(GrantWhatIfTest, TheJobsAndUsersThatWaitAreCounted) {
  Suppose("g", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.grant_effects_size(), 1);
  const v1::SupposedGrantEffect& effect = response.grant_effects(0);
  EXPECT_FALSE(effect.has_before());
  EXPECT_THAT(effect.after().text(),
              HasSubstr("grant g is used up at once: 120 billing minutes are used; 2 of the 3 "
                        "pending jobs, of 2 of the "));
  ASSERT_EQ(effect.after().users_size(), 2);
  EXPECT_EQ(effect.after().users(0).user(), "amy");
  EXPECT_EQ(effect.after().users(0).account(), "a");
  EXPECT_EQ(effect.after().users(1).pending_jobs(), 1);
}

TEST_F(GrantWhatIfTest, JobsAreCountedForTwentyUsedUpGrants) {
  for (int i = 1; i <= 21; ++i) {
    const std::string account = absl::StrCat("c", i);
    AddAccount(account, "a");
    Suppose(absl::StrCat("g", i), {absl::StrCat("Accounts=b,", account), "Amount=100",
                                   "Begin=2026-01-05T00:00:00Z", "Consequence=block"});
  }
  Used(0, 1, 2, "cat", "b");
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.grant_effects_size(), 21);
  int counted = 0;
  for (const v1::SupposedGrantEffect& effect : response.grant_effects()) {
    EXPECT_TRUE(effect.after().used_up());
    EXPECT_THAT(effect.after().text(), HasSubstr("120 billing minutes are used"));
    EXPECT_EQ(effect.after().users_size() > 0,
              absl::StrContains(effect.after().text(), "1 of the 3 pending jobs"));
    counted += effect.after().users_size();
  }
  EXPECT_EQ(counted, 20);
}

TEST_F(GrantWhatIfTest, MoreOrNoneOfAnExistingGrantLiftsItsConsequence) {
  Grant("g",
        {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Consequence=demote:Band=70"});
  RecalculateAt(Hour(1));
  EXPECT_EQ(Ranked()["1"], 70u);
  Suppose("g", {"Amount=200"});
  const v1::SimulateResponse more = Simulate();
  EXPECT_EQ(SupposedOf(more)["1"], 1000u);
  EXPECT_TRUE(more.grant_effects(0).before().used_up());
  EXPECT_EQ(more.grant_effects(0).after().text(),
            "grant g is not used up: 120 of 200 billing minutes are used");
  request_.clear_grants();
  Suppose("g", {});
  request_.mutable_grants(0)->set_revoked(true);
  const v1::SimulateResponse none = Simulate();
  EXPECT_EQ(SupposedOf(none)["1"], 1000u);
  EXPECT_FALSE(none.grant_effects(0).has_after());
  EXPECT_EQ(OneGrant("g").state(), v1::GRANT_STATE_EXHAUSTED);
}

TEST_F(GrantWhatIfTest, UsageFromLongAgoIsUnknown) {
  Suppose("old", {"Accounts=a", "Begin=2025-01-01", "Amount=1", "Consequence=demote:Band=70"});
  const v1::SimulateResponse response = Simulate();
  EXPECT_TRUE(response.grant_effects(0).unknown());
  EXPECT_EQ(SupposedOf(response), Ranked());
}

TEST_F(GrantWhatIfTest, TheDistantFutureOfANewGrantIsKnown) {
  Suppose("g", {"Accounts=a", "Begin=2026-01-05T00:00:00Z", "Amount=100", "Consequence=block"});
  *request_.mutable_later() = ToTimestamp(Hour(24 * 120));
  const v1::SimulateResponse response = Simulate();
  EXPECT_FALSE(response.grant_effects(0).unknown());
  EXPECT_EQ(response.grant_effects(0).after().used_minutes(), 120);
  EXPECT_TRUE(response.grant_effects(0).after().used_up());
}

TEST_F(GrantWhatIfTest, FaultsNameTheSupposedGrant) {
  Suppose("g", {"Accounts=a"});
  ExpectFault("grants[0].settings");
  Suppose("g", {"Accounts=a", "Amount=much"});
  ExpectFault("grants[0].settings[1].value");
  Suppose("g", {"Accounts=nobody", "Amount=1"});
  ExpectFault("grants[0].settings[0].value");
  Suppose("", {"Accounts=a", "Amount=1"});
  ExpectFault("grants[0].name");
  Suppose("g", {"Accounts=a", "Amount=1"});
  Suppose("g", {"Accounts=a", "Amount=2"});
  ExpectFault("grants[1].name");
  Suppose("g", {"Amount=2"});
  request_.mutable_grants(0)->set_revoked(true);
  ExpectFault("grants[0].settings");
  for (int i = 0; i < 101; ++i) Suppose(absl::StrCat("g", i), {"Accounts=a", "Amount=1"});
  ExpectFault("grants");
  Suppose("g", {"Accounts=a", "Amount=1"});
  request_.mutable_jobs();
  ExpectFault("grants");
}

TEST_F(GrantWhatIfTest, AnUnknownGrantCannotBeRevoked) {
  Suppose("none", {});
  request_.mutable_grants(0)->set_revoked(true);
  grpc::Status status;
  Simulate(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_GRANT");
}

// Nothing is private. coo coordinates a, in which amy and ben are; cat is in b.
class ReadersWhatIfTest : public ::testing::Test {
 protected:
  // What is known of one more grant.
  v1::SupposedGrantEffect Effect(const std::string& who, const Names& settings,
                                 v1::SimulateRequest request = {}) {
    request.mutable_tracked();
    request.add_grants()->set_name("g");
    AddSettings(settings, request.mutable_grants(0));
    const auto response =
        site_.Call<v1::SimulateResponse>(who, "PriorityService/Simulate", request);
    EXPECT_EQ(response.grant_effects_size(), 1) << who;
    return response.grant_effects_size() == 1 ? response.grant_effects(0)
                                              : v1::SupposedGrantEffect();
  }

  PrivateSite site_;
};

TEST_F(ReadersWhatIfTest, WhoIsNoCoordinatorHasNoLedgerRead) {
  const Names of_a = {"Amount=1", "Begin=2026-01-04T00:00:00Z", "Consequence=block", "Accounts=a"};
  for (const char* who : {"amy", "cat", "frontend", "dashboard"}) {
    EXPECT_TRUE(Effect(who, of_a).unknown()) << who;
  }
  for (const char* who : {"root", "ope", "coo"}) {
    const v1::SupposedGrantEffect effect = Effect(who, of_a);
    EXPECT_FALSE(effect.unknown()) << who;
    EXPECT_TRUE(effect.after().used_up()) << who;
  }
  for (const char* accounts : {"Accounts=b", "Accounts=a,b"}) {
    Names others = of_a;
    others.back() = accounts;
    EXPECT_TRUE(Effect("coo", others).unknown()) << accounts;
    EXPECT_FALSE(Effect("ope", others).unknown()) << accounts;
  }
}

TEST_F(ReadersWhatIfTest, WhoMayNotSeeAllIsRefusedWithPrivateDataAsTheReason) {
  site_.SetPrivateData("users");
  v1::SimulateRequest request;
  request.mutable_tracked();
  request.add_grants()->set_name("g");
  AddSettings({"Accounts=a", "Amount=1"}, request.mutable_grants(0));
  grpc::Status status;
  site_.Call<v1::SimulateResponse>("amy", "PriorityService/Simulate", request, &status);
  EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("grants, while PrivateData hides rows: got amy"));
}

TEST_F(ReadersWhatIfTest, NoTimeOfARequestHasTheLedgerRead) {
  v1::SimulateRequest request;
  *request.mutable_as_of() = ToTimestamp(TestEpoch() - absl::Hours(48));
  *request.mutable_later() = ToTimestamp(TestEpoch() + absl::Hours(48));
  const Names settings = {"Accounts=a", "Amount=1", "Begin=2026-01-04T00:00:00Z"};
  EXPECT_TRUE(Effect("amy", settings, request).unknown());
  EXPECT_FALSE(Effect("ope", settings, request).unknown());
}

TEST_F(ReadersWhatIfTest, EveryReaderKnowsWhatIsSettledOrBeginsLater) {
  EXPECT_FALSE(Effect("cat", {"Accounts=a", "Amount=1", "Begin=2026-02-01T00:00:00Z"}).unknown());
  v1::UpdateGrantsRequest made;
  made.add_names("g");
  made.set_allow_missing(true);
  AddSettings({"Accounts=a", "Amount=1", "Begin=2026-01-04T00:00:00Z", "Consequence=block"}, &made);
  site_.Call<v1::ChangeResponse>("root", "AdminService/UpdateGrants", made);
  site_.Recalculate();
  const v1::SupposedGrantEffect more = Effect("cat", {"Amount=1000000"});
  EXPECT_FALSE(more.unknown());
  EXPECT_TRUE(more.before().used_up());
  EXPECT_FALSE(more.after().used_up());
  EXPECT_GT(more.after().used_minutes(), 0);
}

}  // namespace
}  // namespace priorityd::rpc
