#include "tests/server/service/secured_replica.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/identity/munge_credential.h"
#include "server/replica.h"
#include "tests/server/identity/slurm_tokens.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/test_database.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60);

void OrDie(const absl::Status& status) {
  if (status.ok()) return;
  ADD_FAILURE() << status;
  std::abort();
}

std::string Write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
  chmod(path.c_str(), 0600);
  return path;
}

grpc::ByteBuffer BytesOf(const google::protobuf::Message* message) {
  const grpc::Slice slice(message == nullptr ? "" : message->SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

void Parse(const grpc::ByteBuffer& bytes, google::protobuf::Message* message) {
  grpc::Slice slice;
  if (message == nullptr || !bytes.DumpToSingleSlice(&slice).ok()) return;
  EXPECT_TRUE(message->ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
}

// One operation after another on a call of any kind.
class RawCall {
 public:
  RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
          grpc::ClientContext* context)
      : stub_(channel), call_(stub_.PrepareCall(context, "/" + method, &queue_)) {}
  ~RawCall() {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  bool Start() { return call_->StartCall(this), Await(); }
  bool WriteLast(const grpc::ByteBuffer& bytes) {
    return call_->WriteLast(bytes, grpc::WriteOptions(), this), Await();
  }
  bool Read(grpc::ByteBuffer* bytes) { return call_->Read(bytes, this), Await(); }
  grpc::Status Finish() {
    grpc::Status status;
    call_->Finish(&status, this);
    Await();
    return status;
  }

 private:
  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  const std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace

SecuredReplica::SecuredReplica(Options options) {
  const std::string settings = absl::StrCat(
      "AuthType=auth/munge\nAuthInfo=socket=", munged_.socket(),
      "\nAuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=",
      Write(folder_.path() + "/jwt.key", identity::SlurmKey()),
      "\nTokenIssuer=https://k8s Audience=priorityd Name=k8s Jwks=",
      Write(folder_.path() + "/k8s.jwks", identity::JwksOf(k8s_.Jwk("a"))),
      "\nPrincipal=k8s:collector Role=collector\nPrincipal=k8s:frontend Role=frontend\n",
      "Principal=k8s:dashboard Role=dashboard\n", "Principal=k8s:provisioner Role=provisioner\n",
      "Principal=tls:collector.example.org Role=collector\n", options.more_settings);
  auto opened = identity::Authenticator::Open(
      Write(auth_file(), settings),
      options.clock == nullptr ? identity::WhileSlurmTokensHold : options.clock);
  OrDie(opened.status());
  authenticator_ = *std::move(opened);
  ReplicaOptions replica;
  replica.database_url = storage::NewTestDatabase();
  replica.server = options.server;
  replica.authenticator = authenticator_.get();
  replica.call_observers = options.call_observers;
  replica.quotas = replica.queue_bounds.parts = options.quotas;
  replica.proxy = options.proxy;
  replica.retention_period = absl::InfiniteDuration();
  replica.forecast_period = absl::InfiniteDuration();
  replica.database_connections = 8;
  replica.lease = absl::Minutes(10);
  replica.clocks = {.site = TestEpoch, .real = threads::RunningTime};
  replica_ = std::make_unique<Replica>(replica);
  OrDie(replica_->Listen());
  OrDie(replica_->Open());
  channel_ = grpc::CreateChannel(address(), grpc::InsecureChannelCredentials());
  if (options.server.tls.certificate.empty()) Import(options.policy);
}

SecuredReplica::~SecuredReplica() = default;

storage::Database& SecuredReplica::database() { return replica_->database(); }
forecasts::Books& SecuredReplica::forecasts() { return replica_->forecasts(); }
absl::Status SecuredReplica::ReadRoles() { return replica_->association_roles().Read(); }
const std::string& SecuredReplica::address() { return replica_->server().address(); }

void SecuredReplica::Import(const std::string& policy) {
  v1::ImportRequest request = SmallSite(policy);
  absl::StrAppend(request.mutable_files(2)->mutable_content(), "Parent - 'a'\n",
                  "User - 'ope':DefaultAccount='a':AdminLevel='Operator':Fairshare=1\n",
                  "User - 'adm':DefaultAccount='a':AdminLevel='Administrator':Fairshare=1\n",
                  "User - 'coo':DefaultAccount='a':Coordinator='a':Fairshare=1\n");
  const grpc::Status imported =
      Call("priority.v1.AdminService/Import", SlurmToken("root"), &request);
  EXPECT_TRUE(imported.ok()) << imported.error_message();
  OrDie(ReadRoles());
}

std::string SecuredReplica::SlurmToken(const std::string& user, int64_t exp) const {
  if (exp == 0) exp = absl::ToUnixSeconds(identity::SlurmTokensExpire());
  return "Bearer " + identity::SigningKey::OfSecret(identity::SlurmKey())
                         .Token(absl::StrCat(R"({"sun":")", user, R"(","exp":)", exp, "}"));
}

std::string SecuredReplica::ServiceToken(const std::string& name, int64_t exp) const {
  if (exp == 0) exp = absl::ToUnixSeconds(identity::SlurmTokensExpire());
  return "Bearer " + k8s_.Token(absl::StrCat(R"({"iss":"https://k8s","aud":["priorityd"],"sub":")",
                                             name, R"(","exp":)", exp, "}"));
}

grpc::Status SecuredReplica::Call(const std::string& method, const std::string& authorization,
                                  const google::protobuf::Message* request,
                                  google::protobuf::Message* response, const std::string& header,
                                  const std::string& traceparent) {
  return CallOn(channel_, method, authorization, request, response, header, traceparent);
}

grpc::Status SecuredReplica::CallOn(const std::shared_ptr<grpc::Channel>& channel,
                                    const std::string& method, const std::string& authorization,
                                    const google::protobuf::Message* request,
                                    google::protobuf::Message* response, const std::string& header,
                                    const std::string& traceparent) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  if (!authorization.empty()) context.AddMetadata(header, authorization);
  if (!traceparent.empty()) context.AddMetadata("traceparent", traceparent);
  RawCall call(channel, method, &context);
  if (!call.Start()) return call.Finish();
  call.WriteLast(BytesOf(request));
  grpc::ByteBuffer answer;
  const bool answered = call.Read(&answer);
  if (answered) {
    Parse(answer, response);
    // A watch would never end.
    context.TryCancel();
    while (call.Read(&answer)) {
    }
  }
  const grpc::Status status = call.Finish();
  return answered ? grpc::Status::OK : status;
}

}  // namespace priorityd::rpc
