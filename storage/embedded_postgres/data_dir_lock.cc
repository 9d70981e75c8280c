#include "storage/embedded_postgres/data_dir_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace priorityd::storage {
namespace {

std::string ReadPid(int fd) {
  char buffer[32];
  ssize_t size = pread(fd, buffer, sizeof(buffer), 0);
  if (size <= 0) return "unknown";
  return std::string(absl::StripSuffix(absl::string_view(buffer, size), "\n"));
}

}  // namespace

absl::StatusOr<DataDirLock> DataDirLock::Acquire(const std::string& data_dir) {
  const std::string path = absl::StrCat(data_dir, "/lock");
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("data_dir: cannot open ", path));
  DataDirLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(absl::StrCat("data_dir: ", data_dir,
                                                      " is in use by process ", ReadPid(fd),
                                                      "; stop it or choose another directory"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("data_dir: cannot write ", path));
  }
  return lock;
}

DataDirLock::DataDirLock(DataDirLock&& other) : fd_(std::exchange(other.fd_, -1)) {}

DataDirLock::~DataDirLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace priorityd::storage
