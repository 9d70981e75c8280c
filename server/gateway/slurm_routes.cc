#include "server/gateway/slurm_routes.h"

#include <grpcpp/client_context.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/errors/error_details.h"
#include "server/gateway/answers.h"
#include "server/gateway/call_tags.h"
#include "server/gateway/message_room.h"
#include "server/gateway/relay.h"
#include "server/gateway/slurm_list.h"
#include "server/transport/admission.h"
#include "server/transport/call.h"
#include "server/transport/status.h"
#include "server/transport/unchanged.h"

namespace priorityd::gateway {
namespace {

// One request: calls the RPC for each page until there is no further one, then answers.
class SlurmCall : public std::enable_shared_from_this<SlurmCall> {
 public:
  SlurmCall(const SlurmMeans& means, std::shared_ptr<http::Exchange> exchange,
            std::unique_ptr<SlurmList> list)
      : means_(means), exchange_(std::move(exchange)), list_(std::move(list)) {}

  void RequestPage() {
    context_ = std::make_shared<grpc::ClientContext>();
    const absl::Status relayed = Relay(asked(), std::nullopt, context_.get());
    if (!relayed.ok()) return Fail(rpc::ToGrpcStatus(relayed));
    const std::string known = is_first_ ? KnownTag(asked()) : "";
    if (!known.empty()) context_->AddMetadata(rpc::kKnownTagMetadata, known);
    context_->set_deadline(deadline_);
    exchange_->OnGone([context = context_] { context->TryCancel(); });
    exchange_->LookForPeer();
    request_ = BytesOf(list_->request());
    means_.stub->UnaryCall(
        context_.get(), list_->method(), {}, &request_, &response_,
        [self = shared_from_this()](grpc::Status status) { self->Schedule(status); });
  }

  void Fail(const grpc::Status& status) {
    http::Response response = FailureResponse(*context_, status);
    response.body = list_->ErrorBody(asked().peer.address, status) + "\n";
    Answer(std::move(response));
  }

 private:
  const http::Request& asked() const { return exchange_->request(); }

  // JSON is not built on gRPC's threads.
  void Schedule(const grpc::Status& status) {
    const absl::Status taken =
        ScheduleAnswer(response_, asked(), *means_.admission, means_.answering,
                       [self = shared_from_this(), status] { self->TakePage(status); });
    if (!taken.ok()) Fail(rpc::ToGrpcStatus(taken));
  }

  void TakePage(const grpc::Status& status) {
    if (!status.ok()) return Fail(status);
    if (is_first_) tag_ = InitialMetadataOf(*context_, rpc::kTagMetadata);
    if (is_first_ && !InitialMetadataOf(*context_, rpc::kUnchangedMetadata).empty()) {
      return Answer(NotModified(FullTag(asked(), tag_)));
    }
    is_first_ = false;
    const absl::StatusOr<bool> more = ReadPage();
    if (!more.ok()) return Fail(rpc::ToGrpcStatus(more.status()));
    if (absl::Status s = HoldRows(); !s.ok()) return Fail(rpc::ToGrpcStatus(s));
    if (*more) return RequestPage();
    http::Response response = JsonResponse(list_->TakeBody(asked().peer.address));
    const std::string tag = tag_.empty() ? DigestOf(response.body) : FullTag(asked(), tag_);
    Answer(Tagged(asked(), tag, std::move(response)));
  }

  // True if there is a further page.
  absl::StatusOr<bool> ReadPage() {
    const auto room = ParseAnswer(&response_, *means_.admission, list_->response());
    if (!room.ok()) return room.status();
    return list_->TakePage();
  }

  // Takes room for the rows of the page, until there is an answer.
  absl::Status HoldRows() {
    auto room = means_.admission->Reserve(list_->bytes() - held_bytes_);
    if (!room.ok()) return room.status();
    held_bytes_ = list_->bytes();
    rooms_.push_back(*std::move(room));
    return absl::OkStatus();
  }

  void Answer(http::Response response) {
    response = Encoded(asked(), std::move(response));
    means_.origins->Permit(asked(), &response);
    rooms_.clear();  // The connection takes room for the answer itself.
    exchange_->Answer(std::move(response));
  }

  const SlurmMeans means_;
  const std::shared_ptr<http::Exchange> exchange_;
  const std::unique_ptr<SlurmList> list_;
  const std::chrono::system_clock::time_point deadline_ =
      std::chrono::system_clock::now() + kPatience;
  // Of the present call.
  std::shared_ptr<grpc::ClientContext> context_ = std::make_shared<grpc::ClientContext>();
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  bool is_first_ = true;
  std::vector<rpc::Admission::Room> rooms_;  // Of the rows, page by page.
  size_t held_bytes_ = 0;                    // In them.
  std::string tag_;  // The tag of the first page's snapshot; empty = the RPC has none.
};

absl::Status With(const char* reason, absl::Status status) {
  return errors::WithReason(std::move(status), reason);
}

void Serve(const SlurmMeans& means, const std::shared_ptr<http::Exchange>& exchange) {
  const http::Request& request = exchange->request();
  if (request.method == "OPTIONS") return exchange->Answer(means.origins->Preflight(request));
  const auto refuse = [&](const absl::Status& status, int http_status) {
    http::Response response = ErrorResponse(rpc::ToGrpcStatus(status));
    response.status = http_status;
    if (http_status == 405) response.headers.emplace_back("Allow", "GET, HEAD");
    means.origins->Permit(request, &response);
    exchange->Answer(std::move(response));
  };
  const absl::Status checked = means.origins->Check(request);
  if (!checked.ok()) {
    return refuse(checked, errors::ReasonOf(checked) == "CONTENT_TYPE" ? 415 : 403);
  }
  std::unique_ptr<SlurmList> list = SlurmList::For(request.path);
  if (list == nullptr) {
    return refuse(With("NO_SUCH_METHOD",
                       absl::NotFoundError("path: want shares, jobs, job/ID, qos, qos/NAME, "
                                           "associations or association of v0.0.40 to v0.0.44")),
                  404);
  }
  if (!request.IsRead()) {
    return refuse(With("METHOD_REFUSED", absl::InvalidArgumentError("method: want GET")), 405);
  }
  const absl::Status set = list->SetParameters(request.query);
  const auto call = std::make_shared<SlurmCall>(means, exchange, std::move(list));
  if (!set.ok()) return call->Fail(rpc::ToGrpcStatus(set));
  call->RequestPage();
}

}  // namespace

void AddSlurmRoutes(const SlurmMeans& means, http::Routes* routes) {
  for (const char* prefix : {"/slurm/", "/slurmdb/"}) {
    routes->handlers[prefix] = [means](const std::shared_ptr<http::Exchange>& exchange) {
      Serve(means, exchange);
    };
  }
}

}  // namespace priorityd::gateway
