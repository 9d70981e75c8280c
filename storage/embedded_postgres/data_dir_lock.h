// Ensures that only one program uses a data directory.
#ifndef STORAGE_EMBEDDED_POSTGRES_DATA_DIR_LOCK_H_
#define STORAGE_EMBEDDED_POSTGRES_DATA_DIR_LOCK_H_

#include <string>

#include "absl/status/statusor.h"

namespace priorityd::storage {

// Holds a lock on <data_dir>/lock and writes the pid into it. The kernel releases the lock when the
// program ends for any reason.
class DataDirLock {
 public:
  // FAILED_PRECONDITION, with the holder's pid, if it is locked.
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
