// One host with many connections leaves room to others.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/gateway/message_room.h"
#include "server/gateway/origins.h"
#include "server/gateway/sign_in_routes.h"
#include "server/sign_in/sign_in.h"
#include "server/transport/admission.h"
#include "server/transport/worker_pool.h"

namespace priorityd::gateway {
namespace {

constexpr int kConnections = 20;
constexpr size_t kPlaces = 8;
// A lane may hold as much as it leaves.
constexpr int kPlacesOfAHost = 4;

// A pool whose threads are busy until Release.
class OccupiedPool {
 public:
  OccupiedPool() : begun_(pool_.threads()) {
    for (int i = 0; i < pool_.threads(); ++i) {
      pool_.Schedule(absl::StrCat("occupied", i), [this] {
        begun_.count_down();
        released_.wait();
      });
    }
    begun_.wait();
  }
  ~OccupiedPool() { Release(); }
  rpc::WorkerPool* get() { return &pool_; }
  // Waits for all work.
  void Release() {
    if (!released_.try_wait()) released_.count_down();
    pool_.AwaitIdle();
  }

 private:
  std::latch released_{1};
  rpc::WorkerPool pool_{{.threads = 2, .max_queued = kPlaces}};
  std::latch begun_;
};

http::Request RequestFrom(const std::string& address) {
  http::Request request;
  request.method = "GET";
  request.path = "/signin/begin";
  request.peer.address = address;
  return request;
}

// The addresses of one host, in gRPC's form.
std::vector<std::string> ConnectionsOf(const std::string& host) {
  std::vector<std::string> addresses;
  for (int port = 1; port <= kConnections; ++port) {
    addresses.push_back(absl::StrCat(host, ":", 40'000 + port));
  }
  return addresses;
}

class OneAnswer : public http::Exchange {
 public:
  explicit OneAnswer(const std::string& address) : request_(RequestFrom(address)) {}
  const http::Request& request() const override { return request_; }
  void Answer(http::Response response) override { status_ = response.status; }
  absl::Status BeginStream(http::Response) override { return absl::UnimplementedError(""); }
  absl::Status Send(std::string, std::function<void()>) override {
    return absl::UnimplementedError("");
  }
  void EndStream() override {}
  void OnGone(std::function<void()>) override {}
  void LookForPeer() override {}
  // 0 until it is answered.
  int status() const { return status_; }

 private:
  const http::Request request_;
  std::atomic<int> status_ = 0;
};

TEST(LanesTest, OneHostThatRepeatsSignInsLeavesRoomForThoseOfAnother) {
  for (const char* host : {"ipv4:127.0.0.1", "ipv6:%5B2001:db8::1%5D"}) {
    // No provider listens there.
    sign_in::SignIn sign_in({.page_url = "http://127.0.0.1:1/",
                             .issuer = "http://127.0.0.1:1",
                             .client = {.id = "page"},
                             .key = std::string(32, 'k'),
                             .clock = absl::Now});
    const Origins origins({});
    OccupiedPool pool;
    http::Routes routes;
    AddSignInRoutes({&sign_in, &origins, pool.get()}, &routes);
    const auto begin = [&](const std::string& address) {
      auto exchange = std::make_shared<OneAnswer>(address);
      routes.handlers["/signin/"](exchange);
      return exchange;
    };
    int refused = 0;
    for (const std::string& address : ConnectionsOf(host)) {
      if (begin(address)->status() == 429) ++refused;
    }
    EXPECT_EQ(refused, kConnections - kPlacesOfAHost) << host;
    const auto other = begin("ipv4:127.0.0.2:40001");
    EXPECT_EQ(other->status(), 0) << host;
    pool.Release();
    EXPECT_EQ(other->status(), 303) << host;
  }
}

TEST(LanesTest, AnswersForOneHostLeaveRoomForThoseForAnother) {
  rpc::Admission admission(1 << 20);
  OccupiedPool pool;
  std::atomic<int> run = 0;
  const auto schedule = [&](const std::string& address) {
    return ScheduleAnswer(grpc::ByteBuffer(), RequestFrom(address), admission, pool.get(),
                          [&run] { ++run; })
        .ok();
  };
  int taken = 0;
  for (const std::string& address : ConnectionsOf("ipv4:127.0.0.1")) taken += schedule(address);
  EXPECT_EQ(taken, kPlacesOfAHost);
  EXPECT_TRUE(schedule("ipv4:127.0.0.2:40001"));
  pool.Release();
  EXPECT_EQ(run, kPlacesOfAHost + 1);
}

}  // namespace
}  // namespace priorityd::gateway
