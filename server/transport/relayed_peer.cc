#include "server/transport/relayed_peer.h"

#include <sys/random.h>

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace priorityd::rpc {
namespace {

constexpr size_t kSecretBytes = 32;

const std::string& Secret() {
  static const auto* const kSecret = [] {
    auto* secret = new std::string(kSecretBytes, '\0');
    // getrandom returns so few bytes completely.
    if (getrandom(secret->data(), kSecretBytes, 0) != static_cast<ssize_t>(kSecretBytes)) {
      std::abort();
    }
    return secret;
  }();
  return *kSecret;
}

// Compares in constant time.
bool IsSecret(absl::string_view text) {
  unsigned char different = 0;
  for (size_t i = 0; i < kSecretBytes; ++i) {
    different |= static_cast<unsigned char>(text[i] ^ Secret()[i]);
  }
  return different == 0;
}

// Names have no line breaks.
std::string TextOf(const identity::Session& session) {
  return absl::StrCat(session.issuer, "\n", session.name, "\n", absl::ToUnixSeconds(session.ends));
}

std::optional<identity::Session> SessionOf(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '\n');
  int64_t ends = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[2], &ends)) return std::nullopt;
  return identity::Session{parts[0], parts[1], absl::FromUnixSeconds(ends)};
}

}  // namespace

std::string RelayedPeer::ToMetadata() const {
  const std::string end(1, '\0');
  return absl::StrCat(Secret(), session.has_value() ? TextOf(*session) : "", end, address, end,
                      absl::StrJoin(certificate_names, end));
}

std::optional<RelayedPeer> RelayedPeerOf(const grpc::CallbackServerContext& context) {
  const auto relayed = context.client_metadata().find(kRelayMetadata);
  if (relayed == context.client_metadata().end()) return std::nullopt;
  const absl::string_view value(relayed->second.data(), relayed->second.size());
  if (value.size() < kSecretBytes || !IsSecret(value)) return std::nullopt;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(value.substr(kSecretBytes), absl::MaxSplits('\0', 1));
  const std::vector<std::string> texts = absl::StrSplit(parts.second, '\0', absl::SkipEmpty());
  if (texts.empty()) return std::nullopt;
  return RelayedPeer{texts.front(), {texts.begin() + 1, texts.end()}, SessionOf(parts.first)};
}

}  // namespace priorityd::rpc
