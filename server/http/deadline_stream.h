// A connection that lasts for a bounded time and takes a bounded request.
#ifndef PRIORITYD_SERVER_HTTP_DEADLINE_STREAM_H_
#define PRIORITYD_SERVER_HTTP_DEADLINE_STREAM_H_

#include <httplib.h>

#include <array>
#include <cstddef>
#include <string>

#include "absl/time/time.h"

namespace priorityd::http {

// Waits until the socket is ready for `events` of poll(2); false at `until`, by
// threads::RunningTime.
bool AwaitSocket(socket_t socket, short events, absl::Time until);

// Reads and writes fail once their time is over, however often the peer sends another byte, and
// reads fail after `max_bytes`. Thread-compatible.
class DeadlineStream : public httplib::Stream {
 public:
  struct Limits {
    size_t max_bytes = 0;       // Of the request.
    absl::Duration read_time;   // Until the request is there, from the stream's beginning.
    absl::Duration write_time;  // Until the answer is sent, from the first write.
  };

  // `socket` must outlive the stream.
  DeadlineStream(socket_t socket, const Limits& limits);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* data, size_t size) override;
  ssize_t write(const char* data, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 protected:
  absl::Time read_until() const { return read_until_; }

  // Moves bytes between the connection and `data`, one at least; 0 or less at its end, and once it
  // is `until`.
  virtual ssize_t Receive(char* data, size_t size, absl::Time until);
  virtual ssize_t Send(const char* data, size_t size, absl::Time until);

 private:
  // Receives more into buffer_; false at the end, an error, or a limit.
  bool Fill();

  const socket_t socket_;
  const Limits limits_;
  const absl::Time read_until_;
  absl::Time write_until_ = absl::InfiniteFuture();
  size_t received_ = 0;
  std::array<char, 4096> buffer_;
  size_t begin_ = 0;  // Of what is in the buffer.
  size_t end_ = 0;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_DEADLINE_STREAM_H_
