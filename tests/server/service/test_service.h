// The whole service inside a test: a replica with real gRPC over loopback, a real
// PostgreSQL, and a site's clock that stands still until it is set.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_TEST_SERVICE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_TEST_SERVICE_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/rpc/error_details.pb.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "server/api/site_factor/site_factor_tls.h"
#include "server/transport/request_limits.h"
#include "server/transport/worker_pool.h"

// A test includes what it uses of these: most only send requests.
namespace grpc {
class Channel;
}  // namespace grpc
namespace priorityd {
class Replica;
struct ReplicaOptions;
namespace forecasts {
class Books;
}  // namespace forecasts
namespace queue {
class QueueFollower;
class TrackedQueues;
}  // namespace queue
namespace recalculation {
class RecalculationLoop;
}  // namespace recalculation
namespace storage {
class Database;
}  // namespace storage
}  // namespace priorityd

namespace priorityd::rpc {

class CallObserver;
class PriorityService;
class Server;

namespace v1 = ::priority::v1;

// 2026-01-05 00:00:00 UTC, a Monday.
inline absl::Time TestEpoch() { return absl::FromUnixSeconds(1767571200); }

// The threads of TestService::operating.
inline constexpr int kOperatingThreads = 4;

// One priorityd. Several on one database are replicas, or one after another.
class TestService {
 public:
  struct Options {
    std::string database_url;          // Empty = a new database.
    std::string reports_database_url;  // Of a standby; empty = none.
    RequestLimits limits;
    size_t max_queued_calls = kMaxQueuedCalls;
    size_t memory_budget = size_t{1} << 30;
    // Else a test rolls up by itself.
    absl::Duration retention_period = absl::InfiniteDuration();
    // The time is that of the database, as in a running service, not what SetNow says.
    bool follows_database = false;
    // Then this host's clock is so far ahead of the true time.
    absl::Duration host_is_ahead = absl::ZeroDuration();
    absl::Duration max_clock_offset = absl::Seconds(10);
    absl::Duration max_commit = absl::Seconds(30);
    std::vector<std::string> site_factor_allow;
    SiteFactorTls site_factor_tls;
    bool makes_forecasts = true;  // Learned by RunTurn of forecasts().
    // Metrics, of accounts too, are served on any port.
    bool serves_metrics = false;
    int database_connections = 8;
    absl::Duration heartbeat_period = absl::Seconds(5);
    std::vector<CallObserver*> call_observers = {};  // They must outlive the service.
  };
  TestService() : TestService(Options()) {}
  explicit TestService(Options options);
  ~TestService();

  // See stubs.h.
  struct Stubs;
  Stubs& stubs() { return *stubs_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }

  storage::Database& database();
  WorkerPool& operating();
  recalculation::RecalculationLoop& loop();
  queue::TrackedQueues& queues();
  // A test stops it to decide by itself when the queues are brought up to date.
  queue::QueueFollower& follower();
  // It looks at the queues when a test runs a turn.
  forecasts::Books& forecasts();
  PriorityService& priority_service();
  Server& server();
  const std::string& database_url() const { return database_url_; }

  absl::Time now() const { return absl::FromUnixMicros(now_micros_); }
  void SetNow(absl::Time now);
  void SetHostIsAhead(absl::Duration ahead) {
    host_ahead_micros_ = absl::ToInt64Microseconds(ahead);
  }
  void UpdateHealth();
  // Of its metrics.
  const std::string& http_address();
  void Drain();

 private:
  ReplicaOptions ToReplicaOptions(const Options& options) const;

  std::string database_url_;
  std::atomic<int64_t> now_micros_;
  std::atomic<int64_t> host_ahead_micros_;
  const std::unique_ptr<Replica> replica_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Stubs> stubs_;
};

// A connection of its own that takes 64 KiB ahead of its reader, never more.
std::shared_ptr<grpc::Channel> NarrowChannel(TestService& service);

// What a failed call said besides its code.
struct ErrorDetails {
  std::string reason;  // ErrorInfo's.
  google::rpc::BadRequest bad_request;
  bool has_retry_info = false;

  // The violations' fields, joined with commas.
  std::string Fields() const;
};
ErrorDetails DetailsOf(const grpc::Status& status);

// Calls the unary RPC of the API that takes this request, for tests that do without the headers of
// gRPC's stubs. stubs.h has those, for streams and for calls with a context. After `patience` it
// ends with DEADLINE_EXCEEDED.
grpc::Status CallUnary(TestService& service, const google::protobuf::Message& request,
                       google::protobuf::Message* response,
                       absl::Duration patience = absl::Minutes(2));
// Its response; the status goes to `status` where it is given, else the call must succeed.
template <typename Response>
Response AnswerTo(TestService& service, const google::protobuf::Message& request,
                  grpc::Status* status = nullptr) {
  Response response;
  const grpc::Status done = CallUnary(service, request, &response);
  if (status != nullptr) {
    *status = done;
  } else {
    EXPECT_TRUE(done.ok()) << done.error_message() << "\n" << request.ShortDebugString();
  }
  return response;
}

// Each is the answer of one RPC.
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
// The last message of the stream; the call must succeed.
v1::RebuildUsageResponse RebuildUsage(TestService& service, const v1::RebuildUsageRequest& request);

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

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_TEST_SERVICE_H_
