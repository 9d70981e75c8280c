#include "server/transport/call_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/authorization/rights_table.h"
#include "tests/server/service/reported_calls.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using authorization::kRightsTable;
using authorization::Right;
using authorization::Rpc;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";

SecuredReplica::Options ObservedBy(CallObserver* observer) {
  SecuredReplica::Options options;
  options.call_observers = {observer};
  return options;
}

class CallReportTest : public testing::Test {
 protected:
  CallReportTest() { reports_.Take(); }  // Of the import.

  // The one report of the one call made.
  CallReport Only() {
    const std::vector<CallReport> reports = reports_.Take();
    EXPECT_EQ(reports.size(), 1);
    return reports.empty() ? CallReport() : reports.front();
  }

  ReportedCalls reports_;
  SecuredReplica service_{ObservedBy(&reports_)};
};

TEST_F(CallReportTest, EveryRpcIsReportedOnceRefusedOnesToo) {
  for (const Right& right : kRightsTable) {
    const std::string method(right.method);
    const grpc::Status refused = service_.Call(method, "");
    EXPECT_EQ(refused.error_code(), grpc::UNAUTHENTICATED);
    const CallReport stranger = Only();
    EXPECT_EQ(stranger.rpc, right.rpc);
    EXPECT_EQ(stranger.status.code(), absl::StatusCode::kUnauthenticated) << method;
    EXPECT_EQ(stranger.principal, "-");

    const grpc::Status status = service_.Call(method, service_.SlurmToken("root"));
    const CallReport root = Only();
    EXPECT_EQ(root.rpc, right.rpc);
    EXPECT_EQ(root.principal, "root");
    // What goes on until it is cancelled was answered before.
    if (root.status.code() != absl::StatusCode::kCancelled) {
      EXPECT_EQ(static_cast<int>(root.status.code()), static_cast<int>(status.error_code()))
          << method << root.status;
    }
  }
}

TEST_F(CallReportTest, ARefusedCallReportsTheCallerAndTheReason) {
  service_.Call("priority.v1.AdminService/ResetUsage", service_.SlurmToken("amy"));
  const CallReport report = Only();
  EXPECT_EQ(report.status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(report.principal, "amy");
  EXPECT_THAT(std::string(report.status.message()), HasSubstr("want one of operator"));
}

TEST_F(CallReportTest, NoReportHoldsACredential) {
  const std::string expired = service_.SlurmToken("amy", 1);
  // What follows a credential munged does not look at.
  const std::string munge = service_.Munge();
  const std::string broken = munge.substr(0, munge.size() / 2);
  for (const std::string& credential :
       {expired, expired + "x", broken, std::string("Basic cm9vdDpyb290")}) {
    service_.Call("priority.v1.PriorityService/ListShares", credential);
    const CallReport report = Only();
    EXPECT_EQ(report.status.code(), absl::StatusCode::kUnauthenticated);
    const std::string secret = credential.substr(credential.find(' ') + 1, 12);
    EXPECT_THAT(report.status.ToString(), Not(HasSubstr(secret)));
  }
}

TEST_F(CallReportTest, ReportsClusterRowsTraceAndTime) {
  v1::RankJobsRequest request;
  request.set_cluster("c");
  for (int i = 0; i < 7; ++i) request.mutable_jobs()->add_jobs()->set_job_id(absl::StrCat(i));
  ASSERT_TRUE(service_
                  .Call("priority.v1.PriorityService/RankJobs", service_.ServiceToken("frontend"),
                        &request, nullptr, "authorization",
                        absl::StrCat("00-", kTrace, "-00f067aa0ba902b7-01"))
                  .ok());
  const CallReport report = Only();
  EXPECT_EQ(report.principal, "k8s:frontend");
  EXPECT_EQ(report.cluster, "c");
  EXPECT_EQ(report.rows, 7);
  EXPECT_EQ(report.trace_id, kTrace);
  EXPECT_GT(report.duration, absl::ZeroDuration());
  EXPECT_LT(report.duration, absl::Seconds(30));
}

TEST_F(CallReportTest, TheDeletionAndTheRestorationOfAClusterNameIt) {
  v1::DeleteClusterRequest deletion;
  deletion.set_name("c");
  deletion.set_validate_only(true);
  service_.Call("priority.v1.AdminService/DeleteCluster", service_.SlurmToken("root"), &deletion);
  CallReport report = Only();
  EXPECT_EQ(report.cluster, "c");
  EXPECT_TRUE(report.status.ok()) << report.status;
  v1::RestoreClusterRequest restoration;
  restoration.set_name("never");
  service_.Call("priority.v1.AdminService/RestoreCluster", service_.SlurmToken("root"),
                &restoration);
  report = Only();
  EXPECT_EQ(report.cluster, "never");
  EXPECT_EQ(report.status.code(), absl::StatusCode::kNotFound);
}

TEST_F(CallReportTest, AStreamReportsItsRecordsAndAWatchItsMessages) {
  v1::StreamUsageRequest batch;
  batch.mutable_batch()->set_cluster("c");
  for (int i = 0; i < 3; ++i) batch.mutable_batch()->add_records();
  service_.Call("priority.v1.PriorityService/StreamUsage", service_.ServiceToken("collector"),
                &batch);
  EXPECT_EQ(Only().rows, 3);
  service_.Call("priority.v1.PriorityService/WatchRanking", service_.ServiceToken("frontend"));
  const CallReport watch = Only();
  EXPECT_EQ(watch.rpc, Rpc::kWatchRanking);
  EXPECT_GE(watch.rows, 1);
}

TEST(TraceIdOfTest, IsThatOfAWellFormedTraceparent) {
  const std::string trace = kTrace;
  EXPECT_EQ(TraceIdOf("00-" + trace + "-00f067aa0ba902b7-01"), trace);
  EXPECT_EQ(TraceIdOf("cc-" + trace + "-00f067aa0ba902b7-01-what-comes-later"), trace);
}

TEST(TraceIdOfTest, IsEmptyForAnythingElse) {
  const std::string trace = kTrace;
  for (const std::string& wrong :
       {std::string(), std::string("00"), "ff-" + trace + "-00f067aa0ba902b7-01",
        "00-" + trace + "-00f067aa0ba902b7-01-more", "00-" + trace + "-0000000000000000-01",
        "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01",
        "00-" + trace + "_00f067aa0ba902b7-01", "00-" + trace + "-00f067aa0ba902b7-0\n",
        "00-" + std::string(32, 'A') + "-00f067aa0ba902b7-01", std::string(55, '\n')}) {
    EXPECT_EQ(TraceIdOf(wrong), "") << wrong;
  }
}

}  // namespace
}  // namespace priorityd::rpc
