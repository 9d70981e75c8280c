#include "server/identity/peer_host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace priorityd::identity {
namespace {

constexpr int kNetworkBytes = 8;

std::optional<in6_addr> ParseIpv6(absl::string_view text) {
  in6_addr address = {};
  const std::string without_scope(text.substr(0, text.find('%')));
  if (inet_pton(AF_INET6, without_scope.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::string Printed(int family, const void* address) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family, address, text, sizeof(text));
  return text;
}

// `[::1]` or `%5B::1%5D`, as gRPC writes it.
absl::string_view WithoutBrackets(absl::string_view address) {
  if (absl::ConsumePrefix(&address, "%5B")) absl::ConsumeSuffix(&address, "%5D");
  if (absl::ConsumePrefix(&address, "[")) absl::ConsumeSuffix(&address, "]");
  return address;
}

}  // namespace

std::string HostOfAddress(absl::string_view address) {
  std::optional<in6_addr> ipv6 = ParseIpv6(address);
  if (!ipv6.has_value()) return std::string(address);
  uint8_t* const bytes = ipv6->s6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&*ipv6)) return Printed(AF_INET, bytes + 12);
  if (IN6_IS_ADDR_LOOPBACK(&*ipv6)) return "::1";
  std::fill(bytes + kNetworkBytes, bytes + sizeof(in6_addr), 0);
  return absl::StrCat(Printed(AF_INET6, bytes), "/", 8 * kNetworkBytes);
}

std::string HostOfPeer(absl::string_view peer) {
  absl::string_view address = peer;
  if (!absl::ConsumePrefix(&address, "ipv4:") && !absl::ConsumePrefix(&address, "ipv6:")) {
    return std::string(peer);
  }
  return HostOfAddress(WithoutBrackets(address.substr(0, address.rfind(':'))));
}

}  // namespace priorityd::identity
