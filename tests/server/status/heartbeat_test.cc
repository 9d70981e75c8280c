#include "server/status/heartbeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "tests/await.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/test_database.h"

namespace priorityd::status {
namespace {

using ::testing::StartsWith;

class HeartbeatTest : public testing::Test {
 protected:
  std::unique_ptr<Heartbeat> Started(const std::string& address) {
    auto heartbeat = std::make_unique<Heartbeat>(
        storage::Database({.url = url_}), Heartbeat::Options{.period = absl::Milliseconds(50),
                                                             .clock = threads::RunningTime,
                                                             .self = [this, address] {
                                                               storage::Replica self;
                                                               self.address = address;
                                                               self.version = "9.9";
                                                               self.leads = leads_;
                                                               return self;
                                                             }});
    heartbeat->Start();
    return heartbeat;
  }

  // How many replicas it knows of.
  static size_t Known(const Heartbeat& heartbeat) {
    const auto news = heartbeat.state().news;
    return news == nullptr ? 0 : news->replicas.size();
  }

  const std::string url_ = storage::NewTestDatabase();
  std::atomic<bool> leads_ = true;
};

TEST_F(HeartbeatTest, ReplicasLearnOfEachOtherAndOfWhoLeaves) {
  const auto first = Started("host-a:7411");
  auto second = Started("host-b:7411");
  ASSERT_TRUE(Await([&] { return Known(*first) == 2 && Known(*second) == 2; }));
  const auto news = first->state().news;
  EXPECT_THAT(news->server_version, StartsWith("15."));
  EXPECT_GE(news->schema_version, 21);
  EXPECT_TRUE(news->deferred_migrations.empty());
  EXPECT_TRUE(Await([&] { return !first->state().is_unreachable; }));
  for (const storage::Replica& replica : news->replicas) {
    EXPECT_EQ(replica.address, replica.name == first->name() ? "host-a:7411" : "host-b:7411");
    EXPECT_EQ(replica.version, "9.9");
    EXPECT_TRUE(replica.leads);
  }
  leads_ = false;
  EXPECT_TRUE(Await([&] { return !second->state().news->replicas.front().leads; }));
  second.reset();
  EXPECT_TRUE(Await([&] { return Known(*first) == 1; }));
}

TEST_F(HeartbeatTest, SaysThatItGetsNoAnswerWhileItWaitsForOne) {
  const auto heartbeat = Started("host-a:7411");
  ASSERT_TRUE(Await([&] { return Known(*heartbeat) == 1; }));
  {
    storage::HeldLock lock(url_, "LOCK TABLE priorityd.replica");
    EXPECT_TRUE(Await([&] { return heartbeat->state().is_unreachable; }));
    EXPECT_EQ(Known(*heartbeat), 1);  // What was known stays.
    EXPECT_GT(heartbeat->state().age, absl::Milliseconds(50));
  }
  EXPECT_TRUE(Await([&] { return !heartbeat->state().is_unreachable; }));
}

}  // namespace
}  // namespace priorityd::status
