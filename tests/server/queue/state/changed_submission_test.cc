// Changes of jobs in the queue that the site's rules refuse.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/submission.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

using priority::LimitKind;
using priority::PartLimits;

class ChangedJobTest : public QueueUpdateTest {
 protected:
  ChangedJobTest() {
    site_.source.policy.enforce = {.given = true, .associations = true, .qos = true};
    site_.source.policy.enforce_part_limits = PartLimits::kNo;
    site_.association("physics", "ann").qos = {{"normal"}};
    site_.partition("fast").open = false;
    Start();
    Upsert(Pending("1"));
  }

  TrackedJob Told() const {
    TrackedJob told = Pending("1");
    told.job.nice = 7;
    return told;
  }
  // It stays whole as it was.
  void ExpectRefused(const TrackedJob& told, const std::string& field, absl::string_view reason) {
    const std::string before = PackJob(*queue_->Find("1"));
    const UpdateResult refused = Change(told, {"nice", field});
    EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
    EXPECT_EQ(refused.reason, reason);
    EXPECT_EQ(PackJob(*queue_->Find("1")), before);
    TrackedJob whole = told;
    whole.source = "test";
    EXPECT_EQ(Upsert(whole).reason, reason);
    EXPECT_EQ(PackJob(*queue_->Find("1")), before);
  }
};

TEST_F(ChangedJobTest, IsRefusedWhereItsUserHasNoAssociation) {
  TrackedJob told = Told();
  told.job.account = "chemistry";
  ExpectRefused(told, "account", "InvalidAccount");
  const UpdateResult refused = Change(told, {"account"});
  EXPECT_EQ(refused.field, "account");
  EXPECT_TRUE(absl::StartsWith(refused.message,
                               "Invalid account or account/partition combination specified: "))
      << refused.message;
  told.job.account = "physics";
  told.job.user = "cat";
  ExpectRefused(told, "user", "InvalidAccount");
}

TEST_F(ChangedJobTest, IsRefusedForAQosThatItMayNotHave) {
  TrackedJob told = Told();
  told.job.qos = {"high"};
  ExpectRefused(told, "qos", "InvalidQOS");
  EXPECT_EQ(Change(told, {"qos"}).field, "qos");
}

TEST_F(ChangedJobTest, IsRefusedByAPartitionThatIsNotThereOrTakesNoJobs) {
  TrackedJob told = Told();
  told.job.partitions = {"nowhere"};
  ExpectRefused(told, "partitions", "InvalidPartition");
  EXPECT_EQ(Change(told, {"partitions"}).field, "partitions");
  told.job.partitions = {"fast"};
  ExpectRefused(told, "partitions", "PartitionInactive");
}

TEST_F(ChangedJobTest, IsNotRefusedForWhatItHadAlready) {
  site_.partition("fast").open = true;
  Start();
  TrackedJob job = Pending("1");
  job.job.partitions = {"fast"};
  Upsert(job);
  // Both go by: the partition closes, and ann loses the association.
  site_.partition("fast").open = false;
  site_.association("physics", "ann").user = "eve";
  queue_->SetSnapshot(site_.Build());
  EXPECT_EQ(Change(Told(), {"nice"}).outcome, UpdateOutcome::kUpserted);
  TrackedJob whole = job;
  whole.job.nice = 9;
  EXPECT_EQ(Upsert(whole).outcome, UpdateOutcome::kUpserted);
}

TEST_F(ChangedJobTest, IsTakenWhereNothingIsEnforcedAndWhereItRuns) {
  TrackedJob told = Told();
  told.job.account = "chemistry";
  told.job.state = priority::JobState::kRunning;
  EXPECT_EQ(Change(told, {"account", "state"}).outcome, UpdateOutcome::kUpserted);
  site_.source.policy.enforce = {};
  Start();
  Upsert(Pending("1"));
  told.job.state = priority::JobState::kPending;
  EXPECT_EQ(Change(told, {"account"}).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Reasons()["1"], "InvalidAccount");
}

TEST_F(ChangedJobTest, IsRefusedByDenyOnLimitOfItsNewQos) {
  site_.association("physics", "ann").qos = {{"normal", "high"}};
  site_.qos("high").deny_on_limit = true;
  site_.qos("high").other_limits = {{LimitKind::kMaxTres, "node", 2}};
  Start();
  TrackedJob job = Pending("1");
  job.job.nodes = 3;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUpserted);
  TrackedJob told = Told();
  told.job.qos = {"high"};
  EXPECT_EQ(Change(told, {"qos"}).reason, "QOSMaxNodePerJobLimit");
  told.job.nodes = 2;
  EXPECT_EQ(Change(told, {"qos", "nodes"}).outcome, UpdateOutcome::kUpserted);
}

}  // namespace
}  // namespace priorityd::queue
