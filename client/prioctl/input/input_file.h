// The files that commands read.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_INPUT_FILE_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_INPUT_FILE_H_

#include <cstdint>
#include <fstream>
#include <istream>
#include <string>

#include "absl/status/statusor.h"

namespace priorityd::prioctl {

// A file open for reading, or standard input.
class InputFile {
 public:
  // `path` `-` = standard input. NOT_FOUND or PERMISSION_DENIED, or what else
  // the system says, with the path.
  static absl::StatusOr<InputFile> Open(const std::string& path);

  std::istream& stream();

  // As errors call it: the path, or `standard input`.
  const std::string& name() const { return name_; }

  // In bytes; 0 where it is not known, as for standard input.
  int64_t size() const { return size_; }

 private:
  std::string name_;
  int64_t size_ = 0;
  std::ifstream file_;  // not open for standard input
};

// All of a file, which must be UTF-8 text of at most 2 GiB: INVALID_ARGUMENT names the first line
// that is not, or has a NUL character; reading stops there.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// The same for a file of Slurm, whose comments and descriptions may be Latin-1 (free_text.h).
absl::StatusOr<std::string> ReadSlurmFile(const std::string& path);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_INPUT_FILE_H_
