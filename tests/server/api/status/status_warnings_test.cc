#include "server/api/status/status_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StatusWarningsTest : public testing::Test {
 protected:
  StatusWarningsTest() {
    facts_.is_authenticated = true;
    status_.set_version("2");
    status_.set_address("here:7411");
    status_.set_leader(true);
    status_.set_clock_agrees(true);
    status_.mutable_database()->set_connections(30);
    status_.mutable_memory()->set_budget_bytes(1000);
    v1::ClusterStatus* cluster = status_.add_clusters();
    cluster->set_cluster("c");
    cluster->set_generation(1);
    cluster->mutable_period()->set_seconds(300);
    v1::ReplicaStatus* own = status_.add_replicas();
    own->set_answers(true);
    own->set_leader(true);
    own->set_version("2");
    v1::ReplicaStatus* other = status_.add_replicas();
    other->set_address("there:7411");
    other->set_version("2");
  }

  // Those that need action have a `!`.
  std::vector<std::string> Reasons() {
    status_.clear_warnings();
    AddWarnings(facts_, &status_);
    std::vector<std::string> reasons;
    for (const v1::StatusWarning& warning : status_.warnings()) {
      reasons.push_back((warning.needs_action() ? "!" : "") + warning.reason());
      EXPECT_EQ(warning.text().back(), '.') << warning.text();
    }
    return reasons;
  }

  StatusFacts facts_;
  v1::GetStatusResponse status_;
};

TEST_F(StatusWarningsTest, NothingIsToldWhereAllIsWell) { EXPECT_THAT(Reasons(), IsEmpty()); }

TEST_F(StatusWarningsTest, ADatabaseThatDoesNotAnswerIsToldOnceWithWhatItSaid) {
  facts_.is_database_unreachable = true;
  status_.set_leader(false);
  status_.mutable_database()->mutable_answered_before()->set_seconds(42);
  status_.mutable_database()->set_last_error("database: unavailable");
  status_.mutable_replicas(1)->mutable_unseen_for()->set_seconds(42);
  EXPECT_THAT(Reasons(), ElementsAre("!DATABASE_UNREACHABLE"));
  EXPECT_THAT(status_.warnings(0).text(),
              HasSubstr("not answered for 42s (database: unavailable): rankings continue"));
  facts_.stale_for = facts_.max_staleness + absl::Seconds(1);
  EXPECT_THAT(Reasons(), ElementsAre("!DATABASE_UNREACHABLE", "!SNAPSHOT_STALE"));
}

TEST_F(StatusWarningsTest, ALeaderIsWantedAndOneThatVanishedIsNone) {
  status_.set_leader(false);
  EXPECT_THAT(Reasons(), ElementsAre("!NO_LEADER"));
  status_.mutable_replicas(1)->set_leader(true);
  EXPECT_THAT(Reasons(), IsEmpty());
  status_.mutable_replicas(1)->mutable_unseen_for()->set_seconds(21);
  EXPECT_THAT(Reasons(), ElementsAre("!NO_LEADER", "!REPLICA_GONE"));
  EXPECT_THAT(status_.warnings(1).text(), HasSubstr("there:7411"));
}

TEST_F(StatusWarningsTest, AClockThatIsOffIsTold) {
  status_.set_clock_agrees(false);
  status_.mutable_clock_ahead()->set_seconds(-599);
  EXPECT_THAT(Reasons(), ElementsAre("!CLOCK_OFF"));
  EXPECT_THAT(status_.warnings(0).text(), HasSubstr("-9m59s ahead"));
}

TEST_F(StatusWarningsTest, ARecalculationIsLateAfterItsPeriodAndAMinute) {
  v1::ClusterStatus* cluster = status_.mutable_clusters(0);
  cluster->mutable_late_by()->set_seconds(300);
  EXPECT_THAT(Reasons(), IsEmpty());
  cluster->mutable_late_by()->set_seconds(301);
  EXPECT_THAT(Reasons(), ElementsAre("!RECALCULATION_LATE"));
  cluster->mutable_period()->set_seconds(10);
  cluster->mutable_late_by()->set_seconds(60);
  EXPECT_THAT(Reasons(), IsEmpty());
}

TEST_F(StatusWarningsTest, ASnapshotOfTheFutureNeedsActionBeyondTheOffsetOfClocks) {
  status_.mutable_clusters(0)->mutable_ahead_by()->set_seconds(10);
  EXPECT_THAT(Reasons(), IsEmpty());
  status_.mutable_clusters(0)->mutable_ahead_by()->set_seconds(11);
  EXPECT_THAT(Reasons(), ElementsAre("!SNAPSHOT_IN_FUTURE"));
  EXPECT_THAT(status_.warnings(0).text(), HasSubstr("--cluster=c recalculate --forget-future"));
}

TEST_F(StatusWarningsTest, ACommitThatHangsIsTold) {
  status_.mutable_ingest()->mutable_committing_for()->set_seconds(31);
  EXPECT_THAT(Reasons(), ElementsAre("!RECORDING_STALLED"));
}

TEST_F(StatusWarningsTest, WhatCanWaitComesLastAndNeedsNoAction) {
  status_.mutable_ingest()->mutable_committing_for()->set_seconds(31);
  status_.mutable_replicas(1)->set_version("1");
  status_.mutable_database()->set_waiting(3);
  status_.mutable_memory()->set_request_bytes(950);
  status_.mutable_clusters(0)->set_generation(0);
  facts_.is_authenticated = false;
  facts_.is_grpc_exposed = true;
  facts_.deferred_migrations = {"0019_cluster_keys_only"};
  EXPECT_THAT(Reasons(), ElementsAre("!RECORDING_STALLED", "REPLICA_VERSION", "CONNECTIONS_IN_USE",
                                     "MEMORY_BUDGET", "NO_SNAPSHOT", "NO_AUTHENTICATION",
                                     "GRPC_EXPOSED", "CONTRACT_DEFERRED"));
  status_.clear_clusters();
  facts_ = {.is_authenticated = true};
  status_.mutable_ingest()->Clear();
  status_.mutable_replicas(1)->set_version("2");
  status_.mutable_database()->set_waiting(0);
  status_.mutable_memory()->set_request_bytes(0);
  EXPECT_THAT(Reasons(), ElementsAre("NO_CLUSTER"));
}

}  // namespace
}  // namespace priorityd::rpc
