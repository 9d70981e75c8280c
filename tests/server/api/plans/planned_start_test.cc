// ExplainPriority returns the planned start of a job, on clusters whose policy describes the nodes.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/palmetto_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using palmetto::At;
using palmetto::Described;
using palmetto::Runs;
using palmetto::Waits;

// The nodes of palmetto::Site, as slurm.conf says them.
constexpr char kNodes[] =
    "node_types { name: 'a' hosts: 'n[2-10]' tres { key: 'cpu' value: 10 } partitions: 'owners' "
    "partitions: 'interact' partitions: 'work1' } "
    "node_types { name: 'b' hosts: 'n1' tres { key: 'cpu' value: 10 } partitions: 'owners' "
    "partitions: 'interact' partitions: 'work1' partitions: 'osg' }";

class PlannedStartTest : public testing::Test {
 protected:
  PlannedStartTest() {
    Import(service_, palmetto::Site());
    service_.SetNow(At(10, 20));
  }

  v1::ExplainPriorityResponse Explain(const std::string& job_id) {
    v1::ExplainPriorityRequest request;
    request.mutable_tracked();
    request.set_job_id(job_id);
    return ExplainPriority(service_, request);
  }

  v1::PlanStartsResponse Plan(const v1::PlanStartsRequest& request, grpc::Status* done) {
    v1::PlanStartsResponse response;
    *done = CallUnary(service_, request, &response);
    return response;
  }

  // The same by PlanStarts, from the nodes of the request if `described`, else of the policy.
  v1::PlannedStart Planned(const std::string& job_id, bool described = true) {
    v1::PlanStartsRequest request;
    request.mutable_tracked();
    if (described) *request.mutable_description() = Described(kNodes);
    request.add_job_ids(job_id);
    grpc::Status done;
    const v1::PlanStartsResponse response = Plan(request, &done);
    EXPECT_TRUE(done.ok()) << done.error_message();
    return response.starts().empty() ? v1::PlannedStart() : response.starts(0);
  }

  // The policy of the site with more lines.
  void Apply(const std::string& lines) {
    Import(service_, palmetto::Site(lines));
    Recalculate(service_);
  }

  TestService service_;
};

TEST_F(PlannedStartTest, IsWhatPlanStartsSaysOfTheNodesOfThePolicy) {
  std::mt19937 random(7);
  v1::UpdateJobsRequest jobs;
  std::vector<std::string> waiting;
  for (int i = 0; i < 60; ++i) {
    const std::string id = absl::StrCat(i);
    const double cpus = 1 + random() % 10;
    const int minutes = 10 + random() % 300;
    v1::Job job =
        i < 14 ? Runs(id, At(9, i), cpus, 120 + minutes) : Waits(id, At(9, i % 60), cpus, minutes);
    if (i >= 14) waiting.push_back(id);
    if (random() % 4 == 0) job.add_partitions("osg");
    *jobs.add_upserts() = job;
  }
  UpdateJobs(service_, jobs);
  int later = 0;
  for (const std::string& id : waiting) {
    const v1::ExplainPriorityResponse told = Explain(id);
    ASSERT_TRUE(told.has_planned_start()) << id;
    const v1::PlannedStart planned = Planned(id);
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(told.planned_start(), planned))
        << told.planned_start().DebugString() << planned.DebugString();
    later += planned.has_expected_start() && !planned.starts_now();
  }
  EXPECT_GT(later, 5);
}

TEST_F(PlannedStartTest, PlanStartsWithoutADescriptionPlansOnTheNodesOfThePolicy) {
  UpdateJobs(service_, Upserts({Runs("1", At(9, 0), 10, 600), Waits("2", At(10, 0), 10, 60),
                                Waits("3", At(10, 1), 5, 60)}));
  for (const char* id : {"2", "3"}) {
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(Planned(id), Planned(id, false)))
        << id;
  }
}

TEST_F(PlannedStartTest, SchedulerParametersOfThePolicyBoundEveryPlan) {
  Apply("SchedulerParameters=bf_max_job_user=1\n");
  v1::Job first = Waits("0", At(9, 30), 100, 60);
  first.set_nodes(10);
  first.set_user("ben");
  UpdateJobs(service_, Upserts({Runs("9", At(9, 0), 10, 600), first, Waits("1", At(10, 0), 1, 60),
                                Waits("2", At(10, 1), 1, 60)}));
  EXPECT_TRUE(Explain("1").planned_start().starts_now());
  EXPECT_FALSE(Explain("2").has_planned_start());
  EXPECT_FALSE(Planned("2", false).starts_now());
  v1::PlanStartsRequest request;
  request.mutable_tracked();
  request.set_bf_max_job_user(2);
  grpc::Status done;
  EXPECT_EQ(Plan(request, &done).starts_size(), 3) << "the option of the request overrides it";
}

TEST_F(PlannedStartTest, NodesThatThePolicyStatesToBeDownTakeNoJob) {
  const std::string lines =
      "NodeName=m[1-2] CPUs=20 State=%s\nPartitionName=big Nodes=m[1-2] MaxTime=UNLIMITED\n";
  v1::Job job = Waits("1", At(10, 0), 20, 60);
  job.clear_partitions();
  job.add_partitions("big");
  for (const char* state : {"DOWN", "DRAIN", "FAIL"}) {
    Apply(absl::StrReplaceAll(lines, {{"%s", state}}));
    UpdateJobs(service_, Upserts({job}));
    EXPECT_FALSE(Planned("1", false).starts_now()) << state;
    EXPECT_FALSE(Explain("1").planned_start().starts_now()) << state;
  }
  Apply(absl::StrReplaceAll(lines, {{"%s", "UNKNOWN"}}));
  EXPECT_TRUE(Planned("1", false).starts_now());
  EXPECT_TRUE(Explain("1").planned_start().starts_now());
}

TEST_F(PlannedStartTest, PartitionNodeCapsOfThePolicyBoundEveryPlan) {
  Apply("PartitionNodeCaps=work1=1\n");
  UpdateJobs(service_, Upserts({Runs("9", At(9, 0), 10, 600), Waits("1", At(10, 0), 1, 60)}));
  EXPECT_EQ(Explain("1").planned_start().reason(), "PartitionNodeCap");
  EXPECT_EQ(Planned("1").reason(), "PartitionNodeCap");
  v1::PlanStartsRequest request;
  request.mutable_tracked();
  v1::PartitionCap& cap = *request.mutable_description()->add_partition_caps();
  cap.set_partition("work1");
  cap.set_nodes(2);
  grpc::Status done;
  EXPECT_TRUE(Plan(request, &done).starts(0).starts_now()) << "the cap of the request overrides it";
}

TEST_F(PlannedStartTest, WithoutKnownNodesAPlanNeedsADescription) {
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityType=priority/multifactor\n");
  ApplyPolicy(service_, policy);
  Recalculate(service_);
  v1::PlanStartsRequest request;
  request.mutable_tracked();
  grpc::Status done;
  Plan(request, &done);
  EXPECT_EQ(done.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(done.error_message(), testing::HasSubstr("description.node_types: got none"));
}

TEST_F(PlannedStartTest, IsUnsetForWhoMayNotStartOrRunsAndWhereNoNodesAreKnown) {
  v1::Job held = Waits("1", At(10, 0), 1, 10);
  held.set_hold(v1::HOLD_USER);
  UpdateJobs(service_, Upserts({held, Runs("2", At(9, 0), 1, 600), Waits("3", At(10, 0), 1, 10)}));
  EXPECT_FALSE(Explain("1").has_planned_start());
  EXPECT_FALSE(Explain("2").has_planned_start());
  EXPECT_TRUE(Explain("3").planned_start().starts_now());
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityType=priority/multifactor\n");
  ApplyPolicy(service_, policy);
  Recalculate(service_);
  EXPECT_FALSE(Explain("3").has_planned_start());
}

// Ten nodes are free: ten jobs start, and of those that wait PlanStarts looks at the first 500.
TEST_F(PlannedStartTest, IsUnsetTooFarBackInTheStartOrder) {
  v1::UpdateJobsRequest jobs;
  for (int i = 1; i <= 511; ++i) *jobs.add_upserts() = Waits(absl::StrCat(i), At(8, 0), 10, 600);
  UpdateJobs(service_, jobs);
  EXPECT_TRUE(Explain("510").has_planned_start());
  EXPECT_FALSE(Explain("511").has_planned_start());
}

}  // namespace
}  // namespace priorityd::rpc
