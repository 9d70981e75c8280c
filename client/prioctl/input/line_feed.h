// Lines of a file or a pipe, and waiting for them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_LINE_FEED_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_LINE_FEED_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace priorityd::prioctl {

// Reads the lines of a file, or those that come through a pipe as long as it stays open.
// Thread-compatible, but for Stop.
class LineFeed {
 public:
  enum class Event {
    kLine,
    kIdle,  // nothing came in time
    kEnd,
    kStopped,
    kFailed,  // status() says why
  };

  // `path` `-` = standard input.
  explicit LineFeed(const std::string& path);
  ~LineFeed();
  LineFeed(const LineFeed&) = delete;
  LineFeed& operator=(const LineFeed&) = delete;

  // Waits for the next line, which it puts into `line` without its end, as long as `patience`
  // allows. A line of more than 64 MiB fails.
  Event Next(absl::Duration patience, std::string* line);

  // Ends the present and every later wait. From any thread.
  void Stop();

  bool stopped() const { return stops_; }
  // Of the line read last, from 1.
  int64_t line_number() const { return line_number_; }
  int64_t bytes_read() const { return bytes_read_; }
  const absl::Status& status() const { return status_; }

 private:
  // kLine = more bytes came.
  Event Wait(absl::Duration patience);
  Event Fill();
  bool TakeLine(std::string* line);

  const std::string name_;
  int input_ = -1;
  int stop_ = -1;  // an eventfd
  std::atomic<bool> stops_ = false;
  std::string buffer_;
  size_t begin_ = 0;    // of the text that is not taken yet
  size_t scanned_ = 0;  // up to where there is no end of a line
  bool at_end_ = false;
  int64_t line_number_ = 0;
  int64_t bytes_read_ = 0;
  absl::Status status_;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_LINE_FEED_H_
