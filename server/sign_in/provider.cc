#include "server/sign_in/provider.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace priorityd::sign_in {
namespace {

using Json = nlohmann::json;

constexpr absl::Duration kKept = absl::Hours(1);
constexpr absl::Duration kKeptFailure = absl::Seconds(5);
constexpr size_t kMostOfProvider = 200;

// Empty if there is no such member, or it is no text.
std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

bool TakesBasic(const Json& document) {
  const auto methods = document.find("token_endpoint_auth_methods_supported");
  if (methods == document.end() || !methods->is_array()) return true;
  return std::find(methods->begin(), methods->end(), "client_secret_basic") != methods->end();
}

absl::Status Unlike(const char* field, absl::string_view got, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": got ", got.substr(0, kMostOfProvider), ", want ", want));
}

absl::Status CheckEndpoint(const char* field, const std::string& url) {
  const absl::Status checked = CheckUrl(url);
  if (checked.ok()) return checked;
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": ", checked.message().substr(0, 2 * kMostOfProvider)));
}

}  // namespace

absl::StatusOr<Endpoints> ReadEndpoints(absl::string_view json, absl::string_view issuer) {
  const Json document = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return absl::InvalidArgumentError("got no JSON object, want one");
  const std::string named = TextOf(document, "issuer");
  if (named != issuer) return Unlike("issuer", named, issuer);
  Endpoints endpoints = {.authorization = TextOf(document, "authorization_endpoint"),
                         .token = TextOf(document, "token_endpoint"),
                         .end_session = TextOf(document, "end_session_endpoint"),
                         .takes_basic = TakesBasic(document)};
  const auto names = document.find("authorization_response_iss_parameter_supported");
  endpoints.names_issuer = names != document.end() && names->is_boolean() && names->get<bool>();
  absl::Status s = CheckEndpoint("authorization_endpoint", endpoints.authorization);
  if (!s.ok()) return s;
  s = CheckEndpoint("token_endpoint", endpoints.token);
  if (!s.ok()) return s;
  if (endpoints.end_session.empty()) return endpoints;
  s = CheckEndpoint("end_session_endpoint", endpoints.end_session);
  if (!s.ok()) return s;
  return endpoints;
}

Provider::Provider(std::string issuer, Client client, const std::string& ca_file)
    : issuer_(std::move(issuer)),
      client_(std::move(client)),
      web_(ca_file),
      endpoints_(absl::UnavailableError("not asked yet")) {}

absl::StatusOr<Endpoints> Provider::Discover() {
  // Others wait here for the same answer.
  absl::MutexLock lock(&mutex_);
  const absl::Time now = absl::Now();
  if (now < ask_at_ && ask_at_ - now <= kKept) return endpoints_;
  endpoints_ = Read();
  ask_at_ = absl::Now() + (endpoints_.ok() ? kKept : kKeptFailure);
  return endpoints_;
}

absl::StatusOr<Endpoints> Provider::Read() const {
  const std::string url =
      absl::StrCat(absl::StripSuffix(issuer_, "/"), "/.well-known/openid-configuration");
  const auto answer = web_.Ask({.url = url});
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) {
    return absl::UnavailableError(absl::StrCat(url, ": got HTTP ", answer->status, ", want 200"));
  }
  auto endpoints = ReadEndpoints(answer->body, issuer_);
  if (endpoints.ok()) return endpoints;
  return absl::UnavailableError(absl::StrCat(url, ": ", endpoints.status().message()));
}

absl::StatusOr<std::string> Provider::IdTokenFor(const std::string& code,
                                                 const std::string& verifier,
                                                 const std::string& redirect_url) {
  const auto endpoints = Discover();
  if (!endpoints.ok()) return endpoints.status();
  WebRequest request = {.url = endpoints->token,
                        .form = {{"grant_type", "authorization_code"},
                                 {"code", code},
                                 {"redirect_uri", redirect_url},
                                 {"code_verifier", verifier}}};
  if (client_.secret.empty()) {
    request.form.emplace_back("client_id", client_.id);
  } else if (endpoints->takes_basic) {
    // RFC 6749, 2.3.1: both encoded as in a form.
    request.name = PercentEncoded(client_.id);
    request.password = PercentEncoded(client_.secret);
  } else {
    request.form.emplace_back("client_id", client_.id);
    request.form.emplace_back("client_secret", client_.secret);
  }
  const auto answer = web_.Ask(request);
  if (!answer.ok()) return answer.status();
  const Json json = Json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
  if (answer->status == 400 || answer->status == 401) {
    const std::string error = json.is_object() ? TextOf(json, "error") : "";
    return absl::PermissionDeniedError(absl::StrCat(
        request.url, ": got ", error.substr(0, kMostOfProvider), ", want an ID token"));
  }
  std::string token = json.is_object() ? TextOf(json, "id_token") : "";
  if (answer->status == 200 && !token.empty()) return token;
  return absl::UnavailableError(
      absl::StrCat(request.url, ": got HTTP ", answer->status, " without id_token, want one"));
}

}  // namespace priorityd::sign_in
