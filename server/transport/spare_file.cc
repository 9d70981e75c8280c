#include "server/transport/spare_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "absl/base/const_init.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::rpc {
namespace {

ABSL_CONST_INIT absl::Mutex mutex(absl::kConstInit);
int spare ABSL_GUARDED_BY(mutex) = -1;

void Open() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
  if (spare < 0) spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int Accept(int listener, sockaddr* address, socklen_t* length, int flags) {
  return static_cast<int>(syscall(SYS_accept4, listener, address, length, flags));
}

// Closes the longest waiting connection; false if there is none, or no spare file.
bool TurnOneAway(int listener) ABSL_LOCKS_EXCLUDED(mutex) {
  absl::MutexLock lock(&mutex);
  if (spare < 0) return false;
  close(spare);
  spare = -1;
  const int connection = Accept(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection >= 0) close(connection);
  Open();
  return connection >= 0;
}

}  // namespace

void KeepSpareFile() {
  absl::MutexLock lock(&mutex);
  Open();
}

}  // namespace priorityd::rpc

extern "C" int accept4(int listener, sockaddr* address, socklen_t* length, int flags) {
  for (;;) {
    const int connection = priorityd::rpc::Accept(listener, address, length, flags);
    if (connection >= 0 || (errno != EMFILE && errno != ENFILE)) return connection;
    if (priorityd::rpc::TurnOneAway(listener)) continue;
    priorityd::rpc::KeepSpareFile();
    errno = EAGAIN;
    return -1;
  }
}
