// A disk that can be full.
#ifndef PRIORITYD_TESTS_END_TO_END_SMALL_DISK_H_
#define PRIORITYD_TESTS_END_TO_END_SMALL_DISK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace priorityd {

// A file system of its own in memory, seen by this process and the ones it starts
// from now on. Not thread-safe.
class SmallDisk {
 public:
  // UNIMPLEMENTED where the machine lets nobody mount: neither are we root, nor may
  // we have a user namespace. REQUIRES: this process has one thread.
  static absl::StatusOr<std::unique_ptr<SmallDisk>> Mount(int64_t megabytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::string& path() const { return path_; }

  // Takes all that is left, to the last byte.
  void Fill();
  // Gives it back.
  void Free();

 private:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {}

  std::string Ballast() const { return path_ + "/ballast"; }

  const std::string path_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_SMALL_DISK_H_
