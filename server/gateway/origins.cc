#include "server/gateway/origins.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::gateway {
namespace {

constexpr size_t kMostQuotedOrigin = 100;

// The part after `https://`.
std::string AuthorityOf(const std::string& origin) {
  const size_t begin = origin.find("://");
  return begin == std::string::npos ? "" : absl::AsciiStrToLower(origin.substr(begin + 3));
}

std::string Quoted(const std::string& text) { return text.substr(0, kMostQuotedOrigin); }

std::vector<std::string> HostsOf(const Origins::Options& options) {
  std::vector<std::string> hosts = options.hosts;
  for (const std::string& origin : options.allowed) {
    hosts.push_back(http::HostWithoutPort(AuthorityOf(origin)));
  }
  return hosts;
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
    : allowed_(options.allowed.begin(), options.allowed.end()),
      hosts_(HostsOf(options)),
      anonymous_(options.anonymous) {}

absl::Status Origins::Check(const http::Request& request) const {
  const std::string origin = request.Header("origin");
  if (!origin.empty() && !IsSameOrigin(request, origin) && !Allows(origin)) {
    return Refused("ORIGIN_REFUSED", absl::StrCat("Origin: got ", Quoted(origin),
                                                  ", want this service's own, or one of "
                                                  "--http_allow_origin"));
  }
  const std::string host = request.Header("host");
  if (anonymous_ && !hosts_.Know(host)) {
    return Refused("HOST_REFUSED",
                   absl::StrCat("Host: got ", Quoted(host),
                                ", want localhost, this host's name or address, a --http_host, or "
                                "that of a --http_allow_origin, where no --auth_file says who may "
                                "call"));
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
                                "authorization, content-type, if-none-match, priorityd-cluster, "
                                "x-slurm-user-token");
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

}  // namespace priorityd::gateway
