#include "storage/cancel_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "absl/time/clock.h"
#include "tests/await.h"

namespace priorityd::storage {
namespace {

bool Stays() { return false; }
bool Goes() { return true; }

TEST(CancelWatchTest, AReadThatIsNoLongerNeededIsCanceledAgainAndAgainUntilItEnds) {
  CancelWatch watch;
  const ReadContext context(absl::InfiniteDuration(), Goes);
  std::atomic<int> requests = 0;
  CancelWatch::Read read(&watch, &context, [&] { ++requests; });
  EXPECT_TRUE(Await([&] { return requests >= 2; }));
  EXPECT_TRUE(read.End());
  const int at_end = requests;
  std::atomic<int> later = 0;
  CancelWatch::Read other(&watch, &context, [&] { ++later; });
  EXPECT_TRUE(Await([&] { return later >= 2; }));
  EXPECT_LE(requests, at_end + 1) << "more than the one in progress";
}

TEST(CancelWatchTest, AReadWhoseDeadlinePassesIsCanceled) {
  CancelWatch watch;
  const ReadContext context(absl::Milliseconds(50), Stays);
  std::latch canceled(1);
  CancelWatch::Read read(&watch, &context, [&] { canceled.count_down(); });
  canceled.wait();
  EXPECT_TRUE(read.End());
}

TEST(CancelWatchTest, AReadThatIsNeededAndOneOfTheServiceAreNotCanceled) {
  CancelWatch watch;
  const ReadContext gone(absl::InfiniteDuration(), Goes);
  const ReadContext waits(absl::Minutes(10), Stays);
  std::latch canceled(1);
  std::atomic<int> others = 0;
  CancelWatch::Read needed(&watch, &waits, [&] { ++others; });
  CancelWatch::Read of_service(&watch, nullptr, [&] { ++others; });
  CancelWatch::Read unneeded(&watch, &gone, [&] { canceled.count_down(); });
  canceled.wait();
  EXPECT_EQ(others, 0);
  EXPECT_FALSE(needed.End());
  EXPECT_FALSE(of_service.End());
  EXPECT_TRUE(unneeded.End());
}

TEST(CancelWatchTest, NeitherAReadNorTheWatchWaitsForARequestThatIsOnItsWay) {
  std::latch is_sent(1), is_taken(1), has_ended(1);
  const ReadContext context(absl::InfiniteDuration(), Goes);
  {
    CancelWatch watch;
    CancelWatch::Read read(&watch, &context, [&] {
      is_sent.count_down();
      is_taken.wait();
      has_ended.count_down();
    });
    is_sent.wait();
    EXPECT_TRUE(read.End()) << "the connection must not be used again";
  }
  is_taken.count_down();
  has_ended.wait();
}

}  // namespace
}  // namespace priorityd::storage
