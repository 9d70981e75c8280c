#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/usage/roll_up.h"
#include "tests/await.h"
#include "tests/server/service/domain_site.h"
#include "tests/storage/held_lock.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

class DomainsTest : public DomainSite {
 protected:
  void ExpectReason(const grpc::Status& status, const std::string& reason) {
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(DetailsOf(status).reason, reason) << status.error_message();
  }
  static v1::UsageRecord CatsUsage(const std::string& id, absl::Time start, double cpus) {
    v1::UsageRecord record = Usage(id, start, absl::Hours(1), cpus);
    record.set_user("cat");
    record.set_account("b");
    return record;
  }
};

TEST_F(DomainsTest, UsageOfEachMemberCountsOnceInTheDomain) {
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 4));
  Join({"alpha", "beta"});
  RecalculateAt("site", Hour(2));
  const double want = Naive({{Hour(0), Hour(1), 7}}, Hour(2));
  ExpectClose(UsageIn("site", "a", "amy"), want);
  RecalculateAt("site", Hour(2));
  ExpectClose(UsageIn("site", "a", "amy"), want);
  EXPECT_EQ(MemberOf("alpha").counted_records(), 1);
  EXPECT_EQ(MemberOf("beta").counted_records(), 1);
}

TEST_F(DomainsTest, UsageInOneMemberLowersThePlaceInTheOther) {
  Join({"alpha", "beta"});
  Record("beta", CatsUsage("own", Hour(0), 1));  // By its own usage amy would be first there.
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 50));
  RecalculateAllAt(Hour(2));
  EXPECT_LT(FairShareIn("beta", "a", "amy"), FairShareIn("beta", "b", "cat"));
  for (const char* member : {"alpha", "beta"}) {
    for (const auto& [account, user] : {std::pair("a", "amy"), {"a", "ben"}, {"b", "cat"}}) {
      EXPECT_EQ(FairShareIn(member, account, user), FairShareIn("site", account, user)) << member;
    }
  }
  // Its other numbers are of its own usage, with its own half-life.
  EXPECT_EQ(UsageIn("beta", "a", "amy"), 0);
}

TEST_F(DomainsTest, ATresHasItsPriceInTheDomain) {
  Join({"alpha"}, {{"cpu", 0.5}, {"gres/gpu", 8}});
  Join({"beta"}, {{"billing", 3}});
  v1::UsageRecord record = Usage("1", Hour(0), absl::Hours(1), 4);
  (*record.mutable_tres())["gres/gpu"] = 2;
  record.set_qos("double");  // Its UsageFactor counts in the domain too.
  Record("alpha", record);
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 4));
  RecalculateAt("site", Hour(1));
  const double alpha = 2 * (4 * 0.5 + 2 * 8);
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), alpha + 12}}, Hour(1)));
}

TEST_F(DomainsTest, APriceOfATresThatTheMemberLacksIsAWarning) {
  const v1::ChangeResponse response =
      Join({"alpha"}, {{"billing", 1}, {"cpu", 1}, {"energy", 1}, {"gres/gppu", 8}});
  ASSERT_EQ(response.warnings_size(), 1);
  EXPECT_THAT(response.warnings(0), HasSubstr("alpha does not have the TRES gres/gppu;"));
  v1::UsageRecord record = Usage("1", Hour(0), absl::Hours(1), 4);
  (*record.mutable_tres())["gres/gppu"] = 2;
  Record("alpha", record);
  EXPECT_EQ(Join({"alpha"}, {{"gres/gppu", 8}}).warnings_size(), 0);
}

TEST_F(DomainsTest, ACorrectionOrAVoidInAMemberCorrectsTheDomain) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  Record("alpha", CatsUsage("2", Hour(0), 5));
  RecalculateAt("site", Hour(1));
  v1::UsageRecord correction = Usage("1a", Hour(0), absl::Hours(1), 9);
  correction.set_replaces_record_id("1");
  Record("alpha", correction);
  v1::VoidUsageRequest request;
  request.set_cluster("alpha");
  request.mutable_filter()->add_users("cat");
  request.set_comment("wrong");
  const auto voided = Asked<v1::VoidUsageResponse>(request, nullptr);
  RecalculateAt("site", Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 9}}, Hour(1)));
  EXPECT_EQ(UsageIn("site", "b", "cat"), 0);
}

TEST_F(DomainsTest, ARecordThatTheDomainCannotChargeIsReportedAndSettledByJoiningAgain) {
  v1::CreateAssociationsRequest request;
  request.set_cluster("alpha");
  request.add_associations()->set_account("lab");
  auto* user = request.add_associations();
  user->set_account("lab");
  user->set_user("dan");
  Asked<v1::ChangeResponse>(request, nullptr);
  v1::UsageRecord record = Usage("1\n", Hour(0), absl::Hours(1), 3);
  record.set_account("lab");
  record.set_user("dan");
  Record("alpha", record);
  EXPECT_THAT(Join({"alpha"}).warnings(0), HasSubstr("lab lab/dan"));
  RecalculateAt("site", Hour(1));
  EXPECT_EQ(MemberOf("alpha").refused_records(), 1);
  EXPECT_THAT(MemberOf("alpha").refused_why(), HasSubstr("record 1\\n: "));
  EXPECT_THAT(MemberOf("alpha").refused_why(), HasSubstr("got \"lab\", want an account"));
  EXPECT_EQ(MemberOf("alpha").missing_associations(), 2);
  RecalculateAt("alpha", Hour(1));
  EXPECT_EQ(FairShareIn("alpha", "lab", "dan"), 0);

  // The account suffices: a user that the domain lacks is charged to it.
  request.set_cluster("site");
  request.mutable_associations()->RemoveLast();
  Asked<v1::ChangeResponse>(request, nullptr);
  Join({"alpha"});
  RecalculateAt("site", Hour(1));
  EXPECT_EQ(MemberOf("alpha").refused_records(), 0);
  ExpectClose(UsageIn("site", "lab"), Naive({{Hour(0), Hour(1), 3}}, Hour(1)));
}

TEST_F(DomainsTest, AfterLeavingPastUsageStaysAndTheOwnFairShareReturns) {
  const double own = FairShareIn("beta", "a", "amy");
  Join({"alpha", "beta"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  RecalculateAllAt(Hour(1));
  EXPECT_NE(FairShareIn("beta", "a", "amy"), own);
  Leave("alpha");
  Leave("beta");
  Record("alpha", Usage("2", Hour(0), absl::Hours(1), 3));
  RecalculateAllAt(Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 3}}, Hour(1)));
  EXPECT_EQ(FairShareIn("beta", "a", "amy"), own);
  // It joins again: what it recorded meanwhile counts.
  Join({"alpha"});
  RecalculateAllAt(Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 6}}, Hour(1)));
}

// ben is another user in the member.
TEST_F(DomainsTest, UsersMergedInTheDomainHaveOneFairShareInAMember) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 50));
  RecalculateAllAt(Hour(2));
  EXPECT_LT(FairShareIn("alpha", "a", "amy"), FairShareIn("alpha", "a", "ben"));
  v1::MergeUsersRequest merge;
  merge.set_cluster("site");
  merge.set_from_user("ben");
  merge.set_into_user("amy");
  Asked<v1::ChangeResponse>(merge, nullptr);
  RecalculateAllAt(Hour(3));
  for (const char* user : {"amy", "ben"}) {
    EXPECT_EQ(FairShareIn("alpha", "a", user), FairShareIn("site", "a", "amy")) << user;
  }
  v1::UnmergeUsersRequest part;
  part.set_cluster("site");
  part.set_from_user("ben");
  Asked<v1::ChangeResponse>(part, nullptr);
  RecalculateAllAt(Hour(4));
  EXPECT_LT(FairShareIn("alpha", "a", "amy"), FairShareIn("alpha", "a", "ben"));
}

TEST_F(DomainsTest, AMemberThatCannotBeSettledDelaysNoOther) {
  Join({"alpha", "beta"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 4));
  Execute(
      "DO $$ BEGIN EXECUTE (SELECT 'ALTER TABLE priorityd.domain_member ADD CONSTRAINT "
      "none_of_alpha CHECK (counted = 0 OR cluster_id <> ' || id || ')' FROM priorityd.cluster "
      "WHERE name = 'alpha'); END $$");
  RecalculateAt("site", Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 4}}, Hour(1)));
  Execute("ALTER TABLE priorityd.domain_member DROP CONSTRAINT none_of_alpha");
  RecalculateAt("site", Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 7}}, Hour(1)));
}

TEST_F(DomainsTest, AMembershipThatIsLockedDelaysNoOther) {
  Join({"alpha", "beta"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 4));
  storage::HeldLock lock(service_.database_url(),
                         "SELECT FROM priorityd.domain_member WHERE cluster_id = "
                         "(SELECT id FROM priorityd.cluster WHERE name = 'alpha') FOR UPDATE");
  RecalculateAt("site", Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 4}}, Hour(1)));
  lock.Release();
  RecalculateAt("site", Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 7}}, Hour(1)));
}

TEST_F(DomainsTest, OthersAreSettledBeforeAMemberWhoseLedgerIsLocked) {
  Join({"alpha", "beta"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 4));
  storage::HeldLock lock(service_.database_url(),
                         "SELECT pg_advisory_xact_lock(7412, id) FROM priorityd.cluster "
                         "WHERE name = 'alpha'");
  std::thread caller([&] { RecalculateAt("site", Hour(1)); });
  lock.AwaitWaiters();
  EXPECT_TRUE(Await([&] { return MemberOf("beta").counted_records() == 1; }));
  EXPECT_EQ(MemberOf("alpha").counted_records(), 0);
  lock.Release();
  caller.join();
  RecalculateAt("site", Hour(1));  // The one before may have waited too long for the lock.
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 7}}, Hour(1)));
}

TEST_F(DomainsTest, ADomainIsDeletedOnlyOnceItsLastMemberIsRecalculated) {
  v1::DeleteClusterRequest deletion;
  deletion.set_name("site");
  const auto delete_site = [&](grpc::Status* status) {
    Asked<v1::DeleteClusterResponse>(deletion, status);
  };
  Join({"alpha"});
  RecalculateAllAt(Hour(1));
  Leave("alpha");
  grpc::Status status;
  delete_site(&status);
  ExpectReason(status, "IN_DOMAIN");
  RecalculateAt("alpha", Hour(1));
  delete_site(nullptr);
}

// As a cluster that has moved to another cell and back: its records are the same, its id is not.
TEST_F(DomainsTest, AClusterWhoseRecordsCountUnderAnotherIdJoinsOnceTheyAreVoided) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  RecalculateAllAt(Hour(1));
  const std::string source = Text(
      "SELECT source FROM priorityd.usage_record WHERE cluster_id = "
      "(SELECT id FROM priorityd.cluster WHERE name = 'site')");
  Leave("alpha");
  RecalculateAt("alpha", Hour(1));
  v1::DeleteClusterRequest deletion;
  deletion.set_name("alpha");
  Asked<v1::DeleteClusterResponse>(deletion, nullptr);
  ImportCluster("alpha", "PriorityDecayHalfLife=5:0:0\n");
  RecalculateAt("alpha", Hour(1));
  Record("alpha", Usage("2", Hour(0), absl::Hours(1), 5));
  Join({"alpha"});  // Another cluster of that name.
  RecalculateAllAt(Hour(1));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 8}}, Hour(1)));
  Leave("alpha");
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  grpc::Status status;
  Join({"alpha"}, {}, &status);
  ExpectReason(status, "COUNTED_ALREADY");
  EXPECT_THAT(status.error_message(), HasSubstr(absl::StrCat("--source '", source, "'")));
  v1::VoidUsageRequest request;
  request.set_cluster("site");
  request.mutable_filter()->add_sources(source);
  request.set_comment("it has another id");
  Asked<v1::VoidUsageResponse>(request, nullptr);
  Join({"alpha"});
  RecalculateAllAt(Hour(2));
  ExpectClose(UsageIn("site", "a", "amy"), Naive({{Hour(0), Hour(1), 8}}, Hour(2)));
}

TEST_F(DomainsTest, AnExplanationNamesTheDomain) {
  Join({"alpha"});
  RecalculateAllAt(Hour(1));
  v1::ExplainPriorityRequest request;
  request.set_cluster("alpha");
  request.set_job_id("7");
  v1::Job* job = request.mutable_jobs()->add_jobs();
  job->set_job_id("7");
  job->set_user("amy");
  job->set_account("a");
  job->set_cpus(1);
  const v1::ExplainPriorityResponse response = ExplainPriority(service_, request);
  EXPECT_THAT(response.DebugString(), HasSubstr("in the usage domain site is"));
  EXPECT_EQ(response.fair_share_path_size(), 0);
}

TEST_F(DomainsTest, WhatCannotJoinOrLeaveIsRefused) {
  grpc::Status status;
  Join({"site"}, {}, &status);
  ExpectReason(status, "DOMAIN_NESTED");
  Join({"nothing"}, {}, &status);
  ExpectReason(status, "UNKNOWN_CLUSTER");
  Leave("alpha", &status);
  ExpectReason(status, "NOT_A_MEMBER");
  Join({"alpha"}, {{"cpu", -1}}, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "prices[\"cpu\"]");
  Join({"alpha"}, {{"gres/a|b", 1}}, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "prices[\"gres/a|b\"]");
  v1::UpdateDomainRequest many;
  many.set_cluster("site");
  for (int i = 0; i < 100; ++i) many.add_join(absl::StrCat("c", i));
  Update(many, &status);
  ExpectReason(status, "UNKNOWN_CLUSTER");
  many.add_join("c100");
  Update(many, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "join");
  Join({"alpha"});
  v1::UpdateDomainRequest request;
  request.set_cluster("beta");
  request.add_join("alpha");
  Update(request, &status);
  ExpectReason(status, "OTHER_DOMAIN");
  request.set_join(0, "site");
  Update(request, &status);
  ExpectReason(status, "DOMAIN_NESTED");
  request.set_cluster("alpha");
  request.set_join(0, "beta");
  Update(request, &status);
  ExpectReason(status, "DOMAIN_NESTED");
  for (const char* name : {"site", "alpha"}) {
    v1::DeleteClusterRequest deletion;
    deletion.set_name(name);
    Asked<v1::DeleteClusterResponse>(deletion, &status);
    ExpectReason(status, "IN_DOMAIN");
  }
}

TEST_F(DomainsTest, TheHorizonOfAMemberWaitsUntilItsRecordsAreSettled) {
  v1::ApplyPolicyRequest policy;
  policy.set_cluster("alpha");
  policy.set_text("Clock=manual\nTimeZone=UTC\nPurgeJobAfter=48hours\n");
  ApplyPolicy(service_, policy);
  Join({"alpha"});
  RecalculateAllAt(Hour(100));
  Record("alpha", Usage("1", Hour(1), absl::Hours(1), 1));
  const auto roll_up = [&] {
    return usage::RollUp(service_.database(), {.cluster = "alpha"}, [] { return true; })->records;
  };
  EXPECT_EQ(roll_up(), 0);
  RecalculateAt("site", Hour(100));
  EXPECT_EQ(roll_up(), 1);
  EXPECT_EQ(MemberOf("alpha").counted_records(), 1);
}

}  // namespace
}  // namespace priorityd::rpc
