#include "server/files/file_stamp.h"

#include <sys/stat.h>

namespace priorityd::files {
namespace {

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return {.path = path};
  return {.path = path,
          .device = static_cast<int64_t>(file.st_dev),
          .inode = static_cast<int64_t>(file.st_ino),
          .size = file.st_size,
          .modified_ns = Nanoseconds(file.st_mtim),
          .changed_ns = Nanoseconds(file.st_ctim)};
}

FileStamps StampsNow(const FileStamps& stamps) {
  FileStamps now;
  for (const FileStamp& stamp : stamps) now.push_back(StampOf(stamp.path));
  return now;
}

}  // namespace priorityd::files
