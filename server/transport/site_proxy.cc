#include "server/transport/site_proxy.h"

#include <arpa/inet.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "server/identity/certificate_names.h"

namespace priorityd::rpc {
namespace {

// The only value of a name: of two values, one may come from the client.
absl::StatusOr<std::optional<absl::string_view>> ValueOf(
    const char* name, const grpc::CallbackServerContext& context) {
  const auto [begin, end] = context.client_metadata().equal_range(name);
  if (begin == end) return std::nullopt;
  if (std::next(begin) != end) {
    return absl::InternalError(absl::StrCat(name, ": got more than one, want the proxy's alone"));
  }
  return absl::string_view(begin->second.data(), begin->second.size());
}

// In gRPC's form of a peer.
absl::StatusOr<std::string> AddressOf(absl::string_view peer) {
  const std::vector<std::string> parts = absl::StrSplit(peer, ' ');
  in6_addr binary = {};
  int port = 0;
  if (parts.size() == 2 && absl::SimpleAtoi(parts[1], &port) && port >= 0 && port <= 65535) {
    if (inet_pton(AF_INET, parts[0].c_str(), &binary) == 1) {
      return absl::StrCat("ipv4:", parts[0], ":", port);
    }
    if (inet_pton(AF_INET6, parts[0].c_str(), &binary) == 1) {
      return absl::StrCat("ipv6:[", parts[0], "]:", port);
    }
  }
  return absl::InternalError(absl::StrCat(kProxyPeerMetadata, ": got ", absl::CHexEscape(peer),
                                          ", want ADDRESS PORT from the proxy"));
}

absl::StatusOr<std::vector<std::string>> NamesOf(absl::string_view certificate) {
  std::string der;
  if (absl::Base64Unescape(certificate, &der)) {
    auto names = identity::NamesOfDer(der);
    if (names.ok()) return names;
  }
  return absl::InternalError(absl::StrCat(
      kProxyCertificateMetadata, ": want the base64 of a certificate in DER from the proxy"));
}

absl::StatusOr<std::optional<RelayedPeer>> Read(const grpc::CallbackServerContext& context) {
  const auto peer = ValueOf(kProxyPeerMetadata, context);
  if (!peer.ok()) return peer.status();
  const auto address = AddressOf(peer->value_or(""));
  if (!address.ok()) return address.status();
  RelayedPeer client{*address, {}};
  const auto certificate = ValueOf(kProxyCertificateMetadata, context);
  if (!certificate.ok()) return certificate.status();
  if (certificate->has_value()) {
    auto names = NamesOf(**certificate);
    if (!names.ok()) return names.status();
    client.certificate_names = *std::move(names);
  }
  return client;
}

}  // namespace

absl::StatusOr<std::optional<RelayedPeer>> SiteProxy::ClientOf(
    const grpc::CallbackServerContext& context) const {
  const auto secret = ValueOf(kProxySecretMetadata, context);
  if (!secret.ok()) return secret.status();
  if (!secret->has_value()) return std::nullopt;
  if (is_there() && secret_->Is(**secret)) return Read(context);
  return errors::WithReason(
      absl::UnauthenticatedError(
          absl::StrCat(kProxySecretMetadata, ": got a secret that is not this server's, want ",
                       is_there() ? "that of --proxy_secret_file"
                                  : "none: priorityd was started without --proxy_secret_file")),
      "PROXY_SECRET");
}

}  // namespace priorityd::rpc
