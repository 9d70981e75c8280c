#include "server/identity/key_ring.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/identity/shared_secret.h"

namespace priorityd::identity {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content(kMaxJwksBytes + 1, '\0');
  if (stream) stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!stream.is_open() || stream.bad()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  content.resize(static_cast<size_t>(stream.gcount()));
  return content;
}

absl::Status Of(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
}

// Reads `path`, if there is one, by `read`.
absl::Status ReadKeys(const std::string& path, absl::StatusOr<TokenKeys> (*read)(absl::string_view),
                      KeyRing* ring, TokenKeys* keys) {
  if (path.empty()) return absl::OkStatus();
  ring->stamps.push_back(files::StampOf(path));
  const auto content = ReadFile(path);
  if (!content.ok()) return content.status();
  auto made = read(*content);
  if (!made.ok()) return Of(path, made.status());
  *keys = *std::move(made);
  return absl::OkStatus();
}

absl::Status ReadAllKeys(KeyRing* ring) {
  const AuthSettings settings = ring->settings;
  if (settings.slurm_tokens) {
    if (absl::Status s = CheckClosedToOthers(settings.jwt_key); !s.ok()) return s;
    absl::Status s = ReadKeys(settings.jwt_key, TokenKeys::FromSecret, ring, &ring->slurm_secret);
    if (!s.ok()) return s;
    s = ReadKeys(settings.jwks, TokenKeys::FromJwks, ring, &ring->slurm_public);
    if (!s.ok()) return s;
  }
  for (const TokenIssuer& issuer : settings.issuers) {
    absl::Status s =
        ReadKeys(issuer.jwks, TokenKeys::FromJwks, ring, &ring->issuer_keys[issuer.url]);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<KeyRing> ReadKeyRing(const std::string& auth_file) {
  KeyRing ring;
  ring.stamps.push_back(files::StampOf(auth_file));
  auto content = ReadFile(auth_file);
  if (!content.ok()) return content.status();
  auto settings = ParseAuthFile({auth_file, *std::move(content)});
  if (!settings.ok()) return settings.status();
  ring.settings = *std::move(settings);
  if (absl::Status s = ReadAllKeys(&ring); !s.ok()) return s;
  return ring;
}

}  // namespace priorityd::identity
