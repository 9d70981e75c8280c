#include "client/prioctl/queue/watch_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/string_view.h"
#include "client/prioctl/queue/watch_text.h"

namespace priorityd::prioctl {
namespace {

constexpr char kResized = 'r';
constexpr char kStop = 's';
constexpr char kContinued = 'c';
constexpr char kEnd = 'e';
constexpr int kUsualLines = 24;

// The handlers write each signal here: they may call only async-signal-safe functions.
volatile sig_atomic_t signals_end = -1;

void HandleSignal(int signal) {
  const int error = errno;
  const char what = signal == SIGWINCH ? kResized : signal == SIGTSTP ? kStop : kContinued;
  // A full pipe has woken the reader already.
  [[maybe_unused]] const ssize_t written = write(signals_end, &what, 1);
  errno = error;
}

// Not through a stream, on which frames are drawn by other threads.
void Write(absl::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
}

// Whether this process may change the terminal it reads from.
bool ReadsKeys() { return isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp(); }

}  // namespace

WatchScreen::WatchScreen(bool drawn_on, Events events)
    : drawn_on_(drawn_on), events_(std::move(events)) {
  if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) pipe_[0] = pipe_[1] = -1;
  signals_end = pipe_[1];
  struct sigaction action = {};
  action.sa_handler = HandleSignal;
  action.sa_flags = SA_RESTART;
  if (drawn_on_) {
    reads_keys_ = ReadsKeys() && tcgetattr(STDIN_FILENO, &before_) == 0;
    sigaction(SIGWINCH, &action, &before_resize_);
    sigaction(SIGTSTP, &action, &before_stop_);
    sigaction(SIGCONT, &action, &before_continue_);
  }
  thread_ = std::thread([this] { Watch(); });
}

WatchScreen::~WatchScreen() {
  if (drawn_on_) {
    sigaction(SIGWINCH, &before_resize_, nullptr);
    sigaction(SIGTSTP, &before_stop_, nullptr);
    sigaction(SIGCONT, &before_continue_, nullptr);
  }
  [[maybe_unused]] const ssize_t written = write(pipe_[1], &kEnd, 1);
  thread_.join();
  if (begun_) Leave();
  close(pipe_[0]);
  close(pipe_[1]);
}

int WatchScreen::Lines() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kUsualLines;
  return size.ws_row;
}

void WatchScreen::Begin() {
  begun_ = true;
  Enter();
}

void WatchScreen::Enter() {
  if (reads_keys_) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  Write(kBeginFrames);
}

void WatchScreen::Leave() {
  Write(kEndFrames);
  if (reads_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void WatchScreen::Watch() {
  pollfd files[] = {{.fd = pipe_[0], .events = POLLIN, .revents = 0},
                    // Only whether its other end is closed.
                    {.fd = STDOUT_FILENO, .events = 0, .revents = 0},
                    {.fd = reads_keys_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}};
  for (;;) {
    if (poll(files, 3, -1) < 0) continue;
    char what = 0;
    while (read(pipe_[0], &what, 1) == 1) {
      if (what == kEnd) return;
      TakeSignal(what);
    }
    if ((files[1].revents & (POLLERR | POLLHUP)) != 0) {
      files[1].fd = -1;
      events_.quit();
    }
    if ((files[2].revents & (POLLERR | POLLHUP)) != 0) files[2].fd = -1;
    if ((files[2].revents & POLLIN) != 0) ReadKeys();
  }
}

void WatchScreen::TakeSignal(char what) {
  if (!begun_) {
    if (what == kStop) kill(getpid(), SIGSTOP);
    return;
  }
  if (what == kStop) {
    Leave();
    kill(getpid(), SIGSTOP);
    return;
  }
  if (what == kContinued) Enter();
  events_.redraw();
}

void WatchScreen::ReadKeys() {
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) == 1 && (key == 'q' || key == 'Q')) events_.quit();
}

}  // namespace priorityd::prioctl
