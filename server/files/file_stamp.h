// Which file was read, and whether it is still the one.
#ifndef PRIORITYD_SERVER_FILES_FILE_STAMP_H_
#define PRIORITYD_SERVER_FILES_FILE_STAMP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace priorityd::files {

// Other numbers, another file or other content.
struct FileStamp {
  std::string path;
  int64_t device = 0;
  int64_t inode = 0;
  int64_t size = -1;  // -1 = it is not there.
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
using FileStamps = std::vector<FileStamp>;

// To be taken before the file is read: what is written meanwhile is seen the next time.
FileStamp StampOf(const std::string& path);

// Those of the same paths by now.
FileStamps StampsNow(const FileStamps& stamps);

}  // namespace priorityd::files

#endif  // PRIORITYD_SERVER_FILES_FILE_STAMP_H_
