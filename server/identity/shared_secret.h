// A text that proves one program of a site to another.
#ifndef PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_
#define PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::identity {

// INVALID_ARGUMENT where other users of this host may use the file, as Slurm's auth/jwt has it of
// its key. What cannot be looked at is left to its reader.
absl::Status CheckClosedToOthers(const std::string& path);

class SharedSecret {
 public:
  static constexpr size_t kLeastBytes = 32;
  static constexpr size_t kMostBytes = 1024;

  // The first line of a file that is closed to others: printable ASCII without spaces, of
  // kLeastBytes to kMostBytes. INVALID_ARGUMENT, without anything of the content.
  static absl::StatusOr<SharedSecret> Read(const std::string& path);

  // In a time that does not depend on where they differ.
  bool Is(absl::string_view text) const;

 private:
  explicit SharedSecret(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_SHARED_SECRET_H_
