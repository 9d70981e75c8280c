// The fair-share that a domain stores for its members, and when it gives them none.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/await.h"
#include "tests/server/service/domain_site.h"

namespace priorityd::rpc {
namespace {

class DomainFairShareTest : public DomainSite {
 protected:
  static v1::UsageRecord CatsUsage(const std::string& id, absl::Time start, double cpus) {
    v1::UsageRecord record = Usage(id, start, absl::Hours(1), cpus);
    record.set_user("cat");
    record.set_account("b");
    return record;
  }
};

TEST_F(DomainFairShareTest, AMemberWithoutAManualClockStandsStillInADomainWithOne) {
  Join({"alpha", "beta"});
  EXPECT_EQ(MemberOf("alpha").standstill(), v1::DOMAIN_STANDSTILL_NONE);
  v1::ApplyPolicyRequest request;
  request.set_cluster("beta");
  request.set_text("PriorityWeightFairshare=1000\n");
  ApplyPolicy(service_, request);
  v1::RecalculateRequest recalculate;
  recalculate.set_cluster("beta");
  Recalculate(service_, recalculate);
  EXPECT_EQ(MemberOf("alpha").standstill(), v1::DOMAIN_STANDSTILL_NONE);
  EXPECT_EQ(MemberOf("beta").standstill(), v1::DOMAIN_STANDSTILL_MANUAL_CLOCK);
}

TEST_F(DomainFairShareTest, NamesAreStoredAgainOnlyWhenTheTreeHasOthers) {
  Join({"alpha"});
  const char newest[] = "SELECT max(names_version)::text FROM priorityd.domain_share";
  RecalculateAllAt(Hour(1));
  const std::string first = Text(newest);
  EXPECT_NE(first, "");
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  RecalculateAllAt(Hour(2));
  EXPECT_EQ(Text(newest), first);
  AddUser("site", "b", "dan");
  RecalculateAllAt(Hour(3));
  EXPECT_NE(Text(newest), first);
  EXPECT_EQ(FairShareIn("alpha", "a", "amy"), FairShareIn("site", "a", "amy"));
  // Those that only deleted shares had are deleted.
  for (int hour = 4; hour < 16; ++hour) RecalculateAllAt(Hour(hour));
  EXPECT_EQ(Text("SELECT count(*)::text FROM priorityd.domain_share_names"), "1");
}

TEST_F(DomainFairShareTest, EachRowOfSharesHasItsNamesWhileAnOlderReplicaRuns) {
  Join({"alpha", "beta"});
  const char whole[] =
      "SELECT count(*)::text FROM priorityd.domain_share WHERE generation = (SELECT "
      "max(generation) FROM priorityd.domain_share) AND cardinality(accounts) > 0 AND "
      "cardinality(accounts) = cardinality(fair_shares) AND names_version IS NULL";
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(Text(whole), "0");
  Execute(
      "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
      "seen_at, known_migration) VALUES ('old', '', '', now(), false, 0, now(), 52)");
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  RecalculateAllAt(Hour(2));
  EXPECT_EQ(Text(whole), "1");
  EXPECT_EQ(FairShareIn("beta", "a", "amy"), FairShareIn("site", "a", "amy"));
  Execute("DELETE FROM priorityd.replica WHERE name = 'old'");
  Record("beta", CatsUsage("1", Hour(0), 30));
  RecalculateAllAt(Hour(3));
  EXPECT_EQ(Text(whole), "0");
  EXPECT_EQ(FairShareIn("alpha", "b", "cat"), FairShareIn("site", "b", "cat"));
}

// Another program may have written the newest shares.
TEST_F(DomainFairShareTest, AMemberReadsSharesWithNamesOfTheirOwn) {
  Join({"alpha"});
  Record("alpha", CatsUsage("1", Hour(0), 3));
  RecalculateAt("site", Hour(1));
  Execute(
      "INSERT INTO priorityd.domain_share (cluster_id, generation, accounts, user_names, "
      "fair_shares) SELECT cluster_id, max(generation) + 1, '{a,b}', '{amy,cat}', '{0.25,0.75}' "
      "FROM priorityd.domain_share GROUP BY cluster_id");
  RecalculateAt("alpha", Hour(1));
  EXPECT_EQ(FairShareIn("alpha", "a", "amy"), 0.25);
  EXPECT_EQ(FairShareIn("alpha", "b", "cat"), 0.75);
  EXPECT_EQ(FairShareIn("alpha", "a", "ben"), 0);
}

TEST_F(DomainFairShareTest, AnotherReplicaHasTheSameNumbersOfAMember) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 1.0 / 3));
  RecalculateAllAt(Hour(1));
  TestService replica({.database_url = service_.database_url(), .limits = {}});
  ASSERT_FALSE(SharesOf(replica, "alpha").shares().empty());
  for (const double hours : {1.5, 2.0, 2.5}) {
    if (hours == 2.0) AddUser("site", "b", "dan");  // Other names.
    RecalculateAllAt(Hour(hours));
    const v1::ListSharesResponse want = SharesOf("alpha");
    ASSERT_TRUE(Await([&] {
      return SharesOf(replica, "alpha").snapshot().generation() == want.snapshot().generation();
    }));
    const v1::ListSharesResponse got = SharesOf(replica, "alpha");
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(got, want))
        << got.DebugString() << "\nagainst\n"
        << want.DebugString();
  }
}

}  // namespace
}  // namespace priorityd::rpc
