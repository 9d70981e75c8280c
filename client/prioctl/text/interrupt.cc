#include "client/prioctl/text/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace priorityd::prioctl {
namespace {

constexpr char kInterrupted = 'i';
constexpr char kEnd = 'e';

// The handler writes to this: it may call only async-signal-safe functions.
volatile sig_atomic_t signals_end = -1;

void HandleSignal(int) {
  const int error = errno;
  // A full pipe has woken the reader already.
  [[maybe_unused]] const ssize_t written = write(signals_end, &kInterrupted, 1);
  errno = error;
}

}  // namespace

OnInterrupt::OnInterrupt(std::function<void()> call) {
  if (pipe2(pipe_, O_CLOEXEC) != 0) pipe_[0] = pipe_[1] = -1;
  signals_end = pipe_[1];
  struct sigaction action = {};
  action.sa_handler = HandleSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_interrupt_);
  sigaction(SIGTERM, &action, &before_terminate_);
  thread_ = std::thread([read_end = pipe_[0], call = std::move(call)] {
    char what = 0;
    while (read(read_end, &what, 1) == 1 && what == kInterrupted) call();
  });
}

OnInterrupt::~OnInterrupt() {
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
  [[maybe_unused]] const ssize_t written = write(pipe_[1], &kEnd, 1);
  thread_.join();
  close(pipe_[0]);
  close(pipe_[1]);
}

}  // namespace priorityd::prioctl
