// Detects whether a file has changed since it was read.
#ifndef PRIORITYD_SERVER_FILES_FILE_STAMP_H_
#define PRIORITYD_SERVER_FILES_FILE_STAMP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace priorityd::files {

// A stamp with other values belongs to another file or other content.
struct FileStamp {
  std::string path;
  int64_t device = 0;
  int64_t inode = 0;
  int64_t size = -1;  // -1 = the file does not exist.
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
using FileStamps = std::vector<FileStamp>;

// Take the stamp before reading the file, so that a write during the read is noticed next time.
FileStamp StampOf(const std::string& path);

// The present stamps of the same paths.
FileStamps StampsNow(const FileStamps& stamps);

}  // namespace priorityd::files

#endif  // PRIORITYD_SERVER_FILES_FILE_STAMP_H_
