#include "server/gateway/sign_in_routes.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "engine/errors/error_details.h"
#include "server/gateway/answers.h"
#include "server/identity/peer_host.h"
#include "server/transport/status.h"

namespace priorityd::gateway {
namespace {

struct Step {
  const char* method;
  http::Response (sign_in::SignIn::*run)(const http::Request&);
};

const std::map<std::string, Step>& Steps() {
  static const auto* const kSteps =
      new std::map<std::string, Step>{{"/signin/begin", {"GET", &sign_in::SignIn::Begin}},
                                      {"/signin/done", {"GET", &sign_in::SignIn::Finish}},
                                      {"/signin/end", {"POST", &sign_in::SignIn::End}}};
  return *kSteps;
}

http::Response Refusal(int http_status, const absl::Status& status, const char* reason) {
  http::Response response = ErrorResponse(rpc::ToGrpcStatus(errors::WithReason(status, reason)));
  response.status = http_status;
  return response;
}

http::Response Choices(const sign_in::SignIn* sign_in) {
  const nlohmann::json choices = {{"issuer", sign_in == nullptr ? "" : sign_in->issuer()}};
  http::Response response = JsonResponse(choices.dump());
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

void ServeSignIn(const SignInMeans& means, const std::shared_ptr<http::Exchange>& exchange) {
  const http::Request& request = exchange->request();
  if (request.path == "/signin/options") return exchange->Answer(Choices(means.sign_in));
  const auto step = Steps().find(request.path);
  if (step == Steps().end() || means.sign_in == nullptr) {
    return exchange->Answer(
        Refusal(404,
                absl::NotFoundError("path: want /signin/options, or those of a service with "
                                    "--oidc_issuer"),
                "NO_SUCH_METHOD"));
  }
  if (request.method != step->second.method) {
    http::Response refusal =
        Refusal(405, absl::InvalidArgumentError(std::string("method: want ") + step->second.method),
                "METHOD_REFUSED");
    refusal.headers.emplace_back("Allow", step->second.method);
    return exchange->Answer(std::move(refusal));
  }
  const auto run = [sign_in = means.sign_in, exchange, step = step->second] {
    exchange->Answer((sign_in->*step.run)(exchange->request()));
    return true;
  };
  const std::string host = identity::HostOfPeer(request.peer.address);
  if (means.threads->TrySchedule(host, run)) return;
  exchange->Answer(ErrorResponse(rpc::ToGrpcStatus(rpc::BusyError())));
}

}  // namespace

void AddSignInRoutes(const SignInMeans& means, http::Routes* routes) {
  routes->handlers["/signin/"] = [means](const std::shared_ptr<http::Exchange>& exchange) {
    const absl::Status checked = means.origins->Check(exchange->request());
    if (checked.ok()) return ServeSignIn(means, exchange);
    const bool is_type = errors::ReasonOf(checked) == "CONTENT_TYPE";
    http::Response response = ErrorResponse(rpc::ToGrpcStatus(checked));
    response.status = is_type ? 415 : 403;
    exchange->Answer(std::move(response));
  };
}

}  // namespace priorityd::gateway
