// Names are bound to who proves theirs: sources of jobs and of usage, roles in some clusters only,
// what a provisioner makes, and who replaces which usage. Over gRPC and PostgreSQL.
#include "server/api/shared/source_rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/audit.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kPrincipalLines[] =
    "Principal=k8s:second Role=collector\n"
    "Principal=k8s:bound Role=collector Source=s1,s2 Cluster=c,orc\n"
    "Principal=k8s:elsewhere Role=collector,frontend Cluster=orc\n"
    "Principal=k8s:slurm Role=frontend Source=slurm\n"
    "Principal=k8s:both Role=frontend,collector Source=slurm\n"
    "Principal=k8s:both Role=dashboard\n"
    "Principal=k8s:maker Role=provisioner\n"
    "Principal=user:amy Role=provisioner Cluster=c\n";
constexpr char kSourcePolicy[] = "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n";

class SourceRightsTest : public ::testing::Test {
 protected:
  template <typename Response>
  Response Call(const std::string& who, const std::string& method,
                const google::protobuf::Message& request) {
    const bool is_user = who == "amy" || who == "cat" || who == "root" || who == "ope";
    Response response;
    status_ = replica_.Call("priority.v1." + method,
                            is_user ? replica_.SlurmToken(who) : replica_.ServiceToken(who),
                            &request, &response);
    return response;
  }

  std::string Reason() const { return DetailsOf(status_).reason; }

  // The outcome of the first upsert, or the reason of its refusal, or of the call's.
  std::string Upsert(const std::string& who, const std::string& source, const v1::Job& job) {
    v1::UpdateJobsRequest request = Upserts({job});
    request.set_source(source);
    return OutcomeOf(who, request);
  }
  std::string OutcomeOf(const std::string& who, const v1::UpdateJobsRequest& request) {
    const auto response = Call<v1::UpdateJobsResponse>(who, "PriorityService/UpdateJobs", request);
    if (!status_.ok()) return Reason();
    const v1::JobUpdateResult& result =
        response.upserts_size() > 0 ? response.upserts(0) : response.removals(0);
    return result.reason().empty() ? v1::UpdateOutcome_Name(result.outcome()) : result.reason();
  }
  std::string SourceOf(const std::string& job_id) {
    v1::ListJobsRequest request;
    request.add_job_ids(job_id);
    const auto list = Call<v1::ListJobsResponse>("ope", "PriorityService/ListJobs", request);
    return list.jobs_size() == 1 ? list.jobs(0).source() : "none";
  }

  v1::UsageRecordResult Record(const std::string& who, const v1::UsageRecord& record,
                               const std::string& cluster = "") {
    v1::RecordUsageRequest request;
    request.set_cluster(cluster);
    *request.add_records() = record;
    const auto response =
        Call<v1::RecordUsageResponse>(who, "PriorityService/RecordUsage", request);
    return response.results_size() == 1 ? response.results(0) : v1::UsageRecordResult();
  }
  static v1::UsageRecord Of(const std::string& source, const std::string& record_id,
                            const std::string& replaces = "") {
    v1::UsageRecord record = Usage(record_id, TestEpoch() - absl::Hours(2), absl::Seconds(100), 4);
    record.set_source(source);
    record.set_replaces_record_id(replaces);
    return record;
  }
  std::vector<v1::AuditEvent> Replacements() {
    v1::ListAuditEventsRequest request;
    request.add_actions("ReplaceUsage");
    const auto list =
        Call<v1::ListAuditEventsResponse>("root", "AdminService/ListAuditEvents", request);
    return {list.events().begin(), list.events().end()};
  }

  SecuredReplica replica_{{.more_settings = kPrincipalLines, .policy = kSourcePolicy}};
  grpc::Status status_;
};

constexpr char kTaken[] = "UPDATE_OUTCOME_UPSERTED";

TEST_F(SourceRightsTest, AUserKeepsNobodysJobIdsFromTheFrontend) {
  for (const char* source : {"squatter", "slurm", "", "user:cat"}) {
    EXPECT_EQ(Upsert("amy", source, JobOf("2001")),
              source == std::string("squatter") ? kTaken : "UPDATE_OUTCOME_UNCHANGED");
    EXPECT_EQ(SourceOf("2001"), "user:amy");
  }
  v1::UpdateJobsRequest sync = Upserts({JobOf("2001", "cat")});
  sync.set_source("slurm");
  sync.set_full_sync(true);
  EXPECT_EQ(OutcomeOf("slurm", sync), kTaken);
  EXPECT_EQ(SourceOf("2001"), "slurm");
  EXPECT_EQ(Upsert("amy", "", JobOf("2001")), "AccessDenied");
  Upsert("amy", "", JobOf("2002"));
  v1::UpdateJobsRequest removal = Removal("2002");
  removal.set_source("slurm");
  EXPECT_EQ(OutcomeOf("slurm", removal), "UPDATE_OUTCOME_REMOVED");
  // A full_sync leaves users' jobs that it does not name.
  Upsert("amy", "", JobOf("2003"));
  EXPECT_EQ(OutcomeOf("slurm", sync), "UPDATE_OUTCOME_UNCHANGED");
  EXPECT_EQ(SourceOf("2003"), "user:amy");
}

TEST_F(SourceRightsTest, NobodyElseNamesAUsersSource) {
  for (const char* who : {"frontend", "ope", "root"}) {
    EXPECT_EQ(Upsert(who, "user:amy", JobOf("1")), "SOURCE_NOT_ALLOWED") << who;
    EXPECT_EQ(status_.error_code(), grpc::PERMISSION_DENIED);
  }
  EXPECT_THAT(status_.error_message(), HasSubstr("source: got \"user:amy\" from root"));
}

TEST_F(SourceRightsTest, AFrontendBoundToASourceHasItsJobsAndUsersAlone) {
  EXPECT_EQ(Upsert("frontend", "other", JobOf("7")), kTaken);
  EXPECT_EQ(Upsert("slurm", "slurm", JobOf("1")), kTaken);
  for (const char* source : {"", "other", "slurm2", "SLURM"}) {
    EXPECT_EQ(Upsert("slurm", source, JobOf("2")), "SOURCE_NOT_ALLOWED") << source;
  }
  EXPECT_THAT(status_.error_message(), StartsWith("source: got \"SLURM\" from k8s:slurm ("));
  EXPECT_THAT(status_.error_message(), HasSubstr("want one of slurm"));
  // Fields alone, top and on behalf of a user are no ways around.
  v1::UpdateJobsRequest nice = Upserts({JobOf("7")});
  nice.set_source("slurm");
  nice.mutable_upserts(0)->set_nice(5);
  nice.mutable_update_mask()->add_paths("nice");
  EXPECT_EQ(OutcomeOf("slurm", nice), "OtherSource");
  nice.set_on_behalf_of("amy");
  EXPECT_EQ(OutcomeOf("slurm", nice), "OtherSource");
  v1::TopJobsRequest top;
  top.add_job_ids("7");
  const auto topped = Call<v1::TopJobsResponse>("slurm", "PriorityService/TopJobs", top);
  ASSERT_EQ(topped.results_size(), 1);
  EXPECT_EQ(topped.results(0).reason(), "AccessDenied");
  EXPECT_EQ(Upsert("slurm", "slurm", JobOf("8")), kTaken);
  top.set_job_ids(0, "8");
  const auto own = Call<v1::TopJobsResponse>("slurm", "PriorityService/TopJobs", top);
  for (const v1::JobUpdateResult& result : own.results()) EXPECT_NE(result.job_id(), "7");
  EXPECT_EQ(OutcomeOf("frontend", nice), kTaken);
}

TEST_F(SourceRightsTest, ACollectorRecordsUnderItsSourcesInItsClusters) {
  EXPECT_EQ(Record("bound", Of("s2", "1")).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  Record("bound", Of("clusterA", "1"));
  EXPECT_EQ(Reason(), "SOURCE_NOT_ALLOWED");
  EXPECT_THAT(status_.error_message(), StartsWith("records[0].source: got \"clusterA\" from "));
  EXPECT_THAT(status_.error_message(), HasSubstr("want one of s1, s2"));
  v1::StreamUsageRequest batch;
  *batch.mutable_batch()->add_records() = Of("clusterA", "1");
  Call<v1::StreamUsageResponse>("bound", "PriorityService/StreamUsage", batch);
  EXPECT_EQ(Reason(), "SOURCE_NOT_ALLOWED");
  *batch.mutable_batch()->mutable_records(0) = Of("s1", "1");
  EXPECT_EQ(Call<v1::StreamUsageResponse>("bound", "PriorityService/StreamUsage", batch)
                .results()
                .results(0)
                .status(),
            v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Record("collector", Of("clusterA", "1")).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST_F(SourceRightsTest, ARoleOfAnotherClusterIsNone) {
  Record("elsewhere", Of("s", "1"));
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
  Record("elsewhere", Of("s", "1"), "c");
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
  v1::StreamUsageRequest batch;
  *batch.mutable_batch()->add_records() = Of("s", "1");
  Call<v1::StreamUsageResponse>("elsewhere", "PriorityService/StreamUsage", batch);
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
  EXPECT_EQ(Upsert("elsewhere", "", JobOf("1")), "ROLE_REQUIRED");
  // It passes where its role holds, and fails for what is not there.
  Record("elsewhere", Of("s", "1"), "orc");
  EXPECT_EQ(status_.error_code(), grpc::NOT_FOUND) << status_.error_message();
  const auto caller =
      Call<v1::Caller>("elsewhere", "PriorityService/GetCaller", v1::GetCallerRequest());
  EXPECT_EQ(Reason(), "ROLE_REQUIRED") << caller.ShortDebugString();
  const auto both = Call<v1::Caller>("both", "PriorityService/GetCaller", v1::GetCallerRequest());
  EXPECT_THAT(both.roles(), ::testing::UnorderedElementsAre("collector", "frontend", "dashboard"));
}

TEST_F(SourceRightsTest, AProvisionerMakesWhatJobsNameAndNothingElse) {
  v1::CreateAssociationsRequest make;
  make.add_associations()->set_account("team");
  v1::NewAssociation* user = make.add_associations();
  user->set_account("team");
  user->set_user("dan");
  for (const char* who : {"maker", "amy"}) {
    make.set_allow_existing(true);
    Call<v1::ChangeResponse>(who, "AdminService/CreateAssociations", make);
    EXPECT_TRUE(status_.ok()) << who << ": " << status_.error_message();
  }
  make.clear_associations();
  user = make.add_associations();
  user->set_account("team");
  user->set_user("eve");
  v1::Setting* level = make.add_settings();
  level->set_name("AdminLevel");
  level->set_value("Administrator");
  for (const char* who : {"maker", "amy"}) {
    Call<v1::ChangeResponse>(who, "AdminService/CreateAssociations", make);
    EXPECT_EQ(Reason(), "ROLE_REQUIRED") << who;
  }
  v1::UpdateUsersRequest promote;
  promote.mutable_where()->add_names("amy");
  *promote.add_settings() = *level;
  Call<v1::ChangeResponse>("amy", "AdminService/UpdateUsers", promote);
  EXPECT_EQ(Reason(), "ROLE_REQUIRED") << "a user who provisions is no operator";
  Call<v1::ChangeResponse>("maker", "AdminService/UpdateAssociations",
                           v1::UpdateAssociationsRequest());
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
  Record("maker", Of("s", "1"));
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
}

TEST_F(SourceRightsTest, AProvisionerMakesPartitionsAndLeavesThoseThereAre) {
  v1::UpdatePartitionsRequest partition;
  partition.add_names("gpu");
  partition.set_allow_missing(true);
  v1::Setting* state = partition.add_settings();
  state->set_name("State");
  state->set_value("UP");
  Call<v1::ListPartitionsResponse>("maker", "AdminService/ListPartitions",
                                   v1::ListPartitionsRequest());
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  Call<v1::ChangeResponse>("maker", "AdminService/UpdatePartitions", partition);
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  state->set_value("DOWN");
  Call<v1::ChangeResponse>("maker", "AdminService/UpdatePartitions", partition);
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
  EXPECT_THAT(status_.error_message(), StartsWith("names[0]: got an existing partition"));
  partition.set_names(0, "front");
  v1::Setting* tier = partition.add_settings();
  tier->set_name("PriorityTier");
  tier->set_value("9");
  Call<v1::ChangeResponse>("maker", "AdminService/UpdatePartitions", partition);
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
  EXPECT_THAT(status_.error_message(), StartsWith("settings[1].name: got PriorityTier"));
}

TEST_F(SourceRightsTest, AProvisionerSaysHowLargeItsClusterIs) {
  v1::UpdateClusterRequest update;
  update.mutable_cluster()->set_name("c");
  update.mutable_cluster()->set_cpus(77);
  EXPECT_EQ(Call<v1::Cluster>("maker", "AdminService/UpdateCluster", update).cpus(), 77);
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  Call<v1::ListClustersResponse>("maker", "AdminService/ListClusters", v1::ListClustersRequest());
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  update.mutable_cluster()->set_name("another");
  update.set_allow_missing(true);
  Call<v1::Cluster>("maker", "AdminService/UpdateCluster", update);
  EXPECT_EQ(Reason(), "ROLE_REQUIRED");
}

TEST_F(SourceRightsTest, WhatOneCollectorRecordedAnotherDoesNotReplace) {
  Record("collector", Of("clusterA", "1"));
  const v1::UsageRecordResult refused = Record("second", Of("clusterA", "2", "1"));
  EXPECT_EQ(refused.status(), v1::USAGE_RECORD_STATUS_REJECTED);
  EXPECT_EQ(refused.reason(), v1::REJECTION_REASON_OTHER_PRINCIPAL);
  EXPECT_EQ(refused.field(), "records[0].replaces_record_id");
  EXPECT_EQ(refused.message(),
            "got a record of k8s:collector, from k8s:second; want one of your own, or "
            "UsageReplacement=collectors in the policy");
  // An administrator is another principal too, and the same record again is a duplicate.
  EXPECT_EQ(Record("root", Of("clusterA", "3", "1")).reason(),
            v1::REJECTION_REASON_OTHER_PRINCIPAL);
  EXPECT_EQ(Record("second", Of("clusterA", "1")).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_EQ(Record("collector", Of("clusterA", "4", "1")).status(),
            v1::USAGE_RECORD_STATUS_ACCEPTED);
  const auto events = Replacements();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_THAT(events[1].principal(), StartsWith("k8s:second ("));
  EXPECT_EQ(events[1].object(), "usage recorded by k8s:collector, refused");
  EXPECT_EQ(events[1].before(), "clusterA/1");
  EXPECT_EQ(events[1].after(), "clusterA/1");
  EXPECT_THAT(events[0].principal(), StartsWith("root ("));
}

TEST_F(SourceRightsTest, AFloodOfForeignReplacementsWritesOneAuditEventAMinute) {
  Record("collector", Of("clusterA", "1"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Record("second", Of("clusterA", absl::StrCat("x", i), "1")).reason(),
              v1::REJECTION_REASON_OTHER_PRINCIPAL);
  }
  EXPECT_EQ(Replacements().size(), 1u);
}

TEST_F(SourceRightsTest, ThePolicyMayLetCollectorsReplaceEachOthersRecords) {
  Record("collector", Of("clusterA", "1"));
  v1::ApplyPolicyRequest policy;
  policy.set_text(absl::StrCat(kSourcePolicy, "UsageReplacement=collectors\n"));
  Call<v1::ApplyPolicyResponse>("root", "AdminService/ApplyPolicy", policy);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  Call<v1::Snapshot>("root", "AdminService/Recalculate", v1::RecalculateRequest());
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Record("second", Of("clusterA", "2", "1")).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  const auto events = Replacements();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].object(), "usage recorded by k8s:collector");
  EXPECT_EQ(events[0].before(), "clusterA/1");
  EXPECT_EQ(events[0].after(), "clusterA/2");
}

}  // namespace
}  // namespace priorityd::rpc
