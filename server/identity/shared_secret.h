// A secret shared by two programs of a site.
#ifndef PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_
#define PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::identity {

// INVALID_ARGUMENT if other users of this host have access to the file, as in Slurm's auth/jwt. If
// the file cannot be inspected, reading it will report that.
absl::Status CheckClosedToOthers(const std::string& path);

// The first line of a file without access for others: printable ASCII without spaces, of `least` to
// `most` bytes. INVALID_ARGUMENT does not reveal the content.
absl::StatusOr<std::string> ReadSecretLine(const std::string& path, size_t least, size_t most);

class SharedSecret {
 public:
  static constexpr size_t kLeastBytes = 32;
  static constexpr size_t kMostBytes = 1024;

  // By ReadSecretLine, of kLeastBytes to kMostBytes.
  static absl::StatusOr<SharedSecret> Read(const std::string& path);

  // Compares in constant time.
  bool Is(absl::string_view text) const;

  // To derive a key from.
  const std::string& text() const { return text_; }

 private:
  explicit SharedSecret(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_
