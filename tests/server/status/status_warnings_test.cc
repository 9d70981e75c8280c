#include "server/status/status_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::status {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StatusWarningsTest : public testing::Test {
 protected:
  StatusWarningsTest() {
    facts_.is_authenticated = true;
    facts_.version = "2";
    facts_.address = "here:7411";
    facts_.leads = true;
    facts_.database.connections = 30;
    facts_.memory_budget = 1000;
    facts_.clusters = {{.name = "c", .generation = 1, .period = absl::Minutes(5)}};
    facts_.replicas = {{.version = "2", .leads = true, .answers = true},
                       {.address = "there:7411", .version = "2"}};
  }

  // Those that need action have a `!`.
  std::vector<std::string> Reasons() {
    warnings_ = WarningsOf(facts_);
    std::vector<std::string> reasons;
    for (const StatusWarning& warning : warnings_) {
      reasons.push_back((warning.needs_action ? "!" : "") + warning.reason);
      EXPECT_EQ(warning.text.back(), '.') << warning.text;
    }
    return reasons;
  }

  StatusFacts facts_;
  std::vector<StatusWarning> warnings_;
};

TEST_F(StatusWarningsTest, ThereIsNoWarningIfAllIsWell) { EXPECT_THAT(Reasons(), IsEmpty()); }

TEST_F(StatusWarningsTest, ADomainThatStandsStillIsNamedWithItsMembers) {
  const absl::Duration period = absl::Minutes(5);
  facts_.clusters = {{.name = "d", .generation = 1, .period = period},
                     {.name = "m", .generation = 1, .period = period},
                     {.name = "manual", .generation = 1}};
  facts_.members = {{.domain = "d", .name = "m"}, {.domain = "d", .name = "manual"}};
  EXPECT_THAT(Reasons(), ElementsAre());
  facts_.clusters[0].late_by = 2 * period;
  EXPECT_THAT(Reasons(), ElementsAre("!RECALCULATION_LATE"));
  facts_.clusters[0].late_by += absl::Seconds(1);
  EXPECT_THAT(Reasons(), ElementsAre("!RECALCULATION_LATE", "!DOMAIN_STANDS_STILL"));
  EXPECT_THAT(warnings_[1].text, HasSubstr("The usage domain d should have been recalculated 10m1s "
                                           "ago: its members m keep"));
  facts_.clusters[0] = {.name = "d", .generation = 1};
  EXPECT_THAT(Reasons(), ElementsAre("DOMAIN_STANDS_STILL"));
  EXPECT_THAT(warnings_[0].text, HasSubstr("d is on a manual clock: its members m keep"));
  // Nobody expects news of a domain whose members are on a manual clock too.
  facts_.members.erase(facts_.members.begin());
  EXPECT_THAT(Reasons(), ElementsAre());
}

TEST_F(StatusWarningsTest, ASilentMemberOfADomainIsNamedAsAreRefusedRecords) {
  facts_.members = {{.domain = "d", .name = "m", .silent_for = kMemberSilent}};
  EXPECT_THAT(Reasons(), IsEmpty());
  facts_.members[0].silent_for += absl::Seconds(1);
  EXPECT_THAT(Reasons(), ElementsAre("DOMAIN_MEMBER_SILENT"));
  EXPECT_THAT(warnings_[0].text, HasSubstr("cluster m, a member of the usage domain d"));
  facts_.members[0] = {.domain = "d", .name = "m", .refused = 3};
  EXPECT_THAT(Reasons(), ElementsAre("!DOMAIN_RECORDS_REFUSED"));
  EXPECT_THAT(warnings_[0].text, HasSubstr("refused 3 records of its member m"));
}

TEST_F(StatusWarningsTest, ADatabaseThatDoesNotAnswerIsReportedOnceWithItsError) {
  facts_.database.is_unreachable = true;
  facts_.leads = false;
  facts_.database.answered_before = absl::Seconds(42);
  facts_.database.last_error = "database: unavailable";
  facts_.replicas[1].unseen_for = absl::Seconds(42);
  EXPECT_THAT(Reasons(), ElementsAre("!DATABASE_UNREACHABLE"));
  EXPECT_THAT(warnings_[0].text,
              HasSubstr("not answered for 42s (database: unavailable): rankings continue"));
  facts_.stale_for = facts_.max_staleness + absl::Seconds(1);
  EXPECT_THAT(Reasons(), ElementsAre("!DATABASE_UNREACHABLE", "!SNAPSHOT_STALE"));
}

TEST_F(StatusWarningsTest, ALeaderIsWantedAndOneThatVanishedIsNone) {
  facts_.leads = false;
  EXPECT_THAT(Reasons(), ElementsAre("!NO_LEADER"));
  facts_.replicas[1].leads = true;
  EXPECT_THAT(Reasons(), IsEmpty());
  facts_.replicas[1].unseen_for = absl::Seconds(21);
  EXPECT_THAT(Reasons(), ElementsAre("!NO_LEADER", "!REPLICA_GONE"));
  EXPECT_THAT(warnings_[1].text, HasSubstr("there:7411"));
}

TEST_F(StatusWarningsTest, AClockThatIsOffIsReported) {
  facts_.clock_agrees = false;
  facts_.clock_ahead = -absl::Seconds(599);
  EXPECT_THAT(Reasons(), ElementsAre("!CLOCK_OFF"));
  EXPECT_THAT(warnings_[0].text, HasSubstr("-9m59s ahead"));
}

TEST_F(StatusWarningsTest, ARecalculationIsLateAfterItsPeriodAndAMinute) {
  StatusFacts::Cluster& cluster = facts_.clusters[0];
  cluster.late_by = absl::Seconds(300);
  EXPECT_THAT(Reasons(), IsEmpty());
  cluster.late_by = absl::Seconds(301);
  EXPECT_THAT(Reasons(), ElementsAre("!RECALCULATION_LATE"));
  cluster.period = absl::Seconds(10);
  cluster.late_by = absl::Seconds(60);
  EXPECT_THAT(Reasons(), IsEmpty());
}

TEST_F(StatusWarningsTest, ASnapshotOfTheFutureNeedsActionBeyondTheOffsetOfClocks) {
  facts_.clusters[0].ahead_by = absl::Seconds(10);
  EXPECT_THAT(Reasons(), IsEmpty());
  facts_.clusters[0].ahead_by = absl::Seconds(11);
  EXPECT_THAT(Reasons(), ElementsAre("!SNAPSHOT_IN_FUTURE"));
  EXPECT_THAT(warnings_[0].text, HasSubstr("--cluster=c recalculate --forget-future"));
}

TEST_F(StatusWarningsTest, ACommitThatHangsIsReported) {
  facts_.committing_for = absl::Seconds(31);
  EXPECT_THAT(Reasons(), ElementsAre("!RECORDING_STALLED"));
}

TEST_F(StatusWarningsTest, WhatCanWaitComesLastAndNeedsNoAction) {
  facts_.committing_for = absl::Seconds(31);
  facts_.replicas[1].version = "1";
  facts_.database.waiting = 3;
  facts_.request_bytes = 950;
  facts_.clusters[0].generation = 0;
  facts_.is_authenticated = false;
  facts_.is_grpc_exposed = true;
  facts_.deferred_migrations = {"0019_cluster_keys_only"};
  EXPECT_THAT(Reasons(), ElementsAre("!RECORDING_STALLED", "REPLICA_VERSION", "CONNECTIONS_IN_USE",
                                     "MEMORY_BUDGET", "NO_SNAPSHOT", "NO_AUTHENTICATION",
                                     "GRPC_EXPOSED", "CONTRACT_DEFERRED"));
  facts_ = {
      .leads = true, .replicas = {{.leads = true, .answers = true}}, .is_authenticated = true};
  EXPECT_THAT(Reasons(), ElementsAre("NO_CLUSTER"));
}

}  // namespace
}  // namespace priorityd::status
