#include "client/prioctl/input_file.h"

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace priorityd::prioctl {

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  InputFile input;
  input.name_ = path;
  if (path == "-") {
    input.name_ = "standard input";
    return input;
  }
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory, want a file"));
  }
  if (std::filesystem::is_regular_file(status)) {
    input.size_ = static_cast<int64_t>(std::filesystem::file_size(path, error));
  }
  errno = 0;
  input.file_.open(path, std::ios::binary);
  if (!input.file_) return absl::ErrnoToStatus(errno, path);
  return input;
}

std::istream& InputFile::stream() { return file_.is_open() ? file_ : std::cin; }

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  std::string content{std::istreambuf_iterator<char>(file->stream()), {}};
  if (file->stream().bad()) return absl::DataLossError(absl::StrCat(path, ": cannot be read"));
  return content;
}

}  // namespace priorityd::prioctl
