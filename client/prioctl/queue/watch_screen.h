// Events of the terminal while `prioctl watch` waits for the service: keys, its size, Ctrl-Z and
// fg, a closed output.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_WATCH_SCREEN_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_WATCH_SCREEN_H_

#include <signal.h>
#include <termios.h>

#include <functional>
#include <thread>

namespace priorityd::prioctl {

// While it lives, watches standard output, and, with `drawn_on`, the terminal, which it takes for
// drawing at Begin and gives back at its end and at Ctrl-Z. One at a time.
class WatchScreen {
 public:
  struct Events {
    std::function<void()> quit;    // `q`, or nobody reads any more.
    std::function<void()> redraw;  // The terminal has another size, or was somebody else's.
  };

  // Both are called on a thread of this, one at a time.
  WatchScreen(bool drawn_on, Events events);
  ~WatchScreen();
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  // Takes the terminal, once; before the first frame.
  void Begin();

  // Of the terminal; 24 where it does not say.
  static int Lines();

 private:
  void Watch();
  void TakeSignal(char what);
  void ReadKeys();
  void Enter();
  void Leave();

  const bool drawn_on_;
  const Events events_;
  bool reads_keys_ = false;
  bool begun_ = false;
  termios before_ = {};
  struct sigaction before_resize_ = {};
  struct sigaction before_stop_ = {};
  struct sigaction before_continue_ = {};
  int pipe_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_WATCH_SCREEN_H_
