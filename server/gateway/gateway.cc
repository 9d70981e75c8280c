#include "server/gateway/gateway.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "server/gateway/answers.h"
#include "server/gateway/call_tags.h"
#include "server/gateway/event_stream.h"
#include "server/gateway/kept_page.h"
#include "server/gateway/message_room.h"
#include "server/gateway/open_api.h"
#include "server/gateway/relay.h"
#include "server/gateway/sign_in_routes.h"
#include "server/gateway/slurm_routes.h"
#include "server/gateway/transcoding.h"
#include "server/gateway/web_page.h"
#include "server/transport/call.h"
#include "server/transport/status.h"
#include "server/transport/unchanged.h"

namespace priorityd::gateway {
namespace {

// Sign-ins that wait for the provider, and those that wait for a thread.
constexpr int kSignInThreads = 4;
constexpr size_t kMostSignIns = 64;

using Finish = std::function<void(http::Response*)>;

// Type and bytes, which determine the JSON of a message.
std::string ArgumentOf(const Message& message) {
  std::string argument = absl::StrCat(message.GetTypeName(), "\n");
  google::protobuf::io::StringOutputStream stream(&argument);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  return argument;
}

absl::Status With(const char* reason, absl::Status status) {
  return errors::WithReason(std::move(status), reason);
}

// A unary call, from its start until its answer is sent.
struct UnaryCall {
  std::shared_ptr<http::Exchange> exchange;
  const Method* method;
  std::shared_ptr<grpc::ClientContext> context = std::make_shared<grpc::ClientContext>();
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  Finish finish;
  Gateway::Texts* texts;
  rpc::Admission* admission;

  std::string JsonOf(const Message& answer) const {
    return texts->json.Of(ArgumentOf(answer), [&] { return ToJson(answer); });
  }

  http::Response ResponseOf(const grpc::Status& status) {
    if (!status.ok()) return FailureResponse(*context, status);
    const std::unique_ptr<Message> answered = method->NewResponse();
    const auto room = ParseAnswer(&response, *admission, answered.get());
    if (!room.ok()) return ErrorResponse(rpc::ToGrpcStatus(room.status()));
    const http::Request& asked = exchange->request();
    const std::string tag = InitialMetadataOf(*context, rpc::kTagMetadata);
    const std::string full_tag = FullTag(asked, tag);
    if (!InitialMetadataOf(*context, rpc::kUnchangedMetadata).empty()) return NotModified(full_tag);
    http::Response answer = JsonResponse(JsonOf(*answered));
    if (!asked.IsRead()) return answer;
    const std::string own_tag = tag.empty() ? DigestOf(answer.body) : full_tag;
    return Tagged(asked, own_tag, std::move(answer));
  }

  void Answer(const grpc::Status& status) {
    http::Response answer = Encoded(exchange->request(), ResponseOf(status), &texts->packed);
    finish(&answer);
    exchange->Answer(std::move(answer));
  }
};

// For the header Allow. Event streams do not support HEAD.
const char* TakenBy(const Method& method) {
  if (!method.is_read) return "POST";
  return method.descriptor->server_streaming() ? "GET, POST" : "GET, HEAD, POST";
}

// Whether the method accepts the request.
absl::Status CheckMethod(const http::Request& request, const Method& method) {
  if (method.descriptor->client_streaming()) {
    return With("CLIENT_STREAM", absl::UnimplementedError(absl::StrCat(
                                     method.descriptor->name(),
                                     " takes a stream of requests, which JSON over HTTP "
                                     "has none of; want gRPC, or RecordUsage")));
  }
  const std::vector<absl::string_view> taken = absl::StrSplit(TakenBy(method), ", ");
  if (absl::c_linear_search(taken, request.method)) return absl::OkStatus();
  return With("METHOD_REFUSED", absl::InvalidArgumentError(absl::StrCat(
                                    "method: got ", request.method, ", want ",
                                    absl::StrReplaceAll(TakenBy(method), {{", ", " or "}}))));
}

}  // namespace

Gateway::Gateway(Options options)
    : origins_(options.origins),
      frame_ancestors_(std::move(options.frame_ancestors)),
      boundary_(*options.boundary),
      pools_(*options.pools),
      stub_(std::move(options.channel)),
      sign_in_(std::move(options.sign_in)) {
  if (sign_in_ == nullptr) return;
  signing_in_ = std::make_unique<rpc::WorkerPool>(
      rpc::WorkerPool::Options{.threads = kSignInThreads, .max_queued = kMostSignIns});
}

Gateway::~Gateway() {
  pools_.answering.AwaitIdle();
  pools_.converting.AwaitIdle();
}

void Gateway::AddRoutes(http::Routes* routes) {
  routes->handlers["/v1/"] = [this](const std::shared_ptr<http::Exchange>& exchange) {
    Serve(exchange);
  };
  routes->pages["/openapi.json"] = KeptPage(JsonResponse(OpenApi()));
  AddSlurmRoutes({&stub_, &origins_, &pools_.answering, &boundary_.admission()}, routes);
  AddSignInRoutes({sign_in_.get(), &origins_, signing_in_.get()}, routes);
  routes->check_large = [this](const http::Request& head) { return CheckLarge(head); };
  AddWebPage(frame_ancestors_, routes);
}

std::optional<http::Response> Gateway::CheckLarge(const http::Request& head) {
  const absl::StatusOr<Session> session = SessionIn(head);
  const auto presented =
      rpc::PresentedBy(head.Header("authorization"), head.Header("x-slurm-user-token"),
                       session.ok() ? *session : std::nullopt, head.peer.certificate_names);
  const absl::Status proved =
      session.ok() ? boundary_.CheckProof(presented, head.peer.address) : session.status();
  if (proved.ok()) return std::nullopt;
  http::Response response = ErrorResponse(rpc::ToGrpcStatus(proved));
  origins_.Permit(head, &response);
  return response;
}

absl::StatusOr<Gateway::Session> Gateway::SessionIn(const http::Request& request) const {
  return sign_in_ == nullptr ? Session() : sign_in_->SessionIn(request);
}

void Gateway::Serve(const std::shared_ptr<http::Exchange>& exchange) {
  const http::Request& request = exchange->request();
  if (request.method == "OPTIONS") return exchange->Answer(origins_.Preflight(request));
  const auto refuse = [&](const absl::Status& status, int http_status = 0,
                          const char* methods = nullptr) {
    http::Response response = ErrorResponse(rpc::ToGrpcStatus(status));
    if (http_status != 0) response.status = http_status;
    if (methods != nullptr) response.headers.emplace_back("Allow", methods);
    origins_.Permit(request, &response);
    exchange->Answer(std::move(response));
  };
  const absl::Status checked = origins_.Check(request);
  if (!checked.ok()) {
    return refuse(checked, errors::ReasonOf(checked) == "CONTENT_TYPE" ? 415 : 403);
  }
  const auto method = Methods().find(request.path);
  if (method == Methods().end()) {
    return refuse(With("NO_SUCH_METHOD",
                       absl::NotFoundError("path: want one of those that /openapi.json lists")));
  }
  const absl::Status taken = CheckMethod(request, method->second);
  if (absl::IsUnimplemented(taken)) return refuse(taken, 501);
  if (!taken.ok()) return refuse(taken, 405, TakenBy(method->second));
  const absl::StatusOr<Session> session = SessionIn(request);
  if (!session.ok()) return refuse(session.status(), 403);
  Call(exchange, method->second, *session);
}

void Gateway::Call(const std::shared_ptr<http::Exchange>& exchange, const Method& method,
                   const Session& session) {
  const http::Request& request = exchange->request();
  const auto call = std::make_shared<UnaryCall>();
  call->exchange = exchange;
  call->method = &method;
  call->texts = &texts_;
  call->admission = &boundary_.admission();
  call->finish = [this, exchange](http::Response* response) {
    origins_.Permit(exchange->request(), response);
  };
  auto bytes = BytesOf(request, method, boundary_.admission());
  if (!bytes.ok()) return call->Answer(rpc::ToGrpcStatus(bytes.status()));
  call->request = *std::move(bytes);
  const absl::Status ready = Relay(request, session, call->context.get());
  if (!ready.ok()) return call->Answer(rpc::ToGrpcStatus(ready));
  if (method.descriptor->server_streaming()) {
    auto context = std::make_unique<grpc::ClientContext>();
    Relay(request, session, context.get()).IgnoreError();
    return BeginEvents(&stub_, &pools_.converting, &boundary_.admission(), method, exchange,
                       std::move(context), std::move(call->request), call->finish);
  }
  const std::string known = request.IsRead() ? KnownTag(request) : "";
  if (!known.empty()) call->context->AddMetadata(rpc::kKnownTagMetadata, known);
  call->context->set_deadline(std::chrono::system_clock::now() + kPatience);
  exchange->OnGone([context = call->context] { context->TryCancel(); });
  // A change is made even if its caller does not wait for the answer.
  if (method.only_reads) exchange->LookForPeer();
  stub_.UnaryCall(call->context.get(), method.name, {}, &call->request, &call->response,
                  [this, call](grpc::Status status) {
                    const absl::Status taken =
                        ScheduleAnswer(call->response, call->exchange->request(), *call->admission,
                                       &pools_.answering, [call, status] { call->Answer(status); });
                    if (!taken.ok()) call->Answer(rpc::ToGrpcStatus(taken));
                  });
}

}  // namespace priorityd::gateway
