#include "server/threads/database_clock.h"

#include <gtest/gtest.h>

namespace priorityd::threads {
namespace {

// A true time, and three clocks that are off by what the test says.
class DatabaseClockTest : public ::testing::Test {
 protected:
  void Pass(absl::Duration duration) { true_ += duration; }
  absl::Time real() const { return absl::UnixEpoch() + (true_ - kBegin); }
  absl::Time database() const { return true_ + database_ahead_; }

  // Question and answer are under way for so long.
  void Read(absl::Duration there, absl::Duration back) {
    const absl::Time sent = real();
    Pass(there);
    const absl::Time time = database();
    Pass(back);
    clock_.Note(sent, time);
  }
  absl::Duration Error() const { return absl::AbsDuration(clock_.Now() - database()); }

  const absl::Time kBegin = absl::FromUnixSeconds(1767571200);
  absl::Time true_ = kBegin;
  absl::Duration database_ahead_ = absl::Hours(1);
  absl::Duration host_ahead_ = absl::ZeroDuration();
  DatabaseClock clock_{[this] { return real(); }, [this] { return true_ + host_ahead_; }};
};

TEST_F(DatabaseClockTest, BeforeTheFirstReadingItIsTheHosts) {
  EXPECT_EQ(clock_.Now(), true_);
  EXPECT_EQ(clock_.HostIsAhead(), absl::ZeroDuration());
}

TEST_F(DatabaseClockTest, AReadingIsWrongByHalfTheRoundTripAtMost) {
  Read(absl::Milliseconds(30), absl::ZeroDuration());
  EXPECT_EQ(Error(), absl::Milliseconds(15));
  Pass(absl::Seconds(7));
  EXPECT_EQ(Error(), absl::Milliseconds(15));
}

TEST_F(DatabaseClockTest, ASlowReadingSpoilsNothing) {
  Read(absl::Milliseconds(1), absl::Milliseconds(1));
  Read(absl::Seconds(9), absl::ZeroDuration());
  EXPECT_LT(Error(), absl::Milliseconds(10));
}

TEST_F(DatabaseClockTest, ReadingsTogetherAreBetterThanEach) {
  Read(absl::Milliseconds(30), absl::Milliseconds(1));
  Read(absl::Milliseconds(1), absl::Milliseconds(30));
  EXPECT_LT(Error(), absl::Milliseconds(2));
}

TEST_F(DatabaseClockTest, AClockThatIsSetIsFollowed) {
  Read(absl::Milliseconds(1), absl::Milliseconds(1));
  for (const absl::Duration ahead : {absl::Hours(9000), -absl::Seconds(3)}) {
    database_ahead_ = ahead;
    Read(absl::Milliseconds(1), absl::Milliseconds(1));
    EXPECT_LT(Error(), absl::Milliseconds(2));
  }
}

TEST_F(DatabaseClockTest, AClockThatIsSteeredIsFollowed) {
  for (int i = 0; i < 10'000; ++i) {
    Read(absl::Milliseconds(1), absl::Milliseconds(2));
    Pass(absl::Seconds(1));
    database_ahead_ += absl::Microseconds(500);
    ASSERT_LT(Error(), absl::Milliseconds(4)) << i;
  }
}

TEST_F(DatabaseClockTest, TheHostIsAheadByNoMoreThanIsCertain) {
  database_ahead_ = absl::ZeroDuration();
  host_ahead_ = absl::Seconds(20);
  Read(absl::Seconds(2), absl::Seconds(1));
  EXPECT_EQ(clock_.HostIsAhead(), absl::Seconds(18));
  host_ahead_ = -absl::Seconds(20);
  EXPECT_EQ(clock_.HostIsAhead(), -absl::Seconds(19));
  host_ahead_ = absl::ZeroDuration();
  EXPECT_EQ(clock_.HostIsAhead(), absl::ZeroDuration());
}

}  // namespace
}  // namespace priorityd::threads
