#include "client/prioctl/input/line_feed.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace priorityd::prioctl {
namespace {

constexpr size_t kReadSize = 1 << 16;
constexpr size_t kLongestLine = size_t{64} << 20;

}  // namespace

LineFeed::LineFeed(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      input_(path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (input_ < 0) status_ = absl::ErrnoToStatus(errno, name_);
}

LineFeed::~LineFeed() {
  if (input_ >= 0) close(input_);
  close(stop_);
}

void LineFeed::Stop() {
  stops_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
}

LineFeed::Event LineFeed::Next(absl::Duration patience, std::string* line) {
  const absl::Time deadline = absl::Now() + patience;
  while (!stops_ && !TakeLine(line)) {
    if (!status_.ok()) return Event::kFailed;
    if (at_end_) return Event::kEnd;
    const Event event = Wait(std::max(deadline - absl::Now(), absl::ZeroDuration()));
    if (event != Event::kLine) return event;
  }
  return stops_ ? Event::kStopped : Event::kLine;
}

LineFeed::Event LineFeed::Wait(absl::Duration patience) {
  pollfd files[] = {{.fd = input_, .events = POLLIN, .revents = 0},
                    {.fd = stop_, .events = POLLIN, .revents = 0}};
  const int64_t milliseconds =
      absl::ToInt64Milliseconds(absl::Ceil(patience, absl::Milliseconds(1)));
  const int ready =
      poll(files, 2,
           milliseconds > std::numeric_limits<int>::max() ? -1 : static_cast<int>(milliseconds));
  if (stops_) return Event::kStopped;
  if (ready == 0) return Event::kIdle;
  return ready < 0 ? Event::kLine : Fill();  // Else a signal: look again.
}

LineFeed::Event LineFeed::Fill() {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() > kLongestLine) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(name_, " line ", line_number_ + 1, ": is longer than 64 MiB"));
    return Event::kFailed;
  }
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadSize);
  const ssize_t count = read(input_, buffer_.data() + size, kReadSize);
  buffer_.resize(size + std::max<ssize_t>(count, 0));
  if (count < 0 && errno != EINTR && errno != EAGAIN) {
    status_ = absl::ErrnoToStatus(errno, name_);
    return Event::kFailed;
  }
  at_end_ = count == 0;
  return Event::kLine;
}

bool LineFeed::TakeLine(std::string* line) {
  size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    if (!at_end_ || begin_ == buffer_.size()) return false;
    end = buffer_.size();  // The last line has no end.
  }
  line->assign(buffer_, begin_, end - begin_);
  begin_ = scanned_ = std::min(end + 1, buffer_.size());
  bytes_read_ += static_cast<int64_t>(line->size()) + 1;
  ++line_number_;
  return true;
}

}  // namespace priorityd::prioctl
