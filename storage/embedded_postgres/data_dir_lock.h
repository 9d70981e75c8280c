// One program at a time on one data directory.
#ifndef STORAGE_EMBEDDED_POSTGRES_DATA_DIR_LOCK_H_
#define STORAGE_EMBEDDED_POSTGRES_DATA_DIR_LOCK_H_

#include <string>

#include "absl/status/statusor.h"

namespace priorityd::storage {

// Holds <data_dir>/lock, into which it writes our pid. The kernel lets go of
// it when the program ends, however it ends.
class DataDirLock {
 public:
  // FAILED_PRECONDITION, naming the holder's pid, if it is held.
  static absl::StatusOr<DataDirLock> Acquire(const std::string& data_dir);

  ~DataDirLock();
  DataDirLock(DataDirLock&& other);
  DataDirLock& operator=(DataDirLock&&) = delete;

 private:
  explicit DataDirLock(int fd) : fd_(fd) {}

  int fd_;  // -1 after a move
};

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_DATA_DIR_LOCK_H_
