// The whole service inside a test: real gRPC over loopback, a real PostgreSQL, a
// clock that stands still until it is set.
#ifndef PRIORITYD_TESTS_SERVER_RPC_TEST_SERVICE_H_
#define PRIORITYD_TESTS_SERVER_RPC_TEST_SERVICE_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "google/rpc/error_details.pb.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/priority_service.h"
#include "server/rpc/server.h"
#include "server/rpc/worker_pool.h"
#include "server/site_factor/site_factors.h"
#include "server/usage/usage_recorder.h"
#include "storage/database.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

// 2026-01-05 00:00:00 UTC, a Monday.
inline absl::Time TestEpoch() { return absl::FromUnixSeconds(1767571200); }

// The threads of TestService::operating.
inline constexpr int kOperatingThreads = 4;

// One priorityd. Several on one database are replicas, or one after another.
class TestService {
 public:
  struct Options {
    std::string database_url;  // Empty = a new database.
    RequestLimits limits;
    size_t max_queued_calls = kMaxQueuedCalls;
  };
  TestService() : TestService(Options()) {}
  explicit TestService(Options options);

  v1::PriorityService::Stub& priority() { return *priority_; }
  v1::AdminService::Stub& admin() { return *admin_; }
  storage::Database& database() { return database_; }
  WorkerPool& operating() { return operating_; }
  recalculation::RecalculationLoop& loop() { return loop_; }
  queue::TrackedQueues& queues() { return queues_; }
  PriorityService& priority_service() { return priority_service_; }
  Server& server() { return *server_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }
  const std::string& database_url() const { return database_url_; }

  absl::Time now() const { return absl::FromUnixMicros(now_micros_); }
  void SetNow(absl::Time now);

 private:
  std::string database_url_;
  std::atomic<int64_t> now_micros_;
  storage::Database database_;
  recalculation::SnapshotRegistry registry_;
  queue::TrackedQueues queues_;
  site_factor::SiteFactors site_factors_;
  recalculation::RecalculationLoop loop_;
  WorkerPool computing_{2};
  WorkerPool storing_{4};
  WorkerPool operating_;
  usage::UsageRecorder recorder_;
  PriorityService priority_service_;
  AdminService admin_service_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
};

// What a failed call said besides its code.
struct ErrorDetails {
  std::string reason;  // ErrorInfo's.
  google::rpc::BadRequest bad_request;
  bool has_retry_info = false;

  // The violations' fields, joined with commas.
  std::string Fields() const;
};
ErrorDetails DetailsOf(const grpc::Status& status);

// Each calls one RPC; the status goes to `status` where it is given, else the
// call must succeed.
v1::ImportResponse Import(TestService& service, const v1::ImportRequest& request,
                          grpc::Status* status = nullptr);
v1::Snapshot Recalculate(TestService& service, const v1::RecalculateRequest& request = {},
                         grpc::Status* status = nullptr);
v1::RankJobsResponse RankJobs(TestService& service, const v1::RankJobsRequest& request,
                              grpc::Status* status = nullptr);
v1::ListSharesResponse ListShares(TestService& service, const v1::ListSharesRequest& request = {},
                                  grpc::Status* status = nullptr);
v1::RecordUsageResponse RecordUsage(TestService& service, const v1::RecordUsageRequest& request,
                                    grpc::Status* status = nullptr);
v1::UpdateJobsResponse UpdateJobs(TestService& service, const v1::UpdateJobsRequest& request,
                                  grpc::Status* status = nullptr);
v1::ListJobsResponse ListJobs(TestService& service, const v1::ListJobsRequest& request = {},
                              grpc::Status* status = nullptr);
v1::ExplainPriorityResponse ExplainPriority(TestService& service,
                                            const v1::ExplainPriorityRequest& request,
                                            grpc::Status* status = nullptr);
v1::ApplyPolicyResponse ApplyPolicy(TestService& service, const v1::ApplyPolicyRequest& request,
                                    grpc::Status* status = nullptr);

void AddFile(v1::FileKind kind, const std::string& name, const std::string& content,
             v1::ImportRequest* request);

// A small site: cluster `c`, account `a` with users `amy` (2 shares) and `ben`
// (1), account `b` with user `cat`, QOS `normal` and `double` (UsageFactor 2),
// partition `main` of 10 nodes with 10 CPUs each, billed by CPU.
// `policy` are more lines of its slurm.conf.
v1::ImportRequest SmallSite(const std::string& policy = "");
// Imports it again, without amy.
void RemoveAmy(TestService& service, const std::string& policy);

// The row of an account, or of a user in it; fails the test if there is none.
v1::AssociationShare ShareOf(const v1::ListSharesResponse& response, const std::string& account,
                             const std::string& user = "");

google::protobuf::Timestamp ToTimestamp(absl::Time time);

// A record of `cpus` CPUs of user `amy` in account `a`, of source `test`.
v1::UsageRecord Usage(const std::string& record_id, absl::Time start, absl::Duration length,
                      double cpus);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_RPC_TEST_SERVICE_H_
