#include "storage/database/cancel_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>

#include "absl/time/clock.h"
#include "tests/await.h"

namespace priorityd::storage {
namespace {

bool Stays() { return false; }
bool Goes() { return true; }

// Counts its requests, which may come after the test.
class Requests {
 public:
  CancelWatch::Cancel Counter() const {
    return [count = count_] { ++*count; };
  }
  int count() const { return *count_; }
  bool AwaitMoreThan(int count) const {
    return Await([&] { return *count_ > count; });
  }

 private:
  const std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

TEST(CancelWatchTest, AReadThatIsNoLongerNeededIsCanceledAgainAndAgainUntilItEnds) {
  CancelWatch watch;
  const ReadContext context(absl::InfiniteDuration(), Goes);
  const Requests requests, later;
  CancelWatch::Read read(&watch, &context, requests.Counter());
  EXPECT_TRUE(requests.AwaitMoreThan(1));
  EXPECT_TRUE(read.End());
  const int at_end = requests.count();
  CancelWatch::Read other(&watch, &context, later.Counter());
  EXPECT_TRUE(later.AwaitMoreThan(1));
  EXPECT_LE(requests.count(), at_end + 1) << "more than the one in progress";
}

TEST(CancelWatchTest, AReadWhoseDeadlinePassesIsCanceled) {
  CancelWatch watch;
  const ReadContext context(absl::Milliseconds(50), Stays);
  const Requests requests;
  CancelWatch::Read read(&watch, &context, requests.Counter());
  EXPECT_TRUE(requests.AwaitMoreThan(0));
  EXPECT_TRUE(read.End());
}

TEST(CancelWatchTest, AReadThatIsNeededAndOneOfTheServiceAreNotCanceled) {
  CancelWatch watch;
  const ReadContext gone(absl::InfiniteDuration(), Goes);
  const ReadContext waits(absl::Minutes(10), Stays);
  const Requests requests, others;
  CancelWatch::Read needed(&watch, &waits, others.Counter());
  CancelWatch::Read of_service(&watch, nullptr, others.Counter());
  CancelWatch::Read unneeded(&watch, &gone, requests.Counter());
  EXPECT_TRUE(requests.AwaitMoreThan(0));
  EXPECT_EQ(others.count(), 0);
  EXPECT_FALSE(needed.End());
  EXPECT_FALSE(of_service.End());
  EXPECT_TRUE(unneeded.End());
}

// Of a frozen server: its requests end when Take is called.
class FrozenServer {
 public:
  CancelWatch::Cancel Request() const {
    return [state = state_] {
      ++state->sent;
      state->is_taken.wait();
      ++state->ended;
    };
  }
  int sent() const { return state_->sent; }
  bool AwaitSent(int count) const {
    return Await([&] { return state_->sent == count; });
  }
  // Returns when they have ended.
  void Take() const {
    state_->is_taken.count_down();
    EXPECT_TRUE(Await([&] { return state_->ended == state_->sent; }));
  }

 private:
  struct State {
    std::atomic<int> sent = 0, ended = 0;
    std::latch is_taken{1};
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

TEST(CancelWatchTest, NeitherAReadNorTheWatchWaitsForARequestThatIsOnItsWay) {
  const FrozenServer server;
  const ReadContext context(absl::InfiniteDuration(), Goes);
  {
    CancelWatch watch;
    CancelWatch::Read read(&watch, &context, server.Request());
    EXPECT_TRUE(server.AwaitSent(1));
    EXPECT_TRUE(read.End()) << "the connection must not be used again";
  }
  server.Take();
}

TEST(CancelWatchTest, RequestsThatAServerDoesNotTakeDelayNoOtherAndAreNotRepeated) {
  const FrozenServer frozen;
  const Requests requests;
  const ReadContext context(absl::InfiniteDuration(), Goes);
  {
    CancelWatch watch;
    CancelWatch::Read first(&watch, &context, frozen.Request());
    CancelWatch::Read second(&watch, &context, frozen.Request());
    EXPECT_TRUE(frozen.AwaitSent(2));
    CancelWatch::Read of_another_server(&watch, &context, requests.Counter());
    EXPECT_TRUE(requests.AwaitMoreThan(1));
    EXPECT_EQ(frozen.sent(), 2);
  }
  frozen.Take();
}

}  // namespace
}  // namespace priorityd::storage
