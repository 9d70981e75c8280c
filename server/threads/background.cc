#include "server/threads/background.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

#include "absl/base/call_once.h"
#include "absl/status/status.h"

namespace priorityd::threads {
namespace {

constexpr int kNice = 10;

void WarnOnceOf(const absl::Status& refusal) {
  static absl::once_flag once;
  absl::call_once(once, [&refusal] {
    spdlog::warn("work in the background competes with calls for the CPU: {}",
                 std::string(refusal.message()));
  });
}

}  // namespace

void WorkInBackground() {
  // 0: this thread, not its process.
  if (setpriority(PRIO_PROCESS, 0, kNice) == 0) return;
  WarnOnceOf(absl::ErrnoToStatus(errno, "setpriority"));
}

}  // namespace priorityd::threads
