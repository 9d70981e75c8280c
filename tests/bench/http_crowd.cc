#include "tests/bench/http_crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

constexpr absl::Duration kHttpPatience = absl::Minutes(2);

int Open(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Die("no server");
  return fd;
}

void Ask(int fd, const std::string& path, const std::string& tag) {
  const std::string known = tag.empty() ? "" : absl::StrCat("If-None-Match: ", tag, "\r\n");
  const std::string text =
      absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: localhost\r\n", known, "\r\n");
  if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
    Die("a request was not taken");
  }
}

// The value of a header; empty = there is none.
std::string HeaderOf(const std::string& head, const std::string& name) {
  const size_t at = head.find(absl::StrCat("\r\n", name, ": "));
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

}  // namespace

HttpCrowd::HttpCrowd(const HttpCrowdOptions& options)
    : options_(options),
      poll_(epoll_create1(0)),
      readers_(static_cast<size_t>(options.streams + options.dashboards)) {
  const absl::Time now = absl::Now();
  for (size_t i = 0; i < readers_.size(); ++i) {
    Reader& reader = readers_[i];
    reader.fd = Open(options_.port);
    reader.is_stream = static_cast<int>(i) < options_.streams;
    reader.tags.resize(options_.polls.size());
    // Not all at once.
    reader.due = now + options_.interval * (static_cast<double>(i) / readers_.size());
    if (reader.is_stream) Ask(reader.fd, options_.watch, "");
    epoll_event event = {.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(poll_, EPOLL_CTL_ADD, reader.fd, &event);
  }
  thread_ = std::thread([this] { Serve(); });
  const absl::Time until = now + kHttpPatience;
  while (ready_ < static_cast<int>(readers_.size()) && absl::Now() < until) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  if (ready_ < static_cast<int>(readers_.size()))
    Die(absl::StrCat("only ", ready_.load(), " answers"));
}

HttpCrowd::~HttpCrowd() {
  ends_ = true;
  thread_.join();
  for (const Reader& reader : readers_) close(reader.fd);
  close(poll_);
}

void HttpCrowd::Serve() {
  std::vector<epoll_event> events(256);
  while (!ends_) {
    const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 5);
    for (int i = 0; i < count; ++i) Receive(readers_[events[i].data.u64]);
    const absl::Time now = absl::Now();
    for (size_t i = options_.streams; i < readers_.size(); ++i) AskAgain(readers_[i], now);
  }
}

void HttpCrowd::AskAgain(Reader& reader, absl::Time now) {
  if (reader.waits || reader.due > now || options_.polls.empty()) return;
  Ask(reader.fd, options_.polls[reader.next_poll], reader.tags[reader.next_poll]);
  reader.waits = true;
  reader.due += options_.interval / static_cast<double>(options_.polls.size());
}

void HttpCrowd::Receive(Reader& reader) {
  char buffer[64 << 10];
  const ssize_t size = recv(reader.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
  if (size <= 0) {
    epoll_ctl(poll_, EPOLL_CTL_DEL, reader.fd, nullptr);
    ++lost_;
    return;
  }
  if (!reader.is_stream) {
    reader.received.append(buffer, static_cast<size_t>(size));
    return TakeAnswers(reader);
  }
  event_bytes_ += size;
  if (!reader.has_answer && absl::StrContains(absl::string_view(buffer, size), "data: ")) {
    reader.has_answer = true;
    ++ready_;
  }
}

void HttpCrowd::TakeAnswers(Reader& reader) {
  const size_t end = reader.received.find("\r\n\r\n");
  if (end == std::string::npos) return;
  const std::string head = reader.received.substr(0, end + 2);
  const bool is_unchanged = absl::StrContains(head.substr(0, 16), " 304");
  if (!is_unchanged && !absl::StrContains(head.substr(0, 16), " 200")) Die(head);
  const size_t length = std::strtoull(HeaderOf(head, "Content-Length").c_str(), nullptr, 10);
  if (reader.received.size() < end + 4 + length) return;
  reader.received.erase(0, end + 4 + length);
  reader.tags[reader.next_poll] = HeaderOf(head, "ETag");
  reader.next_poll = (reader.next_poll + 1) % options_.polls.size();
  reader.waits = false;
  ++answers_;
  if (is_unchanged) ++unchanged_;
  if (!reader.has_answer) ++ready_;
  reader.has_answer = true;
}

}  // namespace priorityd::bench
