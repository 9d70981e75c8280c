#include "server/sign_in/sign_in.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::sign_in {
namespace {

using Json = nlohmann::json;

// Names of cookies, and purposes of what is sealed in them.
constexpr char kSession[] = "priorityd-session";
constexpr char kBeginning[] = "priorityd-signin";
constexpr absl::Duration kTimeToSignIn = absl::Minutes(10);
constexpr size_t kSecretBytes = 32;
constexpr size_t kMostViewBytes = 512;
constexpr size_t kMostCodeBytes = 4 << 10;
constexpr size_t kMostQuoted = 100;

// A request that belongs to no sign-in of this browser.
absl::Status OfNone(absl::string_view what) { return absl::FailedPreconditionError(what); }

// The word for the page, which has the sentences.
const char* ReasonOf(const absl::Status& why) {
  if (absl::IsFailedPrecondition(why)) return "state";
  if (absl::IsPermissionDenied(why)) return "refused";
  return absl::IsUnauthenticated(why) ? "token" : "provider";
}

// Texts from a query or a provider, for the log.
std::string Quoted(absl::string_view text) {
  std::string quoted(text.substr(0, kMostQuoted));
  for (char& c : quoted) c = absl::ascii_isgraph(static_cast<unsigned char>(c)) ? c : '?';
  return quoted;
}

// A fragment of the page's own address; it cannot lead elsewhere.
std::string ViewOf(const std::string& to) {
  const bool is_plain = std::all_of(to.begin(), to.end(), [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '"' && c != '<';
  });
  return is_plain && to.size() <= kMostViewBytes ? to : "";
}

http::Response Redirect(std::string url) {
  http::Response response;
  response.status = 303;
  response.headers = {{"Location", std::move(url)},
                      {"Cache-Control", "no-store"},
                      {"Referrer-Policy", "no-referrer"}};
  return response;
}

std::string WithQuery(const std::string& url, const Fields& fields) {
  return absl::StrCat(url, absl::StrContains(url, '?') ? "&" : "?", FormOf(fields));
}

int64_t SecondsOf(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

std::string TextIn(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// Null if nothing of ours is in it.
Json Unsealed(const Sealer& sealer, absl::string_view purpose, absl::string_view sealed) {
  const auto text = sealer.Open(purpose, sealed);
  if (!text.has_value()) return nullptr;
  return Json::parse(*text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

// A sign-in in progress.
struct SignIn::Beginning {
  std::string state;
  std::string nonce;
  std::string verifier;
  std::string view;
};

SignIn::SignIn(Options options)
    : options_(std::move(options)),
      sealer_(options_.key),
      cookies_(options_.page_url),
      origin_(OriginOf(options_.page_url)),
      provider_(options_.issuer, options_.client, options_.ca_file) {}

http::Response SignIn::Begin(const http::Request& request) {
  const auto endpoints = provider_.Discover();
  if (!endpoints.ok()) return Failed(request, endpoints.status());
  const Beginning beginning = {.state = RandomText(kSecretBytes),
                               .nonce = RandomText(kSecretBytes),
                               .verifier = RandomText(kSecretBytes),
                               .view = ViewOf(ValueIn(request.query, "to"))};
  const Json sealed = {{"state", beginning.state},
                       {"nonce", beginning.nonce},
                       {"verifier", beginning.verifier},
                       {"view", beginning.view},
                       {"until", absl::ToUnixSeconds(options_.clock() + kTimeToSignIn)}};
  http::Response response = Redirect(
      WithQuery(endpoints->authorization, {{"response_type", "code"},
                                           {"client_id", options_.client.id},
                                           {"redirect_uri", RedirectUrl()},
                                           {"scope", options_.scope},
                                           {"state", beginning.state},
                                           {"nonce", beginning.nonce},
                                           {"code_challenge", ChallengeOf(beginning.verifier)},
                                           {"code_challenge_method", "S256"}}));
  response.headers.emplace_back(
      "Set-Cookie",
      cookies_.Setting(kBeginning, sealer_.Seal(kBeginning, sealed.dump()), kTimeToSignIn));
  return response;
}

absl::StatusOr<SignIn::Beginning> SignIn::BeginningOf(const http::Request& request) const {
  const Json json =
      Unsealed(sealer_, kBeginning, cookies_.ValueIn(request.Header("cookie"), kBeginning));
  if (!json.is_object()) return OfNone("got no cookie of a sign-in that began here");
  if (absl::ToUnixSeconds(options_.clock()) >= SecondsOf(json, "until")) {
    return OfNone(
        absl::StrCat("got a sign-in that took longer than ", absl::FormatDuration(kTimeToSignIn)));
  }
  Beginning beginning = {.state = TextIn(json, "state"),
                         .nonce = TextIn(json, "nonce"),
                         .verifier = TextIn(json, "verifier"),
                         .view = TextIn(json, "view")};
  if (ValueIn(request.query, "state") == beginning.state) return beginning;
  return OfNone("got the state of another sign-in");
}

absl::StatusOr<identity::Session> SignIn::Exchange(const http::Request& request,
                                                   const Beginning& beginning) {
  const auto endpoints = provider_.Discover();
  if (!endpoints.ok()) return endpoints.status();
  const std::string issuer = ValueIn(request.query, "iss");
  if (issuer != options_.issuer && (endpoints->names_issuer || !issuer.empty())) {
    return absl::PermissionDeniedError(
        absl::StrCat("iss: got ", Quoted(issuer), ", want ", options_.issuer));
  }
  const std::string code = ValueIn(request.query, "code");
  if (code.empty() || code.size() > kMostCodeBytes) {
    return absl::PermissionDeniedError(
        absl::StrCat("got the error ", Quoted(ValueIn(request.query, "error")), ", want a code"));
  }
  const auto token = provider_.IdTokenFor(code, beginning.verifier, RedirectUrl());
  if (!token.ok()) return token.status();
  return options_.authenticator->VerifyIdToken(
      *token, {options_.issuer, options_.client.id, beginning.nonce});
}

http::Response SignIn::Finish(const http::Request& request) {
  const auto beginning = BeginningOf(request);
  auto session = beginning.ok() ? Exchange(request, *beginning) : beginning.status();
  http::Response response =
      session.ok() ? ToView(beginning->view) : Failed(request, session.status());
  // A repeated request finds no sign-in in progress.
  response.headers.emplace_back("Set-Cookie",
                                cookies_.Setting(kBeginning, "", absl::ZeroDuration()));
  if (!session.ok()) return response;
  session->ends = options_.clock() + options_.session_time;
  spdlog::info("sign-in: {} by {} from {}", session->name, session->issuer, request.peer.address);
  const Json sealed = {{"issuer", session->issuer},
                       {"name", session->name},
                       {"ends", absl::ToUnixSeconds(session->ends)}};
  response.headers.emplace_back(
      "Set-Cookie",
      cookies_.Setting(kSession, sealer_.Seal(kSession, sealed.dump()), options_.session_time));
  return response;
}

http::Response SignIn::End(const http::Request& request) {
  http::Response response;
  response.content_type = "application/json";
  response.headers = {{"Cache-Control", "no-store"}};
  if (request.Header("origin") != origin_) {
    response.status = 403;
    response.body = R"({"message":"Origin: want this page's own"})";
    return response;
  }
  const auto endpoints = provider_.Discover();
  const std::string url = endpoints.ok() ? endpoints->end_session : "";
  const Json body = {
      {"next", url.empty() ? ""
                           : WithQuery(url, {{"client_id", options_.client.id},
                                             {"post_logout_redirect_uri", options_.page_url}})}};
  response.body = body.dump();
  response.headers.emplace_back("Set-Cookie", cookies_.Setting(kSession, "", absl::ZeroDuration()));
  return response;
}

bool SignIn::IsOurs(const http::Request& request) const {
  if (!request.IsRead()) return request.Header("origin") == origin_;
  const std::string site = request.Header("sec-fetch-site");
  return site.empty() || site == "same-origin" || site == "none";
}

absl::StatusOr<std::optional<identity::Session>> SignIn::SessionIn(
    const http::Request& request) const {
  if (!request.Header("authorization").empty() || !request.Header("x-slurm-user-token").empty()) {
    return std::nullopt;
  }
  const Json json =
      Unsealed(sealer_, kSession, cookies_.ValueIn(request.Header("cookie"), kSession));
  if (!json.is_object()) return std::nullopt;
  if (!IsOurs(request)) {
    return errors::WithReason(
        absl::PermissionDeniedError(absl::StrCat("Origin: got ", Quoted(request.Header("origin")),
                                                 " with a session, want ", origin_)),
        "ORIGIN_REFUSED");
  }
  return identity::Session{.issuer = TextIn(json, "issuer"),
                           .name = TextIn(json, "name"),
                           .ends = absl::FromUnixSeconds(SecondsOf(json, "ends"))};
}

http::Response SignIn::ToView(absl::string_view view) const {
  return Redirect(absl::StrCat(options_.page_url, view.empty() ? "" : "#", view));
}

http::Response SignIn::Failed(const http::Request& request, const absl::Status& why) const {
  spdlog::warn("sign-in: refused from {}: {}", request.peer.address, std::string(why.message()));
  return ToView(absl::StrCat("/signin?failed=", ReasonOf(why)));
}

}  // namespace priorityd::sign_in
