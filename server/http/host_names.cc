#include "server/http/host_names.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::http {
namespace {

constexpr size_t kMostQuotedHost = 100;

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return absl::AsciiStrToLower(name);
}

// In network byte order; empty if it is not an address.
std::string BytesOf(const std::string& host) {
  char bytes[sizeof(in6_addr)] = "";
  if (inet_pton(AF_INET, host.c_str(), bytes) == 1) return {bytes, sizeof(in_addr)};
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return "";
  const std::string inner = host.substr(1, host.size() - 2);
  return inet_pton(AF_INET6, inner.c_str(), bytes) == 1 ? std::string(bytes, sizeof(bytes)) : "";
}

std::string BytesOf(const sockaddr* address) {
  if (address != nullptr && address->sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    return {reinterpret_cast<const char*>(&v4), sizeof(v4)};
  }
  if (address != nullptr && address->sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    return {reinterpret_cast<const char*>(&v6), sizeof(v6)};
  }
  return "";
}

bool IsLoopback(const std::string& bytes) {
  return (bytes.size() == sizeof(in_addr) && bytes.front() == 127) ||
         (bytes.size() == sizeof(in6_addr) &&
          std::memcmp(bytes.data(), &in6addr_loopback, sizeof(in6_addr)) == 0);
}

// Looked up each time, since addresses change.
bool IsOurs(const std::string& bytes) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(all, freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (BytesOf(one->ifa_addr) == bytes) return true;
  }
  return false;
}

}  // namespace

std::string HostWithoutPort(const std::string& host) {
  if (absl::StartsWith(host, "[")) {
    return absl::AsciiStrToLower(host.substr(0, host.find(']') + 1));
  }
  return absl::AsciiStrToLower(host.substr(0, host.rfind(':')));
}

HostNames::HostNames(const std::vector<std::string>& more) : names_({"localhost", HostName()}) {
  for (const std::string& name : more) names_.insert(absl::AsciiStrToLower(name));
}

bool HostNames::Know(const std::string& host) const {
  if (host.empty()) return true;
  const std::string name = HostWithoutPort(host);
  if (!name.empty() && names_.count(name) > 0) return true;
  const std::string bytes = BytesOf(name);
  return !bytes.empty() && (IsLoopback(bytes) || IsOurs(bytes));
}

Page HostNames::Guard(Page page) const {
  return [names = *this, page = std::move(page)](const Request& request) {
    const std::string host = request.Header("host");
    if (names.Know(host)) return page(request);
    Response refused;
    refused.status = 403;
    refused.body =
        absl::StrCat("Host: got ", host.substr(0, kMostQuotedHost),
                     ", want localhost, this host's name or address, or a --http_host\n");
    return refused;
  };
}

}  // namespace priorityd::http
