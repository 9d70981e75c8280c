// The leader, and the length of its lease.
#include "server/recalculation/leadership.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "absl/time/clock.h"
#include "tests/await.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kLongLease = absl::Minutes(10);

class LeadershipTest : public testing::Test {
 protected:
  // One that renews its lease, or tries to take it, quickly. The lease outlives any wait for a
  // processor.
  std::unique_ptr<Leadership> Started(threads::Clock clock = absl::Now) {
    auto leadership = std::make_unique<Leadership>(
        &database_, LeadershipOptions{.lease = kLongLease, .renewal = absl::Milliseconds(50)},
        std::move(clock), [this](const storage::Notifications&) { ++calls_; });
    leadership->Start();
    return leadership;
  }

  storage::Database database_{{.url = storage::NewTestDatabase()}};
  std::atomic<int> calls_ = 0;
};

TEST_F(LeadershipTest, TheFirstLeadsAtOnceAndASecondDoesNot) {
  const auto first = Started();
  EXPECT_EQ(first->epoch(), 1);
  const auto second = Started();
  EXPECT_EQ(second->epoch(), std::nullopt);
}

TEST_F(LeadershipTest, TheNextOneLeadsInALaterEpoch) {
  auto first = Started();
  const auto second = Started();
  first.reset();
  ASSERT_TRUE(Await([&] { return second->epoch().has_value(); }));
  EXPECT_EQ(second->epoch(), 2);
}

// Before Start returns it has campaigned; its thread does so again at a time of its own,
// so what counts is what the first lease is good for.
TEST_F(LeadershipTest, ALeaseIsMeasuredByTheClockThatIsPassedIn) {
  // A clock that has a minute pass between the campaign and the look at it.
  std::atomic<int> reads = 0;
  const absl::Time start = absl::Now();
  Leadership leadership(
      &database_, {.lease = absl::Seconds(4)}, [&] { return start + ++reads * absl::Minutes(1); },
      [this](const storage::Notifications&) { ++calls_; });
  leadership.Start();
  EXPECT_EQ(leadership.epoch(), std::nullopt);
  ASSERT_TRUE(Await([&] { return calls_ > 0; }));
}

TEST_F(LeadershipTest, ANotificationIsPassedOn) {
  const auto leadership = Started();
  for (int i = 0; i < 3; ++i) {
    const int before = calls_;
    ASSERT_TRUE(database_.Write(storage::NotifyReplicas).ok());
    EXPECT_TRUE(Await([&] { return calls_ > before; }));
  }
}

TEST_F(LeadershipTest, ABrokenConnectionIsReplaced) {
  const auto leadership = Started();
  const absl::Status cut = database_.Write([&](storage::Transaction& transaction) {
    return transaction
        .Execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 "
            "AND pid <> pg_backend_pid()",
            {database_.options().application_name})
        .status();
  });
  ASSERT_TRUE(cut.ok()) << cut;
  EXPECT_TRUE(Await([&] { return leadership->epoch().value_or(0) > 1; }));
}

}  // namespace
}  // namespace priorityd::recalculation
