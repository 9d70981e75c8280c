// Members of groups, from a file in the format of group(5) and `getent group`.
#ifndef PRIORITYD_SERVER_FILES_GROUP_FILE_H_
#define PRIORITYD_SERVER_FILES_GROUP_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/files/file_stamp.h"

namespace priorityd::files {

// Larger files are rejected.
inline constexpr size_t kMaxGroupFileBytes = size_t{64} << 20;

// Members by group. Lines are `name:password:gid:user,user`; empty lines and lines that begin with
// `#` are skipped; several lines of one group are merged.
using GroupMembers = absl::flat_hash_map<std::string, absl::flat_hash_set<std::string>>;

// INVALID_ARGUMENT names the line: `line 3: got "staff", want name:password:gid:members`.
absl::StatusOr<GroupMembers> ParseGroups(absl::string_view content);

// The file, read again when it changes. If a changed file is invalid, the previous groups stay.
// Thread-safe.
class GroupFile {
 public:
  // Errors of ReadFile and ParseGroups; OUT_OF_RANGE if the file is larger than kMaxGroupFileBytes.
  static absl::StatusOr<std::unique_ptr<GroupFile>> Open(const std::string& path);

  bool Has(absl::string_view group, absl::string_view user) const;

 private:
  GroupFile(FileStamp stamp, GroupMembers members);

  mutable absl::Mutex mutex_;
  mutable FileStamp stamp_ ABSL_GUARDED_BY(mutex_);
  mutable GroupMembers members_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::files

#endif  // PRIORITYD_SERVER_FILES_GROUP_FILE_H_
