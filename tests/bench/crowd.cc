#include "tests/bench/crowd.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

constexpr char kWatchRanking[] = "/priority.v1.PriorityService/WatchRanking";
constexpr uint32_t kSlowWindow = 1024;
constexpr uint32_t kUsualWindow = 65'535;
constexpr int kPollMilliseconds = 100;
constexpr absl::Duration kCrowdPatience = absl::Minutes(5);

}  // namespace

Crowd::Crowd(const CrowdOptions& options)
    : options_(options), poll_(epoll_create1(EPOLL_CLOEXEC)), answered_(options.connections) {
  connections_.resize(options.connections);
  int watches = 0;
  for (int i = 0; i < options.connections; ++i) watches += Watches(i) ? 1 : 0;
  Open();
  thread_ = std::thread([this] { Serve(); });
  for (const absl::Time until = absl::Now() + kCrowdPatience; answers_ < watches;) {
    if (absl::Now() > until) Die(absl::StrCat(watches - answers_, " watches have no answer"));
    absl::SleepFor(absl::Milliseconds(10));
  }
}

Crowd::~Crowd() {
  ends_ = true;
  thread_.join();
  close(poll_);
}

void Crowd::Open() {
  for (int i = 0; i < options_.connections; ++i) {
    auto connection =
        std::make_unique<RawHttp2>(options_.port, IsSlow(i) ? kSlowWindow : kUsualWindow);
    if (Watches(i)) {
      connection->Call(kWatchRanking, IsSlow(i) ? options_.slow_watch : options_.idle_watch);
    }
    epoll_event event = {.events = EPOLLIN, .data = {.u32 = static_cast<uint32_t>(i)}};
    epoll_ctl(poll_, EPOLL_CTL_ADD, connection->fd(), &event);
    connections_[i] = std::move(connection);
  }
}

void Crowd::Serve() {
  std::array<epoll_event, 256> events;
  while (!ends_) {
    const int count = epoll_wait(poll_, events.data(), events.size(), kPollMilliseconds);
    for (int i = 0; i < count; ++i) ServeOne(static_cast<int>(events[i].data.u32));
  }
}

void Crowd::ServeOne(int number) {
  RawHttp2& connection = *connections_[number];
  if (!connection.Serve(!IsSlow(number))) {
    ++lost_;
    epoll_ctl(poll_, EPOLL_CTL_DEL, connection.fd(), nullptr);
  }
  if (connection.bytes() == 0 || answered_[number]) return;
  answered_[number] = true;
  ++answers_;
}

}  // namespace priorityd::bench
