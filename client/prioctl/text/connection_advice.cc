#include "client/prioctl/text/connection_advice.h"

#include <initializer_list>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace priorityd::prioctl {
namespace {

constexpr char kName[] = "name another address with --server or PRIORITYD_SERVER";
constexpr char kTls[] =
    "see whether the server uses TLS and which authority signed its certificate (--tls-ca, "
    "--tls-cert)";

struct Cause {
  std::initializer_list<absl::string_view> texts;  // Any of these, in gRPC's text.
  absl::string_view cause;
  std::string (*advice)(absl::string_view server);
};

bool IsOnThisHost(absl::string_view server) {
  return absl::StartsWith(server, "unix:") || absl::StartsWith(server, "localhost") ||
         absl::StartsWith(server, "127.") || absl::StartsWith(server, "[::1]");
}

std::string StartIt(absl::string_view server) {
  if (!IsOnThisHost(server)) {
    return absl::StrCat("the service is down, or it listens elsewhere: ask those who run it, or ",
                        kName);
  }
  return absl::StrCat("start it with `priorityd --listen=", server.substr(0, server.find(',')),
                      " --data_dir=DIR`, or ", kName);
}

const Cause kCauses[] = {
    {{"DNS resolution failed", "C-ares status", "Domain name not found", "getaddrinfo"},
     "there is no host of that name",
     [](absl::string_view) { return absl::StrCat("check its spelling, or ", kName); }},
    {{"http1.x server"},
     "that port speaks HTTP, not gRPC",
     [](absl::string_view) {
       return std::string(
           "name the port of --listen with --server; --http_listen's is for "
           "browsers and Prometheus");
     }},
    {{"HAProxy: no priorityd", "http2 header with status: 503"},
     "HAProxy answers, and no priorityd behind it is ready",
     [](absl::string_view) {
       return absl::StrCat("see `systemctl status priorityd` on that host, or ", kName);
     }},
    {{"Permission denied"},
     "you have no permission to open that socket",
     [](absl::string_view) {
       return std::string("ask those who run the service for its group (--socket_group)");
     }},
    {{"No such file or directory"}, "there is no such socket", StartIt},
    {{"Connection refused"}, "Connection refused", StartIt},
    {{"SSL_ERROR", "Handshake failed", "handshake", "CERTIFICATE_VERIFY_FAILED", "certificate"},
     "no TLS connection could be made",
     [](absl::string_view) { return std::string(kTls); }},
    {{"No route to host", "Network is unreachable", "timed out", "Timeout"},
     "that host does not answer",
     [](absl::string_view) {
       return absl::StrCat("see the network and its firewalls, or ", kName);
     }},
};

bool Says(absl::string_view text, const Cause& cause) {
  for (const absl::string_view words : cause.texts) {
    if (absl::StrContains(text, words)) return true;
  }
  return false;
}

const Cause* FindCause(absl::string_view text) {
  for (const Cause& cause : kCauses) {
    if (Says(text, cause)) return &cause;
  }
  return nullptr;
}

// The fault of an address of --server itself; empty = none.
std::string AddressAdvice(absl::string_view server) {
  absl::string_view address = server.substr(0, server.find(','));
  if (absl::ConsumePrefix(&address, "http://") || absl::ConsumePrefix(&address, "https://")) {
    return absl::StrCat("write --server as HOST:PORT, ", address);
  }
  const bool has_port = absl::StrContains(address, ':') && !absl::EndsWith(address, "]");
  return has_port ? "" : absl::StrCat("add the port, as in ", address, ":7411");
}

}  // namespace

std::string ConnectionCause(absl::string_view grpc_text) {
  const Cause* found = FindCause(grpc_text);
  return std::string(found == nullptr ? grpc_text : found->cause);
}

std::string ConnectionAdvice(absl::string_view grpc_text, absl::string_view server) {
  const std::string cause = absl::StrCat("(", ConnectionCause(grpc_text), "); ");
  if (const std::string advice = AddressAdvice(server); !advice.empty()) return cause + advice;
  const Cause* found = FindCause(grpc_text);
  return cause + (found == nullptr ? StartIt(server) : found->advice(server));
}

}  // namespace priorityd::prioctl
