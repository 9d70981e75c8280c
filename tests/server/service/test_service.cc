#include "tests/server/service/test_service.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "google/rpc/status.pb.h"
#include "server/messages/convert_time.h"
#include "server/replica.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/server/service/stubs.h"
#include "tests/storage/test_database.h"

namespace priorityd::rpc {
namespace {

// Ends the program where a test cannot go on.
void OrDie(const absl::Status& status) {
  if (status.ok()) return;
  ADD_FAILURE() << status;
  std::abort();
}

// With a series for each of its metrics.
metrics::Host HostOfTest() {
  static const identity::CertificateAuthority authority;
  return {{authority.certificate()},
          storage::NewTestDirectory(),
          [] { return 0; },
          [] { return absl::UnixEpoch(); },
          "a"};
}

// Each request is that of one method.
const google::protobuf::MethodDescriptor& MethodOf(const google::protobuf::Message& request) {
  const google::protobuf::Descriptor* type = request.GetDescriptor();
  for (const char* name : {"priority.v1.AdminService", "priority.v1.PriorityService"}) {
    const auto* service = type->file()->pool()->FindServiceByName(name);
    for (int i = 0; i < service->method_count(); ++i) {
      if (service->method(i)->input_type() == type) return *service->method(i);
    }
  }
  ADD_FAILURE() << "no RPC takes " << type->full_name();
  std::abort();
}

}  // namespace

TestService::TestService(Options options)
    : database_url_(options.database_url.empty() ? storage::NewTestDatabase()
                                                 : options.database_url),
      now_micros_(absl::ToUnixMicros(TestEpoch())),
      host_ahead_micros_(absl::ToInt64Microseconds(options.host_is_ahead)),
      replica_(std::make_unique<Replica>(ToReplicaOptions(options))) {
  OrDie(replica_->Listen());
  OrDie(replica_->Open());
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(256 << 20);
  arguments.SetInt("grpc.enable_http_proxy", 0);
  channel_ =
      grpc::CreateCustomChannel(server().address(), grpc::InsecureChannelCredentials(), arguments);
  stubs_ = std::make_unique<Stubs>();
  stubs_->priority = v1::PriorityService::NewStub(channel_);
  stubs_->admin = v1::AdminService::NewStub(channel_);
}

TestService::~TestService() = default;

storage::Database& TestService::database() { return replica_->database(); }
WorkerPool& TestService::operating() { return replica_->pools().operating; }
recalculation::RecalculationLoop& TestService::loop() { return replica_->loop(); }
forecasts::Books& TestService::forecasts() { return replica_->forecasts(); }
queue::TrackedQueues& TestService::queues() { return replica_->queues(); }
queue::QueueFollower& TestService::follower() { return replica_->follower(); }
PriorityService& TestService::priority_service() { return replica_->priority_service(); }
Server& TestService::server() { return replica_->server(); }
void TestService::UpdateHealth() { replica_->UpdateHealth(); }

const std::string& TestService::http_address() { return replica_->http_server()->address(); }
void TestService::Drain() { replica_->Drain(absl::ZeroDuration()); }

ReplicaOptions TestService::ToReplicaOptions(const Options& options) const {
  ReplicaOptions replica;
  replica.database_url = database_url_;
  replica.reports_database_url = options.reports_database_url;
  replica.reports_period = absl::Milliseconds(100);
  replica.server.listen = {"127.0.0.1:0"};
  replica.limits = options.limits;
  replica.memory_budget = options.memory_budget;
  replica.retention_period = options.retention_period;
  replica.forecast_period =
      options.makes_forecasts ? absl::InfiniteDuration() : absl::ZeroDuration();
  replica.pools.cpus = 8;  // Of a usual host, whatever this one has.
  replica.pools.storing = 4;
  replica.pools.operating = kOperatingThreads;
  replica.pools.max_queued_operations = options.max_queued_calls;
  replica.database_connections = options.database_connections;
  replica.max_clock_offset = options.max_clock_offset;
  replica.max_commit = options.max_commit;
  // A leader that waits long for a processor leads on, one that ends is replaced at once.
  replica.lease = absl::Minutes(10);
  replica.site_factor_allow = options.site_factor_allow;
  replica.site_factor_tls = options.site_factor_tls;
  if (options.serves_metrics) replica.http_listen = "127.0.0.1:0";
  replica.metrics_accounts = options.serves_metrics;
  if (options.serves_metrics) replica.host = HostOfTest();
  replica.metrics_period = absl::Milliseconds(100);
  replica.heartbeat_period = options.heartbeat_period;
  replica.call_observers = options.call_observers;
  replica.clocks = {.site = [this] { return now(); }, .real = threads::RunningTime};
  replica.clocks.host = [this] {
    return absl::Now() + absl::Microseconds(host_ahead_micros_.load());
  };
  if (options.follows_database) replica.clocks.site = nullptr;
  return replica;
}

void TestService::SetNow(absl::Time now) {
  now_micros_ = absl::ToUnixMicros(now);
  replica_->CheckClock();
}

std::shared_ptr<grpc::Channel> NarrowChannel(TestService& service) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt("grpc.enable_http_proxy", 0);
  return grpc::CreateCustomChannel(service.server().address(), grpc::InsecureChannelCredentials(),
                                   arguments);
}

std::string ErrorDetails::Fields() const {
  return absl::StrJoin(bad_request.field_violations(), ",",
                       [](std::string* out, const auto& violation) { *out += violation.field(); });
}

ErrorDetails DetailsOf(const grpc::Status& status) {
  ErrorDetails details;
  google::rpc::Status decoded;
  EXPECT_TRUE(decoded.ParseFromString(status.error_details()));
  for (const google::protobuf::Any& detail : decoded.details()) {
    google::rpc::ErrorInfo info;
    if (detail.UnpackTo(&info)) details.reason = info.reason();
    detail.UnpackTo(&details.bad_request);
    details.has_retry_info |= detail.Is<google::rpc::RetryInfo>();
  }
  return details;
}

grpc::Status CallUnary(TestService& service, const google::protobuf::Message& request,
                       google::protobuf::Message* response, absl::Duration patience) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + patience));
  const google::protobuf::MethodDescriptor& method = MethodOf(request);
  EXPECT_EQ(method.output_type(), response->GetDescriptor()) << method.full_name();
  grpc::TemplatedGenericStub<google::protobuf::Message, google::protobuf::Message> stub(
      service.channel());
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(
      &context, absl::StrCat("/", method.service()->full_name(), "/", method.name()), request,
      &queue);
  call->StartCall();
  grpc::Status status;
  call->Finish(response, &status, /*tag=*/nullptr);
  void* tag;
  bool ok;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  return status;
}

v1::ImportResponse Import(TestService& service, const v1::ImportRequest& request,
                          grpc::Status* status) {
  return AnswerTo<v1::ImportResponse>(service, request, status);
}

v1::Snapshot Recalculate(TestService& service, const v1::RecalculateRequest& request,
                         grpc::Status* status) {
  return AnswerTo<v1::Snapshot>(service, request, status);
}

v1::RankJobsResponse RankJobs(TestService& service, const v1::RankJobsRequest& request,
                              grpc::Status* status) {
  return AnswerTo<v1::RankJobsResponse>(service, request, status);
}

v1::ListSharesResponse ListShares(TestService& service, const v1::ListSharesRequest& request,
                                  grpc::Status* status) {
  return AnswerTo<v1::ListSharesResponse>(service, request, status);
}

v1::RecordUsageResponse RecordUsage(TestService& service, const v1::RecordUsageRequest& request,
                                    grpc::Status* status) {
  return AnswerTo<v1::RecordUsageResponse>(service, request, status);
}

v1::UpdateJobsResponse UpdateJobs(TestService& service, const v1::UpdateJobsRequest& request,
                                  grpc::Status* status) {
  return AnswerTo<v1::UpdateJobsResponse>(service, request, status);
}

v1::ListJobsResponse ListJobs(TestService& service, const v1::ListJobsRequest& request,
                              grpc::Status* status) {
  return AnswerTo<v1::ListJobsResponse>(service, request, status);
}

v1::ExplainPriorityResponse ExplainPriority(TestService& service,
                                            const v1::ExplainPriorityRequest& request,
                                            grpc::Status* status) {
  return AnswerTo<v1::ExplainPriorityResponse>(service, request, status);
}

v1::ApplyPolicyResponse ApplyPolicy(TestService& service, const v1::ApplyPolicyRequest& request,
                                    grpc::Status* status) {
  return AnswerTo<v1::ApplyPolicyResponse>(service, request, status);
}

v1::RebuildUsageResponse RebuildUsage(TestService& service,
                                      const v1::RebuildUsageRequest& request) {
  grpc::ClientContext context;
  auto reader = AdminStub(service).RebuildUsage(&context, request);
  v1::RebuildUsageResponse response;
  while (reader->Read(&response)) {
  }
  const grpc::Status status = reader->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.done());
  return response;
}

void AddFile(v1::FileKind kind, const std::string& name, const std::string& content,
             v1::ImportRequest* request) {
  v1::File* file = request->add_files();
  file->set_kind(kind);
  file->set_name(name);
  file->set_content(content);
}

v1::ImportRequest SmallSite(const std::string& policy) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          absl::StrCat("ClusterName=c\nPriorityType=priority/multifactor\n", policy,
                       "NodeName=n[1-10] CPUs=10 RealMemory=1000\n"
                       "PartitionName=main Nodes=ALL Default=YES\n"),
          &request);
  AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|Priority|UsageFactor\nnormal|0|1\ndouble|10|2\n",
          &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1:QOS='normal,double'\n"
          "Parent - 'root'\n"
          "Account - 'a':Fairshare=1\n"
          "Account - 'b':Fairshare=1\n"
          "Parent - 'a'\n"
          "User - 'amy':DefaultAccount='a':Fairshare=2\n"
          "User - 'ben':DefaultAccount='a':Fairshare=1\n"
          "Parent - 'b'\n"
          "User - 'cat':DefaultAccount='b':Fairshare=1\n",
          &request);
  return request;
}

void RemoveAmy(TestService& service, const std::string& policy) {
  v1::ImportRequest request = SmallSite(policy);
  std::string* dump = request.mutable_files(2)->mutable_content();
  const size_t line = dump->find("User - 'amy'");
  dump->erase(line, dump->find('\n', line) + 1 - line);
  request.set_clean(true);
  Import(service, request);
}

v1::AssociationShare ShareOf(const v1::ListSharesResponse& response, const std::string& account,
                             const std::string& user) {
  for (const v1::AssociationShare& share : response.shares()) {
    if (share.account() == account && share.user() == user) return share;
  }
  ADD_FAILURE() << "no share of " << account << " " << user;
  return {};
}

google::protobuf::Timestamp ToTimestamp(absl::Time time) {
  google::protobuf::Timestamp timestamp;
  ToProto(time, &timestamp);
  return timestamp;
}

v1::UsageRecord Usage(const std::string& record_id, absl::Time start, absl::Duration length,
                      double cpus) {
  v1::UsageRecord record;
  record.set_source("test");
  record.set_record_id(record_id);
  record.set_user("amy");
  record.set_account("a");
  *record.mutable_start_time() = ToTimestamp(start);
  *record.mutable_end_time() = ToTimestamp(start + length);
  (*record.mutable_tres())["cpu"] = cpus;
  return record;
}

}  // namespace priorityd::rpc
