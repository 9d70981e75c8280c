#include "server/site_factor/allowed_services.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace priorityd::site_factor {
namespace {

constexpr size_t kMaxHostBytes = 253;
constexpr size_t kMaxQuoted = 200;

struct HostAndPort {
  std::string host;  // In lower case.
  std::string port;
};

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

bool IsPort(absl::string_view text) {
  return !text.empty() && text.size() <= 5 && std::all_of(text.begin(), text.end(), IsDigit);
}

// A name, an IPv4 address, or an IPv6 address in brackets; or, with `wild`, a pattern of these.
bool IsHost(absl::string_view text, bool wild) {
  if (text.empty() || text.size() > kMaxHostBytes) return false;
  const bool in_brackets = text.front() == '[' && text.back() == ']' && text.size() > 2;
  if (in_brackets) text = text.substr(1, text.size() - 2);
  return std::all_of(text.begin(), text.end(), [&](char c) {
    if (wild && c == '*') return true;
    if (in_brackets)
      return absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.';
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
  });
}

std::optional<HostAndPort> Split(absl::string_view text, bool wild) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  HostAndPort parts{absl::AsciiStrToLower(text.substr(0, colon)),
                    std::string(text.substr(colon + 1))};
  const bool fits = IsHost(parts.host, wild) && (IsPort(parts.port) || (wild && parts.port == "*"));
  return fits ? std::optional(std::move(parts)) : std::nullopt;
}

bool IsLoopback(absl::string_view host) {
  const bool of_127 =
      absl::StartsWith(host, "127.") &&
      std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || IsDigit(c); });
  return of_127 || host == "localhost" || host == "[::1]";
}

bool Matches(const std::string& pattern, const HostAndPort& address) {
  const std::optional<HostAndPort> wanted = Split(pattern, /*wild=*/true);
  if (!wanted.has_value()) return false;
  // Brackets only contain characters of addresses, so fnmatch finds no set in them.
  const std::string escaped =
      absl::StartsWith(wanted->host, "[") ? absl::StrCat("\\", wanted->host) : wanted->host;
  return (wanted->port == "*" || wanted->port == address.port) &&
         fnmatch(escaped.c_str(), address.host.c_str(), 0) == 0;
}

}  // namespace

bool AllowedServices::Allows(absl::string_view address) const {
  const std::optional<HostAndPort> parts = Split(address, /*wild=*/false);
  if (!parts.has_value()) return false;
  if (patterns_.empty()) return IsLoopback(parts->host);
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return Matches(pattern, *parts); });
}

absl::Status AllowedServices::Check(absl::string_view address) const {
  if (Allows(address)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "got ", absl::CHexEscape(address.substr(0, kMaxQuoted)),
      ", which --site_factor_allow of this service does not allow, want ",
      patterns_.empty() ? "an address of its host's loopback interface, such as 127.0.0.1:7412"
                        : absl::StrCat("one of ", absl::StrJoin(patterns_, ", "))));
}

absl::Status AllowedServices::CheckPattern(absl::string_view pattern) {
  if (Split(pattern, /*wild=*/true).has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got ", absl::CHexEscape(pattern.substr(0, kMaxQuoted)),
                   ", want HOST:PORT, where * matches any characters of HOST, or any PORT"));
}

}  // namespace priorityd::site_factor
