#include "server/transport/relayed_peer.h"

#include <sys/random.h>

#include <cstdlib>

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

}  // namespace

std::string RelayedPeer::ToMetadata() const {
  std::string names = absl::StrJoin(certificate_names, std::string(1, '\0'));
  return absl::StrCat(Secret(), address, std::string(1, '\0'), names);
}

std::optional<RelayedPeer> RelayedPeerOf(const grpc::CallbackServerContext& context) {
  const auto said = context.client_metadata().find(kRelayMetadata);
  if (said == context.client_metadata().end()) return std::nullopt;
  const absl::string_view value(said->second.data(), said->second.size());
  if (value.size() < kSecretBytes || !IsSecret(value)) return std::nullopt;
  const std::vector<std::string> texts =
      absl::StrSplit(value.substr(kSecretBytes), '\0', absl::SkipEmpty());
  if (texts.empty()) return std::nullopt;
  return RelayedPeer{texts.front(), {texts.begin() + 1, texts.end()}};
}

}  // namespace priorityd::rpc
