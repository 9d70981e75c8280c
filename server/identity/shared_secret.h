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

class SharedSecret {
 public:
  static constexpr size_t kLeastBytes = 32;
  static constexpr size_t kMostBytes = 1024;

  // Reads the first line of a file without access for others: printable ASCII without spaces,
  // kLeastBytes to kMostBytes. INVALID_ARGUMENT does not reveal the content.
  static absl::StatusOr<SharedSecret> Read(const std::string& path);

  // Compares in constant time.
  bool Is(absl::string_view text) const;

 private:
  explicit SharedSecret(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_
