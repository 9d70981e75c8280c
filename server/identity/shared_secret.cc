#include "server/identity/shared_secret.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace priorityd::identity {

absl::Status CheckClosedToOthers(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0 || (file.st_mode & S_IRWXO) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": got a key that every user of this host may use, want it closed to others: chmod o= ",
      path));
}

absl::StatusOr<std::string> ReadSecretLine(const std::string& path, size_t least, size_t most) {
  if (absl::Status s = CheckClosedToOthers(path); !s.ok()) return s;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  if (!stream) return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno)));
  std::getline(stream, line);
  const bool printable = std::all_of(line.begin(), line.end(), [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c));
  });
  if (printable && line.size() >= least && line.size() <= most) return line;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": got a first line of ", line.size(), " bytes, want ", least, " to ", most,
      " printable characters without spaces, as `openssl rand -hex 32` prints them"));
}

absl::StatusOr<SharedSecret> SharedSecret::Read(const std::string& path) {
  absl::StatusOr<std::string> line = ReadSecretLine(path, kLeastBytes, kMostBytes);
  if (!line.ok()) return line.status();
  return SharedSecret(*std::move(line));
}

bool SharedSecret::Is(absl::string_view text) const {
  return text.size() == text_.size() && CRYPTO_memcmp(text.data(), text_.data(), text_.size()) == 0;
}

}  // namespace priorityd::identity
