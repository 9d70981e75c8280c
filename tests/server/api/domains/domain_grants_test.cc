// Grants of a usage domain: usage of all members counts, and they hold in all members.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "priority/v1/grant.pb.h"
#include "tests/server/service/domain_site.h"
#include "tests/server/service/job_requests.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DomainGrantsTest : public DomainSite {
 protected:
  // In UTC, since TestEpoch.
  v1::ChangeResponse Grant(const std::string& cluster, const std::string& name,
                           const std::map<std::string, std::string>& settings) {
    v1::UpdateGrantsRequest request;
    request.set_cluster(cluster);
    request.add_names(name);
    request.set_allow_missing(true);
    std::map<std::string, std::string> all = {{"Begin", "2026-01-05T00:00:00Z"}};
    all.insert(settings.begin(), settings.end());
    for (const auto& [setting, value] : all) {
      v1::Setting& added = *request.add_settings();
      added.set_name(setting);
      added.set_operator_(v1::SETTING_OPERATOR_SET);
      added.set_value(value);
    }
    return Asked<v1::ChangeResponse>(request, nullptr);
  }

  v1::Grant GrantOf(const std::string& cluster, const std::string& name) {
    v1::ListGrantsRequest request;
    request.set_cluster(cluster);
    request.add_names(name);
    v1::ListGrantsResponse response;
    const grpc::Status status = CallUnary(service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.grants_size() == 1 ? response.grants(0) : v1::Grant();
  }

  v1::RankJobsResponse RankIn(TestService& service, const std::string& cluster,
                              const std::string& user) {
    v1::RankJobsRequest request;
    request.set_cluster(cluster);
    v1::Job* job = request.mutable_jobs()->add_jobs();
    *job = JobOf("1", user);
    job->set_cpus(1);
    job->mutable_time_limit()->set_seconds(3600);
    return RankJobs(service, request);
  }
  // Why a job of the user cannot start; empty = it can.
  std::string ReasonIn(const std::string& cluster, const std::string& user) {
    return ReasonIn(service_, cluster, user);
  }
  std::string ReasonIn(TestService& service, const std::string& cluster, const std::string& user) {
    const v1::RankJobsResponse response = RankIn(service, cluster, user);
    return response.ineligible().empty() ? "" : response.ineligible(0).reason();
  }
  std::string MessageIn(const std::string& cluster, const std::string& user) {
    return RankIn(service_, cluster, user).ineligible(0).message();
  }
};

// 30 minutes on 1 CPU in alpha and 15 on 2 in beta are 60 CPU minutes.
TEST_F(DomainGrantsTest, UsageOfAllMembersUsesItUpAndHoldsJobsInEach) {
  Join({"alpha", "beta"});
  Grant("site", "q1", {{"Accounts", "a"}, {"Amount", "60"}, {"Consequence", "block"}});
  Record("alpha", Usage("1", Hour(0), absl::Minutes(30), 1));
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(GrantOf("site", "q1").balance().left_minutes(), 30);
  for (const char* member : {"alpha", "beta"}) EXPECT_EQ(ReasonIn(member, "amy"), "") << member;
  v1::UsageRecord record = Usage("1", Hour(0), absl::Minutes(15), 2);
  record.set_user("ben");
  Record("beta", record);
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(GrantOf("site", "q1").state(), v1::GRANT_STATE_EXHAUSTED);
  for (const char* member : {"alpha", "beta"}) {
    EXPECT_EQ(ReasonIn(member, "amy"), "AssocGrpBillingMinutes") << member;
    EXPECT_EQ(ReasonIn(member, "cat"), "") << member;
    EXPECT_THAT(MessageIn(member, "ben"),
                HasSubstr("grant q1 of domain site of account a is used up: 60 billing minutes"));
  }
}

// Accounts of the same name are others' in the members, and below others.
TEST_F(DomainGrantsTest, AGrantOfACoordinatorHoldsInNoMember) {
  Join({"alpha"});
  for (const char* account : {"a", "b"}) {
    Grant("site", account, {{"Accounts", account}, {"Amount", "60"}, {"Consequence", "block"}});
  }
  Execute("UPDATE priorityd.usage_grant SET by_coordinator = true WHERE name = 'a'");
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 1));
  v1::UsageRecord record = Usage("2", Hour(0), absl::Hours(1), 1);
  record.set_user("cat");
  record.set_account("b");
  Record("alpha", record);
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(GrantOf("site", "a").state(), v1::GRANT_STATE_EXHAUSTED);
  EXPECT_EQ(ReasonIn("site", "amy"), "AssocGrpBillingMinutes");
  EXPECT_EQ(ReasonIn("alpha", "amy"), "");
  EXPECT_EQ(ReasonIn("alpha", "cat"), "AssocGrpBillingMinutes");
}

TEST_F(DomainGrantsTest, ReplicasKnowItAndALeaverIsFree) {
  Join({"alpha", "beta"});
  Grant("site", "q1", {{"Accounts", "a"}, {"Amount", "60"}, {"Consequence", "block"}});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 1));
  RecalculateAllAt(Hour(1));
  TestService replica({.database_url = service_.database_url(), .limits = {}});
  EXPECT_EQ(ReasonIn(replica, "beta", "amy"), "AssocGrpBillingMinutes");
  Leave("beta");
  RecalculateAllAt(Hour(2));
  EXPECT_EQ(ReasonIn("beta", "amy"), "");
  EXPECT_EQ(ReasonIn("alpha", "amy"), "AssocGrpBillingMinutes");
}

TEST_F(DomainGrantsTest, MoreIsGrantedThereAndFreesTheMembersJobs) {
  Join({"alpha"});
  Grant("site", "q1", {{"Accounts", "a"}, {"Amount", "60"}, {"Consequence", "block"}});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 1));
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(ReasonIn("alpha", "amy"), "AssocGrpBillingMinutes");
  Grant("site", "q1", {{"Amount", "61"}});
  RecalculateAllAt(Hour(2));
  EXPECT_EQ(ReasonIn("alpha", "amy"), "");
}

TEST_F(DomainGrantsTest, ItLowersPrioritiesInEachMemberBesideTheMembersOwnGrants) {
  Join({"alpha", "beta"});
  Grant("site", "q1", {{"Accounts", "a"}, {"Amount", "60"}, {"Consequence", "demote:Band=2"}});
  Grant("beta", "own", {{"Accounts", "a"}, {"Amount", "60"}, {"Consequence", "demote:Band=1"}});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 1));
  RecalculateAllAt(Hour(1));
  // Nothing of beta's own one is used.
  for (const char* member : {"alpha", "beta"}) {
    EXPECT_EQ(RankIn(service_, member, "amy").ranked(0).priority(), 2u) << member;
    EXPECT_GT(RankIn(service_, member, "cat").ranked(0).priority(), 2u) << member;
  }
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 1));
  RecalculateAllAt(Hour(2));
  EXPECT_EQ(RankIn(service_, "beta", "amy").ranked(0).priority(), 1u);
  EXPECT_EQ(RankIn(service_, "alpha", "amy").ranked(0).priority(), 2u);
}

// An hour of 1 CPU and 2 GPUs; `double` has UsageFactor 2, and the domain takes 3 for a billing.
TEST_F(DomainGrantsTest, BillingHasPriceAndUsageFactorAndOtherTresHaveNeither) {
  Join({"alpha"}, {{"billing", 3}});
  Grant("site", "billing", {{"Accounts", "a"}, {"Amount", "1000"}});
  Grant("site", "cpu", {{"Accounts", "a"}, {"Amount", "1000"}, {"TRES", "cpu"}});
  Grant("site", "sum", {{"Accounts", "a"}, {"Amount", "1000"}, {"TRES", "cpu=1,gres/gpu=4"}});
  v1::UsageRecord record = Usage("1", Hour(0), absl::Hours(1), 1);
  record.set_qos("double");
  (*record.mutable_tres())["gres/gpu"] = 2;
  Record("alpha", record);
  RecalculateAt("site", Hour(1));
  EXPECT_EQ(GrantOf("site", "billing").balance().used_minutes(), 60 * 2 * 3);
  EXPECT_EQ(GrantOf("site", "cpu").balance().used_minutes(), 60);
  EXPECT_EQ(GrantOf("site", "sum").balance().used_minutes(), 60 * (1 + 2 * 4));
}

TEST_F(DomainGrantsTest, AMembersListNamesTheDomainWithItsPrices) {
  const auto list = [this](const std::string& cluster) {
    v1::ListGrantsRequest request;
    request.set_cluster(cluster);
    v1::ListGrantsResponse response;
    const grpc::Status status = CallUnary(service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  Join({"alpha"}, {{"billing", 3}, {"cpu", 0.5}});
  EXPECT_EQ(list("alpha").domain(), "site");
  const v1::ListGrantsResponse of_alpha = list("alpha");
  const std::map<std::string, double> prices(of_alpha.domain_prices().begin(),
                                             of_alpha.domain_prices().end());
  EXPECT_EQ(prices, (std::map<std::string, double>{{"billing", 3}, {"cpu", 0.5}}));
  for (const char* other : {"beta", "site"}) EXPECT_EQ(list(other).domain(), "") << other;
  Leave("alpha");
  EXPECT_EQ(list("alpha").domain(), "");
}

TEST_F(DomainGrantsTest, AUserWhoIsMergedInTheDomainIsHeldByTheGrantOfTheOther) {
  Join({"alpha", "beta"});
  Grant("site", "q1",
        {{"Accounts", "a"}, {"User", "amy"}, {"Amount", "60"}, {"Consequence", "block"}});
  v1::UsageRecord record = Usage("1", Hour(0), absl::Hours(1), 1);
  record.set_user("ben");
  Record("beta", record);
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(ReasonIn("alpha", "amy"), "");
  v1::MergeUsersRequest merge;
  merge.set_cluster("site");
  merge.set_from_user("ben");
  merge.set_into_user("amy");
  Asked<v1::ChangeResponse>(merge, nullptr);
  RecalculateAllAt(Hour(2));
  for (const char* user : {"amy", "ben"}) {
    EXPECT_EQ(ReasonIn("alpha", user), "AssocGrpBillingMinutes") << user;
  }
  EXPECT_THAT(MessageIn("alpha", "ben"), HasSubstr("grant q1 of domain site of user ben in "));
}

TEST_F(DomainGrantsTest, AGrantThatIsUsedUpAtOnceWarnsOfTheMembers) {
  Join({"alpha", "beta"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 1));
  RecalculateAt("site", Hour(1));
  const auto warnings = [this](const std::string& cluster, const std::string& amount) {
    const v1::ChangeResponse response =
        Grant(cluster, "q1", {{"Accounts", "a"}, {"Amount", amount}, {"Consequence", "block"}});
    return std::vector<std::string>(response.warnings().begin(), response.warnings().end());
  };
  EXPECT_THAT(warnings("site", "61"), IsEmpty());
  EXPECT_THAT(warnings("site", "60"),
              ElementsAre(HasSubstr("grant q1 is used up at once"),
                          HasSubstr("for the jobs of the 2 members of the domain")));
  RecalculateAt("alpha", Hour(1));
  EXPECT_THAT(warnings("alpha", "60"), ElementsAre(HasSubstr("grant q1 is used up at once")));
}

// --- At random ----------------------------------------------------------------------------

struct Recorded {
  std::string cluster;
  std::string id;
  std::string user;
  int64_t minutes = 0;  // CPU minutes.
  bool counts = true;
};

class DomainGrantsPropertyTest : public DomainGrantsTest,
                                 public ::testing::WithParamInterface<uint32_t> {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  void RecordAny() {
    const std::vector<std::string> users = {"amy", "ben", "cat"};
    Recorded one;
    one.cluster = Below(2) == 0 ? "alpha" : "beta";
    one.id = absl::StrCat("p", all_.size());
    one.user = users[Below(3)];
    const int64_t length = 1 + Below(60);
    const int64_t cpus = 1 + Below(4);
    one.minutes = length * cpus;
    v1::UsageRecord record = Usage(one.id, Hour(static_cast<double>(Below(10))),
                                   absl::Minutes(length), static_cast<double>(cpus));
    record.set_user(one.user);
    record.set_account(one.user == "cat" ? "b" : "a");
    if (Below(3) == 0 && !all_.empty()) {
      Recorded& before = all_[Below(static_cast<int64_t>(all_.size()))];
      if (before.counts && before.cluster == one.cluster) {
        record.set_replaces_record_id(before.id);
        before.counts = false;
      }
    }
    Record(one.cluster, record);
    all_.push_back(one);
  }

  int64_t UsedBy(const std::vector<std::string>& users) {
    int64_t used = 0;
    for (const Recorded& one : all_) {
      if (one.counts && std::count(users.begin(), users.end(), one.user) > 0) used += one.minutes;
    }
    return used;
  }

  void Expect(int64_t step) {
    RecalculateAllAt(Hour(20 + static_cast<double>(step)));
    const int64_t of_a = UsedBy({"amy", "ben"}), of_amy = UsedBy({"amy"});
    EXPECT_EQ(GrantOf("site", "a").balance().left_tres_seconds(), absl::StrCat((600 - of_a) * 60));
    EXPECT_EQ(GrantOf("site", "amy").balance().left_tres_seconds(),
              absl::StrCat((200 - of_amy) * 60));
    for (const char* member : {"alpha", "beta"}) {
      const bool holds_a = of_a >= 600, holds_amy = of_amy >= 200;
      EXPECT_EQ(ReasonIn(member, "amy").empty(), !holds_a && !holds_amy) << of_a << " " << of_amy;
      EXPECT_EQ(ReasonIn(member, "ben").empty(), !holds_a) << of_a;
      EXPECT_EQ(ReasonIn(member, "cat"), "");
    }
  }

  std::mt19937 random_{GetParam()};
  std::vector<Recorded> all_;
};

TEST_P(DomainGrantsPropertyTest, EachRecordOfEachMemberCountsOnce) {
  Grant("site", "a", {{"Accounts", "a"}, {"Amount", "600"}, {"Consequence", "block"}});
  Grant("site", "amy",
        {{"Accounts", "a"},
         {"User", "amy"},
         {"TRES", "cpu"},
         {"Amount", "200"},
         {"Consequence", "block"}});
  Join({"alpha", "beta"});
  for (int64_t step = 0; step < 6; ++step) {
    for (int64_t n = Below(6); n >= 0; --n) RecordAny();
    Expect(step);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DomainGrantsPropertyTest, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace priorityd::rpc
