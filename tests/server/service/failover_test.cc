// Databases that are not what they were: a standby promoted with transactions lost, a
// restore, a frozen server, a pooler.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/replica.h"
#include "tests/await.h"
#include "tests/server/service/health.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/pgbouncer.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/test_database.h"

namespace priorityd::rpc {
namespace {

using ::google::protobuf::util::MessageDifferencer;

std::unique_ptr<TestService> Start(const std::string& url) {
  TestService::Options options;
  options.database_url = url;
  return std::make_unique<TestService>(options);
}

void Track(TestService& service, const std::string& job_id, const std::string& removed = "") {
  v1::UpdateJobsRequest request;
  request.add_upserts()->set_job_id(job_id);
  request.mutable_upserts(0)->set_user("amy");
  if (!removed.empty()) request.add_removals(removed);
  UpdateJobs(service, request);
}

std::vector<std::string> Jobs(TestService& service) {
  std::vector<std::string> ids;
  const v1::ListJobsResponse list = ListJobs(service);
  for (const auto& job : list.jobs()) ids.push_back(job.job().job_id());
  return ids;
}

void Record(TestService& service, const std::string& id, const std::string& tres) {
  v1::RecordUsageRequest request;
  *request.add_records() = Usage(id, TestEpoch() - absl::Hours(1), absl::Minutes(1), 1);
  if (!tres.empty()) (*request.mutable_records(0)->mutable_tres())[tres] = 1;
  EXPECT_EQ(RecordUsage(service, request).accepted(), 1);
}

// Two replicas whose database loses the transactions after a moment, which `Lose` gets.
class LostTransactionsTest : public ::testing::Test {
 protected:
  using Jobs_ = std::vector<std::string>;

  void Begin(const std::string& url) {
    leader_ = Start(url);
    Import(*leader_, SmallSite());
    follower_ = Start(url);
    Track(*leader_, "kept");
    Record(*leader_, "kept", "");
    Recalculate(*leader_);
    ASSERT_TRUE(Await([&] { return Generation(*follower_) == 2; }));
    before_ = ListShares(*leader_);
  }
  // In every memory of theirs there is something that is lost later.
  void DoWhatIsLost() {
    Track(*leader_, "lost", /*removed=*/"kept");
    Track(*follower_, "lost too");
    Record(*leader_, "lost", "gres/lost");
    Record(*follower_, "lost too", "gres/lost");
    v1::ApplyPolicyRequest policy;
    policy.set_text("PriorityWeightFairshare=77\n");
    ApplyPolicy(*leader_, policy);
    for (int i = 0; i < 3; ++i) Recalculate(*leader_);
    ASSERT_TRUE(Await([&] { return Generation(*follower_) == 5; }));
    ASSERT_TRUE(Await([&] { return Jobs(*follower_).size() == 2; }));
  }
  void ExpectAsBefore() {
    for (TestService* replica : {leader_.get(), follower_.get()}) {
      EXPECT_TRUE(Await([&] { return Generation(*replica) == 2; }));
      EXPECT_TRUE(Await([&] { return Jobs(*replica) == Jobs_{"kept"}; }));
      ExpectSameShares(ListShares(*replica), before_);
    }
  }
  // What is done now shows on both, and numbers given twice mean what they mean now.
  void GoOn() {
    ASSERT_TRUE(Await([&] { return leader_->loop().leads() || follower_->loop().leads(); }));
    Track(*follower_, "new");
    Record(*leader_, "lost", "gres/other");
    Record(*follower_, "new", "gres/lost");
    Recalculate(*leader_);
    for (TestService* replica : {leader_.get(), follower_.get()}) {
      EXPECT_TRUE(Await([&] { return Generation(*replica) == 3; }));
      EXPECT_TRUE(Await([&] { return Jobs(*replica) == (Jobs_{"kept", "new"}); }));
    }
    ExpectSameShares(ListShares(*leader_), ListShares(*follower_));
    const auto recorded = leader_->database().Read([](storage::Transaction& transaction) {
      return transaction.QueryOne(
          storage::OnlyColumn<std::string>,
          "SELECT string_agg(u.record_id || ' ' || t.name, ',' ORDER BY u.record_id) "
          "FROM priorityd.usage_record u, unnest(u.tres_ids) AS i(id), priorityd.tres t "
          "WHERE t.id = i.id AND t.name LIKE 'gres/%'");
    });
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    EXPECT_EQ(*recorded, "lost gres/other,new gres/lost");
  }

  // Either may have been without its database for a while.
  static void ExpectSameShares(v1::ListSharesResponse a, v1::ListSharesResponse b) {
    a.mutable_snapshot()->clear_stale_for();
    b.mutable_snapshot()->clear_stale_for();
    EXPECT_TRUE(MessageDifferencer::Equals(a, b)) << a.DebugString() << "against\n"
                                                  << b.DebugString();
  }

  static int64_t Generation(TestService& service) {
    grpc::Status status;
    return ListShares(service, {}, &status).snapshot().generation();
  }

  std::unique_ptr<TestService> leader_;
  std::unique_ptr<TestService> follower_;
  v1::ListSharesResponse before_;
};

TEST_F(LostTransactionsTest, AStandbyThatIsPromotedWithoutThemIsReadAgain) {
  storage::PostgresServer primary;
  primary.Run("createdb",
              {"-h", "127.0.0.1", "-p", absl::StrCat(primary.port()), "-U", "priorityd", "site"});
  storage::PostgresServer standby(&primary);
  Begin(absl::StrCat("postgresql://priorityd@127.0.0.1:", primary.port(),
                     ",127.0.0.1:", standby.port(), "/site?sslmode=disable"));
  storage::Database database({.url = primary.Url("site")});
  ASSERT_TRUE(Await([&] {
    return database
               .Read([](storage::Transaction& transaction) {
                 return transaction.Execute(
                     "SELECT FROM pg_stat_replication "
                     "WHERE replay_lsn >= pg_current_wal_flush_lsn()");
               })
               .value() == 1;
  }));
  standby.Kill();
  DoWhatIsLost();
  primary.Kill();
  standby.Start();
  standby.Promote();
  ExpectAsBefore();
  GoOn();
}

TEST_F(LostTransactionsTest, ARestoreUnderLiveReplicasIsReadAgain) {
  storage::PostgresServer server;
  const std::vector<std::string> psql = {
      "-X", "-v", "ON_ERROR_STOP=1", "-d", server.Url("postgres"), "-c"};
  const auto run = [&](const std::string& statement) {
    std::vector<std::string> arguments = psql;
    arguments.push_back(statement);
    server.Run("psql", arguments);
  };
  run("CREATE DATABASE site");
  Begin(server.Url("site"));
  const std::string dump = storage::NewTestDirectory() + "/dump";
  server.Run("pg_dump", {"-Fc", "-f", dump, "-d", server.Url("site")});
  DoWhatIsLost();
  run("DROP DATABASE site WITH (FORCE)");
  run("CREATE DATABASE site");
  server.Run("pg_restore", {"--single-transaction", "-d", server.Url("site"), dump});
  ExpectAsBefore();
  GoOn();
}

TEST_F(LostTransactionsTest, ASchemaRestoredInPlaceIsReadAgain) {
  storage::PostgresServer server;
  server.Run("psql", {"-X", "-d", server.Url("postgres"), "-c", "CREATE DATABASE site"});
  Begin(server.Url("site"));
  const std::string dump = storage::NewTestDirectory() + "/dump";
  server.Run("pg_dump", {"-Fc", "-f", dump, "-d", server.Url("site")});
  DoWhatIsLost();
  // All or nothing: it may meet a transaction of a replica in a deadlock.
  ASSERT_TRUE(Await([&] {
    return server
        .TryToRun("pg_restore", {"--clean", "--single-transaction", "-d", server.Url("site"), dump})
        .ok();
  }));
  ExpectAsBefore();
  GoOn();
}

TEST(FrozenServerTest, HealthOfRecordingSaysSoAndNothingIsLost) {
  storage::PostgresServer server;
  TestService::Options options;
  options.database_url = server.Url("postgres");
  options.max_commit = absl::Seconds(1);
  TestService service(options);
  Import(service, SmallSite());
  const auto health = [&](const std::string& part) {
    service.UpdateHealth();
    return CheckHealth(service.channel(), part);
  };
  EXPECT_EQ(health(kRecordingHealth), kServing);
  server.Freeze();
  std::thread recording([&] { Record(service, "r", ""); });
  EXPECT_TRUE(Await([&] { return health(kRecordingHealth) == kNotServing; }));
  // Rankings need no database.
  EXPECT_EQ(health(""), kServing);
  server.Thaw();
  recording.join();
  EXPECT_TRUE(Await([&] { return health(kRecordingHealth) == kServing; }));
}

TEST(PgbouncerTest, TwoReplicasWorkBehindItInSessionMode) {
  storage::PostgresServer server;
  const storage::Pgbouncer pooler(server, "session");
  auto leader = Start(pooler.Url("postgres"));
  auto follower = Start(pooler.Url("postgres"));
  EXPECT_TRUE(leader->loop().leads());
  EXPECT_FALSE(follower->loop().leads());
  Import(*leader, SmallSite());
  ASSERT_TRUE(Await([&] {
    grpc::Status status;
    return ListShares(*follower, {}, &status).snapshot().generation() == 1;
  }));
  Track(*leader, "job");
  Record(*follower, "r", "");
  Recalculate(*follower);
  EXPECT_TRUE(Await([&] { return Jobs(*follower).size() == 1; }));
  leader.reset();
  EXPECT_TRUE(Await([&] { return follower->loop().leads(); }));
}

}  // namespace
}  // namespace priorityd::rpc
