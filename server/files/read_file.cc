#include "server/files/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/status/status.h"

namespace priorityd::files {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 16;

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return absl::ErrnoToStatus(errno, path);
  std::string content;
  std::vector<char> piece(kPieceBytes);
  ssize_t size = 0;
  do {
    size = read(file, piece.data(), piece.size());
    if (size > 0) content.append(piece.data(), static_cast<size_t>(size));
  } while (size > 0 || (size < 0 && errno == EINTR));
  const absl::Status status = size < 0 ? absl::ErrnoToStatus(errno, path) : absl::OkStatus();
  close(file);
  if (!status.ok()) return status;
  return content;
}

}  // namespace priorityd::files
