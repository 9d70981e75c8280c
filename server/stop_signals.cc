#include "server/stop_signals.h"

#include <spdlog/spdlog.h>

#include <ctime>

namespace priorityd {

sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void AwaitStop(const sigset_t& signals, absl::FunctionRef<void()> each_second,
               absl::FunctionRef<void()> on_hangup) {
  const timespec second = {.tv_sec = 1, .tv_nsec = 0};
  int signal = -1;
  while ((signal = sigtimedwait(&signals, nullptr, &second)) < 0 || signal == SIGHUP) {
    signal == SIGHUP ? on_hangup() : each_second();
  }
  spdlog::info("stopping: {}", signal == SIGINT ? "SIGINT" : "SIGTERM");
}

}  // namespace priorityd
