#include "storage/database/read_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>

#include "absl/time/clock.h"
#include "storage/database/database.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

constexpr absl::Duration kPatience = absl::Milliseconds(100);

// Both ends of a connection.
class SocketPair {
 public:
  SocketPair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  ~SocketPair() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int socket() const { return ends_[0]; }
  // Whether it is shut within that time.
  bool IsShutWithin(absl::Duration time) const {
    pollfd end = {.fd = ends_[1], .events = POLLRDHUP, .revents = 0};
    return poll(&end, 1, static_cast<int>(absl::ToInt64Milliseconds(time))) > 0;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(ReadWatchTest, AReadWhoseServerDoesNotAnswerIsEnded) {
  ReadWatch watch(kPatience, [](const std::string& server, auto...) { return server != "frozen"; });
  const std::string frozen = "frozen";
  const std::string well = "well";
  const SocketPair theirs, ours;
  ReadWatch::Read of_frozen(&watch, theirs.socket(), frozen);
  ReadWatch::Read of_well(&watch, ours.socket(), well);
  EXPECT_TRUE(theirs.IsShutWithin(absl::Minutes(1)));
  EXPECT_FALSE(ours.IsShutWithin(5 * kPatience));
  EXPECT_TRUE(of_frozen.End());
  EXPECT_FALSE(of_well.End());
}

TEST(ReadWatchTest, AServerIsAskedAgainAsLongAsAReadOfItTakes) {
  std::atomic<int> asked = 0;
  ReadWatch watch(kPatience, [&](auto...) { return ++asked < 3; });
  const SocketPair sockets;
  const std::string server;
  ReadWatch::Read read(&watch, sockets.socket(), server);
  EXPECT_TRUE(sockets.IsShutWithin(absl::Minutes(1)));
  EXPECT_GE(asked, 3);
}

TEST(ReadWatchTest, AReadThatEndsOrBeginsMeanwhileKeepsItsSocket) {
  std::latch is_asked(1), may_answer(1);
  const SocketPair ended, begun;
  const std::string server;
  std::atomic<int> asked = 0;
  ReadWatch watch(kPatience, [&](auto...) {
    if (asked++ > 0) return true;  // The second read may take long.
    is_asked.count_down();
    may_answer.wait();
    return false;
  });
  {
    ReadWatch::Read read(&watch, ended.socket(), server);
    is_asked.wait();
    EXPECT_FALSE(read.End());
  }
  {
    ReadWatch::Read read(&watch, begun.socket(), server);
    may_answer.count_down();
    EXPECT_FALSE(ended.IsShutWithin(kPatience));
    EXPECT_FALSE(read.End());
  }
}

TEST(ReadWatchTest, AnotherFileThatHasTheNumberOfAClosedSocketIsLeftAlone) {
  std::latch may_answer(1);
  ReadWatch watch(kPatience, [&](auto...) {
    may_answer.wait();
    return false;
  });
  const SocketPair closed, other;
  const std::string server;
  ReadWatch::Read read(&watch, closed.socket(), server);
  ASSERT_GE(dup2(other.socket(), closed.socket()), 0);
  may_answer.count_down();
  EXPECT_TRUE(closed.IsShutWithin(absl::Minutes(1)));
  EXPECT_FALSE(other.IsShutWithin(kPatience));
}

// A PostgreSQL, and a pool whose reads wait for two seconds.
class FrozenPostgresTest : public testing::Test {
 protected:
  FrozenPostgresTest() {
    EXPECT_TRUE(database_
                    .Write([](Transaction& transaction) {
                      return transaction.Execute("CREATE TABLE written (a integer)").status();
                    })
                    .ok());
  }

  absl::Status Read(const char* statement = "SELECT FROM written") {
    return database_.Read(
        [&](Transaction& transaction) { return transaction.Execute(statement).status(); });
  }

  PostgresServer server_;
  Database database_{{.url = server_.Url("postgres"), .read_patience = absl::Seconds(2)}};
};

TEST_F(FrozenPostgresTest, AReadIsUnavailableAndAWriteIsDoneOnceWhenItContinues) {
  std::latch at_work(2), frozen(1);
  // Half of it before, half of it after the freeze.
  const auto work = [&](const char* statement) {
    return [&, statement](Transaction& transaction) {
      absl::Status status = transaction.Execute(statement).status();
      at_work.count_down();
      frozen.wait();
      status.Update(transaction.Execute("SELECT FROM written").status());
      return status;
    };
  };
  absl::Status read, written;
  std::thread reading([&] { read = database_.Read(work("SELECT FROM written")); });
  std::thread writing([&] { written = database_.Write(work("INSERT INTO written VALUES (1)")); });
  at_work.wait();
  server_.Freeze();
  frozen.count_down();
  const absl::Time begin = absl::Now();
  reading.join();
  EXPECT_LT(absl::Now() - begin, absl::Minutes(1));
  EXPECT_EQ(read.code(), absl::StatusCode::kUnavailable) << read;
  EXPECT_EQ(read.message(), "PostgreSQL does not answer; retry");
  server_.Thaw();
  writing.join();
  EXPECT_OK(written);
  // Fails unless there is one row.
  EXPECT_OK(Read("SELECT 1 / (count(*) = 1)::int FROM written"));
}

TEST_F(FrozenPostgresTest, AReadOfAServerThatAnswersMayTakeLong) {
  EXPECT_OK(Read("SELECT pg_sleep(5)"));
}

}  // namespace
}  // namespace priorityd::storage
