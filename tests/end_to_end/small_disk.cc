#include "tests/end_to_end/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

bool Write(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// Not root: as ourselves in a namespace of users in which we may mount.
bool EnterNamespaces() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (user == 0) return unshare(CLONE_NEWNS) == 0;
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && Write("/proc/self/setgroups", "deny") &&
         Write("/proc/self/uid_map", absl::StrCat(user, " ", user, " 1")) &&
         Write("/proc/self/gid_map", absl::StrCat(group, " ", group, " 1"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SmallDisk>> SmallDisk::Mount(int64_t megabytes) {
  const std::string path = storage::NewTestDirectory();
  const std::string options = absl::StrCat("mode=0755,size=", megabytes, "m");
  if (EnterNamespaces() && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      mount("tmpfs", path.c_str(), "tmpfs", 0, options.c_str()) == 0) {
    return std::unique_ptr<SmallDisk>(new SmallDisk(path));
  }
  return absl::UnimplementedError(
      absl::StrCat("cannot mount a tmpfs: ", absl::ErrnoToStatus(errno, "").message(),
                   "; want root, or user namespaces (kernel.unprivileged_userns_clone)"));
}

SmallDisk::~SmallDisk() { umount2(path_.c_str(), MNT_DETACH); }

void SmallDisk::Fill() {
  const int file = open(Ballast().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  for (size_t size = 1 << 20; size > 0;) {
    const std::vector<char> chunk(size);
    const ssize_t written = write(file, chunk.data(), size);
    if (written < 0 && errno != EINTR) size /= 2;
  }
  close(file);
}

void SmallDisk::Free() { unlink(Ballast().c_str()); }

}  // namespace priorityd
