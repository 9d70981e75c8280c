// Reports on a real streaming standby: current, behind, gone, promoted, of another database.
#include "storage/database/report_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/database/read_context.h"
#include "storage/database/standby_store.h"
#include "tests/await.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::storage {
namespace {

using ::testing::HasSubstr;

// Of it the tests need a part between two looks.
constexpr absl::Duration kMostLag = absl::Seconds(6);

class ReportDatabaseTest : public testing::Test {
 protected:
  ReportDatabaseTest() { Commit(); }

  static DatabaseOptions To(const PostgresServer& server) {
    return {.url = server.Url("postgres"), .pool_size = 2};
  }
  static absl::Status Script(Database& database, const std::string& sql) {
    return database.WriteAlone(
        kUsual, [&](Transaction& transaction) { return transaction.ExecuteScript(sql.c_str()); });
  }
  void Commit() {
    EXPECT_TRUE(
        Script(primary_, "CREATE TABLE IF NOT EXISTS t (n integer); INSERT INTO t VALUES (1)")
            .ok());
  }

  // What the server of a report is.
  absl::StatusOr<bool> IsReadOnStandby() {
    return reports_.Read([](Transaction& transaction) {
      return transaction.QueryOne(OnlyColumn<bool>, std::string("SELECT pg_is_in_recovery()"));
    });
  }
  // By the standby's own session.
  absl::Status OnStandby(const std::string& sql) {
    Database standby({.url = standby_server_.Url("postgres", "&target_session_attrs=any")});
    return Script(standby, sql);
  }
  // Commits meanwhile, as replicas do by their heartbeats. The standby then serves for seconds.
  bool AwaitServing() {
    return Await([&] {
      Commit();
      return reports_.Look().ok() && reports_.State().lag.value_or(kMostLag) < absl::Seconds(1);
    });
  }

  PostgresServer server_;
  PostgresServer standby_server_{&server_};
  Database primary_{To(server_)};
  ReportDatabase reports_{&primary_, {.standby = To(standby_server_), .most_lag = kMostLag}};
};

TEST_F(ReportDatabaseTest, AStandbyThatIsUpToDateServesAndHasWhatThePrimaryCommitted) {
  EXPECT_EQ(IsReadOnStandby().value(), false) << "before the first look";
  ASSERT_TRUE(AwaitServing());
  EXPECT_EQ(IsReadOnStandby().value(), true);
  EXPECT_LE(*reports_.State().lag, kMostLag);
  const auto rows = [](Transaction& transaction) {
    return transaction.QueryOne(OnlyColumn<int64_t>, std::string("SELECT count(*) FROM t"));
  };
  const int64_t committed = primary_.Read(rows).value();
  EXPECT_TRUE(Await([&] { return reports_.Read(rows).value() == committed; }));
  EXPECT_EQ(reports_.Reads().primary, 1);
  EXPECT_GE(reports_.Reads().standby, 2);
}

TEST_F(ReportDatabaseTest, AStandbyThatIsTooFarBehindLeavesReportsToThePrimary) {
  ASSERT_TRUE(AwaitServing());
  ASSERT_TRUE(OnStandby("SELECT pg_wal_replay_pause()").ok());
  // Also between two looks.
  EXPECT_TRUE(Await([&] {
    Commit();
    return !IsReadOnStandby().value();
  }));
  const StandbyState state = reports_.State();
  EXPECT_FALSE(state.serves);
  EXPECT_GT(*state.lag, kMostLag);
  EXPECT_THAT(state.failure, HasSubstr("behind, want at most 6s"));
  // The primary sees it too.
  EXPECT_TRUE(Await([&] {
    Commit();
    const auto standbys = primary_.Read([](Transaction& t) { return StandbyStore(t).List(); });
    return standbys->size() == 1 && standbys->front().seconds > 2 && standbys->front().bytes > 0;
  }));
  ASSERT_TRUE(OnStandby("SELECT pg_wal_replay_resume()").ok());
  ASSERT_TRUE(AwaitServing());
  EXPECT_EQ(IsReadOnStandby().value(), true);
}

TEST_F(ReportDatabaseTest, AStandbyThatEndsIsReplacedByThePrimaryUntilItIsBack) {
  ASSERT_TRUE(AwaitServing());
  EXPECT_EQ(IsReadOnStandby().value(), true);
  standby_server_.Kill();
  EXPECT_EQ(IsReadOnStandby().value(), false);
  EXPECT_FALSE(reports_.Look().ok());
  EXPECT_EQ(IsReadOnStandby().value(), false);
  standby_server_.Start();
  ASSERT_TRUE(AwaitServing());
  EXPECT_EQ(IsReadOnStandby().value(), true);
}

TEST_F(ReportDatabaseTest, APromotedStandbyServesNoReport) {
  ASSERT_TRUE(AwaitServing());
  standby_server_.Promote();
  Commit();  // It never gets this.
  EXPECT_EQ(IsReadOnStandby().value(), false);
  EXPECT_TRUE(Await([&] {
    const auto rows = [](Transaction& transaction) {
      return transaction.QueryOne(OnlyColumn<int64_t>, std::string("SELECT count(*) FROM t"));
    };
    return !reports_.Look().ok() && reports_.Read(rows).value() == primary_.Read(rows).value();
  }));
  EXPECT_THAT(reports_.State().failure, HasSubstr("promoted"));
}

TEST_F(ReportDatabaseTest,
       TheStandbyServesWithoutThePrimaryUntilItIsTooOldAndThenTheErrorNamesBoth) {
  ASSERT_TRUE(AwaitServing());
  server_.Kill();
  EXPECT_EQ(IsReadOnStandby().value(), true);
  absl::SleepFor(kMostLag);
  const auto failed = IsReadOnStandby();
  EXPECT_TRUE(absl::IsUnavailable(failed.status())) << failed.status();
  EXPECT_THAT(failed.status().message(), HasSubstr("the standby does not serve (it is "));
  EXPECT_THAT(failed.status().message(), HasSubstr("nor does the primary ("));
}

TEST_F(ReportDatabaseTest, AStandbyOfAnotherDatabaseServesNoReport) {
  const PostgresServer other;
  const PostgresServer of_other(&other);
  ReportDatabase reports(&primary_, {.standby = To(of_other)});
  EXPECT_THAT(reports.Look().message(), HasSubstr("another database"));
}

TEST_F(ReportDatabaseTest, WhatTheStandbyLacksIsAskedOfThePrimary) {
  ASSERT_TRUE(AwaitServing());
  const auto found = reports_.Read([](Transaction& transaction) -> absl::StatusOr<bool> {
    auto on_standby =
        transaction.QueryOne(OnlyColumn<bool>, std::string("SELECT pg_is_in_recovery()"));
    if (on_standby.ok() && *on_standby) return absl::NotFoundError("cluster");
    return on_standby;
  });
  EXPECT_EQ(found.value(), false);
  EXPECT_TRUE(reports_.State().serves);
}

TEST_F(ReportDatabaseTest, WhatIsNoLongerNeededIsNotAskedOfThePrimary) {
  ASSERT_TRUE(AwaitServing());
  const int64_t on_primary = reports_.Reads().primary;
  const ReadContext context(absl::Milliseconds(300), [] { return false; });
  const ReadContext::Scope scope(&context);
  const absl::Status late = reports_.Read([](Transaction& transaction) {
    return transaction.Execute("SELECT pg_sleep(100)").status();
  });
  EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
  EXPECT_EQ(reports_.Reads().primary, on_primary);
  EXPECT_TRUE(reports_.State().serves);
}

TEST(ReportDatabaseWithoutStandbyTest, ThePrimaryServesAll) {
  PostgresServer server;
  Database primary({.url = server.Url("postgres")});
  ReportDatabase reports(&primary, {});
  EXPECT_TRUE(reports.Look().ok());
  EXPECT_EQ(reports.standby(), nullptr);
  EXPECT_TRUE(reports.Read([](Transaction&) { return absl::OkStatus(); }).ok());
  EXPECT_EQ(reports.Reads().primary, 1);
}

}  // namespace
}  // namespace priorityd::storage
