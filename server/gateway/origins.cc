#include "server/gateway/origins.h"

#include <arpa/inet.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"

namespace priorityd::gateway {
namespace {

constexpr size_t kMostQuotedOrigin = 100;

// What follows `https://`.
std::string AuthorityOf(const std::string& origin) {
  const size_t begin = origin.find("://");
  return begin == std::string::npos ? "" : absl::AsciiStrToLower(origin.substr(begin + 3));
}

// Without the port.
std::string HostOf(const std::string& authority) {
  if (absl::StartsWith(authority, "[")) return authority.substr(0, authority.find(']') + 1);
  return absl::AsciiStrToLower(authority.substr(0, authority.rfind(':')));
}

bool IsAddress(const std::string& host) {
  in_addr v4;
  return absl::StartsWith(host, "[") || inet_pton(AF_INET, host.c_str(), &v4) == 1;
}

std::string Quoted(const std::string& text) { return text.substr(0, kMostQuotedOrigin); }

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return absl::AsciiStrToLower(name);
}

bool IsSameOrigin(const http::Request& request, const std::string& origin) {
  return request.Header("sec-fetch-site") == "same-origin" ||
         AuthorityOf(origin) == absl::AsciiStrToLower(request.Header("host"));
}

absl::Status Refused(const char* reason, const std::string& message) {
  return errors::WithReason(absl::PermissionDeniedError(message), reason);
}

absl::Status CheckContentType(const http::Request& request) {
  const std::string type = absl::AsciiStrToLower(request.Header("content-type"));
  const std::string kind(absl::StripAsciiWhitespace(type.substr(0, type.find(';'))));
  if (request.method != "POST") return absl::OkStatus();
  const std::string coding = absl::AsciiStrToLower(request.Header("content-encoding"));
  if (kind == "application/json" && (coding.empty() || coding == "identity")) {
    return absl::OkStatus();
  }
  const std::string wrong =
      kind == "application/json"
          ? absl::StrCat("Content-Encoding: got ", Quoted(coding), ", want none")
          : absl::StrCat("Content-Type: got ", kind.empty() ? "none" : Quoted(kind),
                         ", want application/json");
  return errors::WithReason(absl::InvalidArgumentError(wrong), "CONTENT_TYPE");
}

}  // namespace

Origins::Origins(const Options& options)
    : allowed_(options.allowed.begin(), options.allowed.end()), anonymous_(options.anonymous) {
  hosts_.insert(HostName());
  for (const std::string& origin : allowed_) hosts_.insert(HostOf(AuthorityOf(origin)));
}

// A name with a dot may be a stranger's, whose name server gives this host's address for it; then
// the stranger's page and this service are of one origin to the browser.
bool Origins::KnowsHost(const std::string& host) const {
  return host.empty() || IsAddress(host) || !absl::StrContains(host, '.') || hosts_.count(host) > 0;
}

absl::Status Origins::Check(const http::Request& request) const {
  const std::string origin = request.Header("origin");
  if (!origin.empty() && !IsSameOrigin(request, origin) && !Allows(origin)) {
    return Refused("ORIGIN_REFUSED", absl::StrCat("Origin: got ", Quoted(origin),
                                                  ", want this service's own, or one of "
                                                  "--http_allow_origin"));
  }
  const std::string host = HostOf(request.Header("host"));
  if (anonymous_ && !KnowsHost(host)) {
    return Refused("HOST_REFUSED",
                   absl::StrCat("Host: got ", Quoted(host),
                                ", want an address, this host's name, or that of a "
                                "--http_allow_origin, where no --auth_file says who may call"));
  }
  return CheckContentType(request);
}

void Origins::Permit(const http::Request& request, http::Response* response) const {
  const std::string origin = request.Header("origin");
  if (!Allows(origin)) return;
  response->headers.emplace_back("Access-Control-Allow-Origin", origin);
  response->headers.emplace_back("Access-Control-Expose-Headers", "ETag, Retry-After");
}

http::Response Origins::Preflight(const http::Request& request) const {
  http::Response response;
  response.status = 204;
  response.headers.emplace_back("Vary", "Origin");
  if (!Allows(request.Header("origin"))) {
    response.status = 403;
    response.body = "Origin: want one of --http_allow_origin\n";
    return response;
  }
  Permit(request, &response);
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  response.headers.emplace_back("Access-Control-Allow-Headers",
                                "authorization, content-type, if-none-match, x-slurm-user-token");
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

}  // namespace priorityd::gateway
