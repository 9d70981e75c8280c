// What happens when the network between a replica and PostgreSQL goes silent.
#include "storage/database/connection.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/database/connection_string.h"
#include "storage/database/database.h"
#include "storage/snapshots/replica_session.h"
#include "tests/storage/dropped_packets.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// The kernel's own keepalive takes two hours.
constexpr absl::Duration kSoon = absl::Minutes(2);

class ConnectionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { may_drop_packets_ = EnterNetwork(); }

  // By a connection of its own, that no packet was lost of.
  template <typename T>
  T Query(T (*decode)(RowReader&), const std::string& statement) {
    Database observer({.url = server_.Url("postgres")});
    return observer
        .Read([&](Transaction& transaction) { return transaction.QueryOne(decode, statement); })
        .value();
  }
  std::string OfSession(const std::string& select) const {
    return absl::StrCat("SELECT ", select, " FROM pg_stat_activity WHERE application_name = '",
                        database_.options().application_name, "'");
  }
  bool AwaitSessions(int32_t sessions, const std::string& condition) {
    const absl::Time deadline = absl::Now() + kSoon;
    const std::string count = absl::StrCat(OfSession("count(*)::int"), " AND ", condition);
    while (Query(OnlyColumn<int32_t>, count) != sessions) {
      if (absl::Now() > deadline) return false;
      absl::SleepFor(absl::Milliseconds(50));
    }
    return true;
  }

  static inline bool may_drop_packets_ = false;
  PostgresServer server_;
  Database database_{{.url = server_.Url("postgres")}};
};

TEST_F(ConnectionTest, BothEndsAskWhetherTheOtherIsStillThere) {
  for (const auto& [setting, value] :
       {std::pair("tcp_keepalives_idle", "5"), std::pair("tcp_keepalives_interval", "2"),
        std::pair("tcp_keepalives_count", "3")}) {
    EXPECT_EQ(database_
                  .Read([&](Transaction& transaction) {
                    return transaction.QueryOne(OnlyColumn<std::string>,
                                                absl::StrCat("SHOW ", std::string(setting)));
                  })
                  .value(),
              value);
  }
  const std::string words = CompleteConnectionString(database_.options().url).value();
  EXPECT_NE(words.find("keepalives_idle='5' keepalives_interval='2'"), std::string::npos) << words;
}

TEST_F(ConnectionTest, AStatementWhoseAnswerCannotComeEnds) {
  if (!may_drop_packets_) GTEST_SKIP() << "want root, or user namespaces";
  absl::Status status;
  std::thread waiting([&] {
    status = database_.Read([](Transaction& transaction) {
      return transaction.Execute("SELECT pg_sleep(3600)").status();
    });
  });
  ASSERT_TRUE(AwaitSessions(1, "query LIKE '%pg_sleep%'"));
  const DroppedPackets silence = DroppedPackets::From(server_.port());
  EXPECT_EQ(silence.size(), 1u);
  const absl::Time begin = absl::Now();
  waiting.join();
  EXPECT_LT(absl::Now() - begin, kSoon);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(ConnectionTest, ACommitIsUncertainWhenNoPacketComesBack) {
  if (!may_drop_packets_) GTEST_SKIP() << "want root, or user namespaces";
  std::optional<DroppedPackets> silence;
  const absl::Time begin = absl::Now();
  // Under limits a statement comes before COMMIT, which would meet the silence first.
  const absl::Status status = database_.Write(kNoLimits, [&](Transaction& transaction) {
    absl::Status done = transaction.Execute("CREATE TABLE committed (a integer)").status();
    silence.emplace(DroppedPackets::From(server_.port()));
    return done;
  });
  EXPECT_LT(absl::Now() - begin, kSoon);
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_EQ(
      Query(OnlyColumn<int32_t>, "SELECT count(*)::int FROM pg_class WHERE relname = 'committed'"),
      1);
}

TEST_F(ConnectionTest, TheServerLetsGoOfAClientThatVanished) {
  if (!may_drop_packets_) GTEST_SKIP() << "want root, or user namespaces";
  auto session = ReplicaSession::Open(database_);
  ASSERT_OK(session.status());
  const pid_t server = Query(OnlyColumn<int32_t>, OfSession("pid"));
  const DroppedPackets answers = DroppedPackets::From(server_.port());
  const DroppedPackets questions = DroppedPackets::To(server_.port(), {server});
  ASSERT_EQ(answers.size(), 1u);
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_TRUE(AwaitSessions(0, "true"));
}

}  // namespace
}  // namespace priorityd::storage
