#include "storage/snapshots/replica_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

constexpr absl::Duration kLong = absl::Minutes(10);
constexpr absl::Duration kExpired = -absl::Seconds(1);

class ReplicaSessionTest : public StoreTest {
 protected:
  ReplicaSessionTest() : other_({.url = database_.options().url}) {}

  static std::unique_ptr<ReplicaSession> Open(const Database& database) {
    return ReplicaSession::Open(database).value();
  }
  static std::optional<int64_t> Campaign(ReplicaSession& session, absl::Duration lease = kLong) {
    return session.Campaign(lease).value();
  }
  // Until it leads.
  static std::optional<int64_t> CampaignOn(ReplicaSession& session) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    std::optional<int64_t> epoch;
    // What ends may hold a lock for a while.
    while (!epoch.has_value() && absl::Now() < deadline) {
      epoch = session.Campaign(kLong).value_or(std::nullopt);
    }
    return epoch;
  }

  Database other_;
};

TEST_F(ReplicaSessionTest, OneLeadsAndKeepsItsEpoch) {
  auto first = Open(database_);
  auto second = Open(other_);
  EXPECT_EQ(Campaign(*first), 1);
  EXPECT_EQ(Campaign(*second), std::nullopt);
  EXPECT_EQ(Campaign(*first), 1);
}

TEST_F(ReplicaSessionTest, TheNextOneLeadsInAHigherEpoch) {
  auto first = Open(database_);
  auto second = Open(other_);
  ASSERT_EQ(Campaign(*first), 1);
  ASSERT_EQ(Campaign(*second), std::nullopt);
  first.reset();
  EXPECT_TRUE(second->AwaitNotification(absl::Minutes(1)).value());
  EXPECT_EQ(CampaignOn(*second), 2);
}

TEST_F(ReplicaSessionTest, AnExpiredLeaseIsTakenOverFromALiveSession) {
  auto frozen = Open(database_);
  auto second = Open(other_);
  ASSERT_EQ(Campaign(*frozen, kExpired), 1);
  EXPECT_EQ(CampaignOn(*second), 2);
  EXPECT_EQ(frozen->Campaign(kLong).status().code(), absl::StatusCode::kUnavailable);
  auto again = Open(database_);
  EXPECT_EQ(Campaign(*again), std::nullopt);
}

TEST_F(ReplicaSessionTest, AFrozenLeadersTransactionsEndWithItsLease) {
  auto frozen = Open(database_);
  auto second = Open(other_);
  ASSERT_EQ(Campaign(*frozen, kExpired), 1);
  const absl::Status published = Write([&](Transaction& transaction) -> absl::Status {
    if (absl::Status s = LockLeadership(transaction, 1); !s.ok()) return s;
    EXPECT_EQ(CampaignOn(*second), 2);
    return absl::OkStatus();
  });
  EXPECT_FALSE(published.ok());
}

TEST_F(ReplicaSessionTest, OnlyTheLeadersEpochCanBeLocked) {
  auto leader = Open(database_);
  ASSERT_EQ(Campaign(*leader), 1);
  EXPECT_OK(Write([](Transaction& t) { return LockLeadership(t, 1); }));
  EXPECT_EQ(Write([](Transaction& t) { return LockLeadership(t, 2); }).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(ReplicaSessionTest, PublishingDoesNotHoldUpTheRenewal) {
  auto leader = Open(database_);
  ASSERT_EQ(Campaign(*leader), 1);
  EXPECT_OK(Write([&](Transaction& transaction) -> absl::Status {
    if (absl::Status s = LockLeadership(transaction, 1); !s.ok()) return s;
    return leader->Campaign(kLong).status();
  }));
}

TEST_F(ReplicaSessionTest, NotificationsComeWithTheCommit) {
  auto session = Open(other_);
  ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
    if (absl::Status s = NotifyReplicas(transaction); !s.ok()) return s;
    EXPECT_FALSE(session->AwaitNotification(absl::ZeroDuration()).value());
    return absl::OkStatus();
  }));
  EXPECT_TRUE(session->AwaitNotification(absl::Minutes(1)).value());
  EXPECT_FALSE(session->AwaitNotification(absl::ZeroDuration()).value());
}

TEST_F(ReplicaSessionTest, WhoResignsIsFollowedAtOnce) {
  auto first = Open(database_);
  auto second = Open(other_);
  ASSERT_EQ(Campaign(*first), 1);
  ASSERT_OK(first->Resign());
  EXPECT_EQ(Campaign(*second), 2);
  EXPECT_EQ(Campaign(*first), std::nullopt);
}

TEST_F(ReplicaSessionTest, TheDatabaseReportsItsTimeAndItsIdentity) {
  auto session = Open(database_);
  const absl::Time before = absl::Now();
  const ReplicaSession::Reading first = session->Read().value();
  EXPECT_GE(first.time, absl::FromUnixMicros(absl::ToUnixMicros(before)));
  EXPECT_LE(first.time, absl::Now());
  const ReplicaSession::Reading second = Open(other_)->Read().value();
  EXPECT_EQ(second.identity, first.identity);
  EXPECT_EQ(second.schema, first.schema);
  Database another({.url = NewTestDatabase()});
  EXPECT_NE(Open(another)->Read().value().identity, first.identity);
}

TEST_F(ReplicaSessionTest, ASchemaThatWasEmptiedIsAnotherOne) {
  auto session = Open(database_);
  const int64_t before = session->Read().value().schema;
  ASSERT_OK(
      Write([](Transaction& t) { return t.ExecuteScript("TRUNCATE priorityd.cluster CASCADE"); }));
  EXPECT_NE(session->Read().value().schema, before);
}

}  // namespace
}  // namespace priorityd::storage
