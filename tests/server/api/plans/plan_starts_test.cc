// PlanStarts through the whole service: Palmetto's page by a real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/messages/convert_time.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/palmetto_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using palmetto::At;
using palmetto::Described;
using palmetto::Runs;
using palmetto::Waits;
using testing::ElementsAre;
using testing::HasSubstr;

class PlanStartsTest : public testing::Test {
 protected:
  PlanStartsTest() {
    Import(service_, palmetto::Site());
    service_.SetNow(At(10, 20));
  }

  void Track(const std::vector<v1::Job>& jobs) {
    const v1::UpdateJobsResponse response = UpdateJobs(service_, Upserts(jobs));
    for (const auto& result : response.upserts()) {
      EXPECT_EQ(result.outcome(), v1::UPDATE_OUTCOME_UPSERTED) << result.DebugString();
    }
    request_.mutable_tracked();
  }

  void Place(const std::string& job, const std::vector<std::string>& nodes) {
    v1::JobPlacement& placement = *request_.add_placements();
    placement.set_job_id(job);
    for (const std::string& node : nodes) placement.add_nodes(node);
  }

  v1::PlanStartsResponse Plan(grpc::Status* status = nullptr) {
    v1::PlanStartsResponse response;
    const grpc::Status done = CallUnary(service_, request_, &response);
    if (status != nullptr)
      *status = done;
    else
      EXPECT_TRUE(done.ok()) << done.error_message();
    return response;
  }

  // `5 11:00 A` of jobs that wait, `8 now A` of those that may start.
  std::vector<std::string> Lines(const v1::PlanStartsResponse& response) {
    std::vector<std::string> lines;
    for (const v1::PlannedStart& start : response.starts()) {
      std::string when = "never";
      if (start.has_expected_start()) {
        when = absl::FormatTime("%H:%M", ToTime(start.expected_start()), absl::UTCTimeZone());
      }
      lines.push_back(absl::StrCat(start.job_id(), " ", start.starts_now() ? "now" : when, " ",
                                   absl::StrJoin(start.nodes(), ","),
                                   start.reason().empty() ? "" : " ", start.reason()));
    }
    return lines;
  }

  // "Example of Backfill Scheduling": two nodes of two CPUs; at 10:20 jobs 2, 3 and 4 run.
  void TrackEightJobs() {
    *request_.mutable_description() =
        Described("node_types { name: 'n' hosts: 'A,B' tres { key: 'cpu' value: 2 } }");
    Track({Runs("2", At(9, 30), 1, 120), Runs("3", At(9, 45), 1, 60), Runs("4", At(10, 0), 1, 60),
           Waits("5", At(10, 10), 2, 90), Waits("6", At(10, 12), 1, 75),
           Waits("7", At(10, 13), 2, 60), Waits("8", At(10, 20), 1, 30)});
    Place("2", {"B"});
    Place("3", {"B"});
    Place("4", {"A"});
  }

  TestService service_;
  v1::PlanStartsRequest request_;
};

// sacctmgr(1): under NoReserve, and below MinPrioThresh, no start is planned. So job 5 holds
// nothing up: 6, next in the order, may take the CPU of A that is free, and none is left for 8.
TEST_F(PlanStartsTest, AQosThatDoesNotReserveGetsNoPlannedStart) {
  v1::ImportRequest qos;
  for (const char* table : {"Name|Flags|MinPrioThresh\nnormal|NoReserve|\n",
                            "Name|Flags|MinPrioThresh\nnormal||4294967000\n"}) {
    qos.clear_files();
    AddFile(v1::FILE_KIND_QOS, "qos.txt", table, &qos);
    Import(service_, qos);
    Recalculate(service_);
    request_.Clear();
    TrackEightJobs();
    EXPECT_THAT(Lines(Plan()), ElementsAre("5 never  Resources", "6 now A", "7 never  Resources",
                                           "8 never  Resources"));
    v1::UpdateJobsRequest none;
    for (const char* id : {"2", "3", "4", "5", "6", "7", "8"}) none.add_removals(id);
    UpdateJobs(service_, none);
  }
}

TEST_F(PlanStartsTest, WhatStartsNowMayStartTogetherUnderTheLimits) {
  v1::ImportRequest qos;
  AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|GrpJobs\nnormal|2\n", &qos);
  Import(service_, qos);
  Recalculate(service_);
  *request_.mutable_description() =
      Described("node_types { name: 'n' nodes: 1 tres { key: 'cpu' value: 10 } }");
  Track({Waits("1", At(9, 0), 1, 60), Waits("2", At(9, 1), 1, 60), Waits("3", At(9, 2), 1, 60)});
  const v1::PlanStartsResponse response = Plan();
  EXPECT_THAT(Lines(response), ElementsAre("1 now n-0", "2 now n-0", "3 never  QOSGrpJobsLimit"));
  EXPECT_THAT(response.starts(2).message(),
              HasSubstr("QOS normal may run 2 jobs (GrpJobs=2): 2 run"));
}

// The page: job 5 is planned, 8 "is backfilled into a time-slot on Node A" and ends "before Job 5
// is planned to start"; jobs 6 and 7 are planned behind it.
TEST_F(PlanStartsTest, PalmettosBackfillExampleComesOutOfTheTrackedQueue) {
  TrackEightJobs();
  for (const v1::Backfill backfill : {v1::BACKFILL_EASY, v1::BACKFILL_CONSERVATIVE}) {
    request_.set_backfill(backfill);
    const v1::PlanStartsResponse response = Plan();
    EXPECT_THAT(Lines(response), ElementsAre("5 11:00 A Resources", "6 10:45 B Priority",
                                             "7 12:00 B Resources", "8 now A"));
    EXPECT_TRUE(response.starts(0).reserved());
    EXPECT_EQ(response.starts(1).reserved(), backfill == v1::BACKFILL_CONSERVATIVE);
    EXPECT_TRUE(response.starts(3).backfilled());
    EXPECT_EQ(response.starts(3).rank(), 4u);
  }
}

TEST_F(PlanStartsTest, TheReasonIsReportedWithTheJobsThatItWaitsFor) {
  TrackEightJobs();
  const v1::PlanStartsResponse response = Plan();
  EXPECT_EQ(response.starts(0).behind_job_id(), "4");
  EXPECT_EQ(response.starts(0).message(),
            "It needs 1 node of 2 cpu, and not enough are free; it is expected to start at "
            "2026-01-05T11:00:00+00:00, when job 4 ends.");
  EXPECT_EQ(response.starts(1).behind_job_id(), "5");
  EXPECT_THAT(response.starts(1).message(), HasSubstr("job 5 before it would have to wait longer"));
  EXPECT_EQ(response.starts(3).message(), "It may start now on A.");
}

// "Example of Main Scheduling": four nodes of one CPU, three of them busy; jobs for two, one and
// one nodes with priorities 5000, 3000 and 2000. Nobody starts.
TEST_F(PlanStartsTest, PalmettosMainSchedulingExampleStartsNothing) {
  *request_.mutable_description() =
      Described("node_types { name: 'n' nodes: 4 tres { key: 'cpu' value: 1 } }");
  v1::Job busy = Runs("busy", At(10, 0), 3, 60);
  busy.set_nodes(3);
  std::vector<v1::Job> jobs = {busy};
  for (const auto& [id, priority] : {std::pair("#1", 5000), {"#2", 3000}, {"#3", 2000}}) {
    jobs.push_back(Waits(id, At(10, 0), 1, 60));
    jobs.back().set_admin_priority(priority);
  }
  jobs[1].set_nodes(2);
  jobs[1].set_cpus(2);
  Track(jobs);
  request_.set_backfill(v1::BACKFILL_NONE);
  EXPECT_THAT(Lines(Plan()), ElementsAre("#1 11:00 n-0,n-1 Resources", "#2 never  Priority",
                                         "#3 never  Priority"));
}

// "the priority of a job requesting A100 GPUs will not affect the scheduling of a job requesting
// V100 GPUs."
TEST_F(PlanStartsTest, AJobForA100sDoesNotHoldUpOneForV100s) {
  *request_.mutable_description() = Described(
      "node_types { name: 'a' nodes: 1 tres { key: 'cpu' value: 10 }"
      "             tres { key: 'gres/gpu:a100' value: 2 } }"
      "node_types { name: 'v' nodes: 1 tres { key: 'cpu' value: 10 }"
      "             tres { key: 'gres/gpu:v100' value: 2 } }");
  std::vector<v1::Job> jobs = {Runs("1", At(10, 0), 1, 60), Waits("2", At(10, 1), 1, 600),
                               Waits("3", At(10, 2), 1, 600), Waits("4", At(10, 3), 1, 600)};
  (*jobs[0].mutable_tres())["gres/gpu:a100"] = 2;
  (*jobs[1].mutable_tres())["gres/gpu:a100"] = 1;
  (*jobs[2].mutable_tres())["gres/gpu:v100"] = 2;
  (*jobs[3].mutable_tres())["gres/gpu:h100"] = 1;
  Track(jobs);
  request_.set_backfill(v1::BACKFILL_NONE);
  EXPECT_THAT(Lines(Plan()),
              ElementsAre("2 11:00 a-0 Resources", "3 now v-0", "4 never  BadConstraints"));
}

// Owner partitions: "limited on resources based on the number of nodes purchased"; their jobs stand
// "at the top of the queue". osg: "limited to a smaller subset".
TEST_F(PlanStartsTest, OwnersStandAtTheTopAndHoldTheNodesTheyBought) {
  *request_.mutable_description() = Described(
      "node_types { name: 'small' nodes: 1 tres { key: 'cpu' value: 10 } }"
      "node_types { name: 'big' nodes: 3 tres { key: 'cpu' value: 10 }"
      "             partitions: ['owners', 'interact', 'work1'] }"
      "partition_caps { partition: 'owners' nodes: 2 }");
  std::vector<v1::Job> jobs = {Waits("work", At(9, 0), 10, 60), Waits("osg", At(9, 1), 10, 60),
                               Waits("own1", At(9, 2), 10, 60), Waits("own2", At(9, 3), 10, 60),
                               Waits("own3", At(9, 4), 10, 60), Waits("work2", At(9, 5), 10, 60)};
  jobs[1].add_partitions("osg");
  for (int job = 2; job < 5; ++job) jobs[job].add_partitions("owners");
  Track(jobs);
  EXPECT_THAT(Lines(Plan()),
              ElementsAre("own1 now small-0", "own2 now big-0", "own3 11:20 big-0 PartitionNodeCap",
                          "work now big-1", "osg 11:20 small-0 Resources", "work2 now big-2"))
      << "own3 waits without holding anybody up";
  EXPECT_THAT(Plan().starts(2).message(), HasSubstr("partition owners may hold 2 nodes"));
}

TEST_F(PlanStartsTest, LicensesAreCountedAcrossTheCluster) {
  *request_.mutable_description() = Described(
      "node_types { name: 'n' nodes: 4 tres { key: 'cpu' value: 10 } }"
      "licenses { key: 'license/matlab' value: 1 }");
  std::vector<v1::Job> jobs = {Waits("1", At(9, 0), 1, 60), Waits("2", At(9, 1), 1, 60)};
  for (v1::Job& job : jobs) (*job.mutable_tres())["license/matlab"] = 1;
  Track(jobs);
  EXPECT_THAT(Lines(Plan()), ElementsAre("1 now n-0", "2 11:20 n-0 Licenses"));
}

TEST_F(PlanStartsTest, JobsThatCannotStartAreNotPlannedAndCapsAreSlurms) {
  *request_.mutable_description() =
      Described("node_types { name: 'n' nodes: 1 tres { key: 'cpu' value: 10 } }");
  std::vector<v1::Job> jobs = {Waits("1", At(8, 0), 10, 60),   Waits("2", At(9, 1), 1, 30),
                               Waits("3", At(9, 2), 1, 30),    Waits("4", At(9, 3), 1, 30),
                               Waits("held", At(9, 4), 1, 30), Runs("9", At(9, 0), 5, 120)};
  jobs[0].set_user("ben");
  jobs[3].set_user("ben");
  jobs[4].set_hold(v1::HOLD_USER);
  Track(jobs);
  request_.set_bf_max_job_user(1);
  v1::PlanStartsResponse response = Plan();
  EXPECT_THAT(Lines(response), ElementsAre("1 11:00 n-0 Resources", "2 now n-0"));
  EXPECT_EQ(response.not_looked_at(), 2u);
  request_.clear_bf_max_job_user();
  request_.set_bf_max_job_test(3);
  request_.add_job_ids("3");
  response = Plan();
  EXPECT_THAT(Lines(response), ElementsAre("3 now n-0"));
  EXPECT_EQ(response.others(), 2u);
  EXPECT_EQ(response.not_looked_at(), 1u);
}

TEST_F(PlanStartsTest, InlineJobsArePlannedAsTrackedOnesAre) {
  TrackEightJobs();
  const v1::PlanStartsResponse tracked = Plan();
  request_.mutable_jobs();
  v1::ListJobsResponse listed = ListJobs(service_);
  for (const v1::TrackedJob& job : listed.jobs()) *request_.mutable_jobs()->add_jobs() = job.job();
  EXPECT_EQ(Lines(Plan()), Lines(tracked));
}

TEST_F(PlanStartsTest, NoStartIsReportedBehindTheWindow) {
  TrackEightJobs();
  request_.mutable_bf_window()->set_seconds(60 * 60);
  EXPECT_THAT(Lines(Plan()), ElementsAre("5 11:00 A Resources", "6 10:45 B Priority",
                                         "7 never  Resources", "8 now A"));
}

TEST_F(PlanStartsTest, EachFaultOfTheDescriptionIsNamed) {
  request_.mutable_tracked();
  request_.set_bf_max_job_test(10'001);
  request_.set_backfill(static_cast<v1::Backfill>(77));
  request_.mutable_bf_window()->set_seconds(1);
  *request_.mutable_description() = Described(
      "node_types { nodes: 100001 tres { key: 'gpus' value: 1 } }"
      "node_types { name: 'n' hosts: 'n[1-' tres { key: 'cpu' value: -1 } }"
      "node_types { name: 'n' hosts: 'n[1-3]' nodes: 2 tres { key: 'gres/a b' value: 1 } }"
      "partition_caps { nodes: 1 }"
      "licenses { key: 'cpu' value: 1 }");
  grpc::Status status;
  Plan(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(),
            "description.node_types[0].name,description.node_types[0].nodes,"
            "description.node_types[0].tres[\"gpus\"],description.node_types[1].hosts,"
            "description.node_types[1].tres[\"cpu\"],description.node_types[2].name,"
            "description.node_types[2].nodes,description.node_types[2].tres[\"gres/a b\"],"
            "description.partition_caps[0].partition,"
            "description.licenses[\"cpu\"],backfill,bf_max_job_test,bf_window");
}

TEST_F(PlanStartsTest, ACapOfAnUnknownPartitionIsRefused) {
  TrackEightJobs();
  *request_.mutable_description() = Described(
      "node_types { name: 'n' nodes: 1 tres { key: 'cpu' value: 10 } }"
      "partition_caps { partition: 'owners' nodes: 2 }"
      "partition_caps { partition: 'ownres' nodes: 2 }");
  grpc::Status status;
  Plan(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "description.partition_caps[1].partition: got \"ownres\", want "
            "a partition of the cluster");
}

// slurm.conf's NodeName lines have the same rule. A type without hosts names its nodes TYPE-0, ...
TEST_F(PlanStartsTest, ANodeDescribedTwiceIsRefused) {
  TrackEightJobs();
  const auto refused = [this](const std::string& description) {
    *request_.mutable_description() = Described(description);
    grpc::Status status;
    Plan(&status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << description;
    return status.error_message();
  };
  EXPECT_EQ(refused("node_types { name: 'a' hosts: 'A' } node_types { name: 'b' hosts: 'B,A' }"),
            "description.node_types[1].hosts: got node \"A\" twice, want it once");
  EXPECT_EQ(refused("node_types { name: 'a' hosts: 'A,n[1-3],n2' }"),
            "description.node_types[0].hosts: got node \"n2\" twice, want it once");
  EXPECT_EQ(refused("node_types { name: 'b' nodes: 2 } node_types { name: 'a' hosts: 'A,b-1' }"),
            "description.node_types[1].hosts: got node \"b-1\" twice, want it once");
}

TEST_F(PlanStartsTest, PlacementsNameWhatIsDescribed) {
  TrackEightJobs();
  Place("5", {"C"});
  grpc::Status status;
  Plan(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "placements[3].nodes: got \"C\", want nodes of the description");
}

TEST_F(PlanStartsTest, RunningJobsWithoutRoomAreCounted) {
  TrackEightJobs();
  request_.clear_placements();
  *request_.mutable_description() =
      Described("node_types { name: 'n' hosts: 'A' tres { key: 'cpu' value: 2 } }");
  EXPECT_EQ(Plan().running_without_nodes(), 1u);
}

}  // namespace
}  // namespace priorityd::rpc
