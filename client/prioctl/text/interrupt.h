// Ctrl-C.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_INTERRUPT_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_INTERRUPT_H_

#include <signal.h>

#include <functional>
#include <thread>

namespace priorityd::prioctl {

// While it lives, SIGINT and SIGTERM do not end the program but call `call`, on a
// thread of its own. One at a time.
class OnInterrupt {
 public:
  explicit OnInterrupt(std::function<void()> call);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

 private:
  int pipe_[2];
  struct sigaction before_interrupt_;
  struct sigaction before_terminate_;
  std::thread thread_;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_INTERRUPT_H_
