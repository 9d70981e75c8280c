#include "storage/database/notification.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/snapshots/recalculation_request_store.h"
#include "storage/snapshots/replica_session.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

TEST(NotificationPayloadTest, SaysWhatAndOfWhichCluster) {
  EXPECT_EQ(ToPayload({Subject::kQueue, "my cluster"}), "queue my cluster");
  for (const Subject subject :
       {Subject::kConfiguration, Subject::kSnapshot, Subject::kNumbers, Subject::kRequest,
        Subject::kAnswer, Subject::kQueue, Subject::kHaste}) {
    const Notification notification{subject, "a b\nc "};
    EXPECT_EQ(FromPayload(ToPayload(notification)), notification);
  }
}

TEST(NotificationPayloadTest, OneThatIsNotKnownIsAboutAnything) {
  for (const char* payload : {"", " ", "queue", "queue ", "weather c", " c"}) {
    EXPECT_EQ(FromPayload(payload), Notification()) << payload;
  }
  EXPECT_EQ(ToPayload({}), "");
  EXPECT_EQ(ToPayload({Subject::kQueue, ""}), "");
}

class NotificationTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    listener_ = ReplicaSession::Open(other_).value();
  }

  // All that come until this one.
  Notifications HeardUntil(const Notification& last) {
    Notifications heard;
    while (heard.empty() || heard.back() != last) {
      if (!listener_->AwaitNotification(absl::Minutes(1), &heard).value()) break;
    }
    return heard;
  }

  Database other_{{.url = database_.options().url}};
  std::unique_ptr<ReplicaSession> listener_;
};

TEST_F(NotificationTest, ATransactionsChangesComeOnceEach) {
  ASSERT_OK(Write([](Transaction& transaction) -> absl::Status {
    absl::Status status = Notify(transaction, {Subject::kSnapshot, "a"});
    if (status.ok()) status = Notify(transaction, {Subject::kSnapshot, "b"});
    if (status.ok()) status = Notify(transaction, {Subject::kSnapshot, "a"});
    if (status.ok()) status = Notify(transaction, {Subject::kQueue, "a"});
    return status;
  }));
  const Notification last{Subject::kQueue, "a"};
  EXPECT_EQ(HeardUntil(last),
            (Notifications{{Subject::kSnapshot, "a"}, {Subject::kSnapshot, "b"}, last}));
}

TEST_F(NotificationTest, AChangeOfTheConfigurationNamesItsCluster) {
  ASSERT_OK(Write([](Transaction& t) { return ClusterStore(t).FindOrCreate("a").status(); }));
  ASSERT_OK(Write([](Transaction& t) { return ClusterStore(t).FindOrCreate("it's b").status(); }));
  ASSERT_OK(Write([](Transaction& transaction) -> absl::Status {
    auto cluster = ClusterStore(transaction).Require("it's b");
    if (!cluster.ok()) return cluster.status();
    auto ids = AssociationStore(transaction).ReserveIds(1);
    if (!ids.ok()) return ids.status();
    Association root;
    root.id = ids->front();
    root.cluster_id = cluster->id;
    root.account = "root";
    absl::Status status = AssociationStore(transaction).Insert({root});
    if (status.ok()) status = Notify(transaction, {Subject::kQueue, "last"});
    return status;
  }));
  const Notification last{Subject::kQueue, "last"};
  EXPECT_EQ(HeardUntil(last), (Notifications{{Subject::kConfiguration, "a"},
                                             {Subject::kConfiguration, "it's b"},
                                             {Subject::kConfiguration, "it's b"},
                                             last}));
}

TEST_F(NotificationTest, TheReplicaThatChangedAQueueIsNotNotified) {
  const auto own = ReplicaSession::Open(database_).value();
  const Notification snapshot{Subject::kSnapshot, "a"}, queue{Subject::kQueue, "a"},
      last{Subject::kSnapshot, "last"};
  for (const Notification& notification : {snapshot, queue, last}) {
    ASSERT_OK(Write([&](Transaction& t) { return Notify(t, notification); }));
  }
  EXPECT_EQ(HeardUntil(last), (Notifications{snapshot, queue, last}));
  Notifications heard;
  while (heard.empty() || heard.back() != last) {
    ASSERT_OK(own->AwaitNotification(absl::Minutes(1), &heard).status());
  }
  EXPECT_EQ(heard, (Notifications{snapshot, last}));
}

TEST_F(NotificationTest, OnesOwnChangeOfAQueueEndsNoWait) {
  const auto own = ReplicaSession::Open(database_).value();
  ASSERT_OK(Write([&](Transaction& t) { return Notify(t, {Subject::kQueue, "a"}); }));
  const absl::Time begin = absl::Now();
  EXPECT_FALSE(own->AwaitNotification(absl::Milliseconds(200)).value());
  EXPECT_GE(absl::Now() - begin, absl::Milliseconds(199));
}

TEST_F(NotificationTest, ChangesOfQueuesByEveryConnectionOfOnesOwnAreKnown) {
  // Two connections at once.
  const auto own = ReplicaSession::Open(database_).value();
  const Notification queue{Subject::kQueue, "a"}, last{Subject::kSnapshot, "last"};
  const absl::Status both = database_.Write([&](Transaction& outer) {
    if (absl::Status s = Notify(outer, queue); !s.ok()) return s;
    return database_.Write([&](Transaction& inner) { return Notify(inner, queue); });
  });
  ASSERT_OK(both);
  ASSERT_OK(Write([&](Transaction& t) { return Notify(t, last); }));
  Notifications heard;
  while (heard.empty() || heard.back() != last) {
    ASSERT_OK(own->AwaitNotification(absl::Minutes(1), &heard).status());
  }
  EXPECT_EQ(heard, Notifications{last});
}

TEST_F(NotificationTest, ARequestNamesItsCluster) {
  ASSERT_OK(Write([](Transaction& t) {
    return RecalculationRequestStore(t).Add({0, "c", {}}).status();
  }));
  const Notification request{Subject::kRequest, "c"};
  EXPECT_EQ(HeardUntil(request), Notifications{request});
}

}  // namespace
}  // namespace priorityd::storage
