#include "storage/ledger/usage_store.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// A cluster with root, two users below it and two QOS.
class UsageStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](Transaction& transaction) {
      AssociationStore associations(transaction);
      associations_ = associations.ReserveIds(3).value();
      std::vector<Association> rows(3);
      for (size_t i = 0; i < rows.size(); ++i) {
        rows[i].id = associations_[i];
        rows[i].cluster_id = cluster_.id;
        rows[i].account = "root";
        rows[i].user_name = i == 0 ? "" : absl::StrCat("user", i);
        if (i > 0) rows[i].parent_id = associations_[0];
      }
      for (const char* name : {"low", "high"}) {
        qos_.push_back(
            QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = name}).value());
      }
      return associations.Insert(rows);
    }));
  }

  const std::vector<int64_t>& Ids(UsageOf of) {
    return of == UsageOf::kAssociation ? associations_ : qos_;
  }

  std::vector<UsageRow> Lock(UsageOf of, const std::vector<int64_t>& ids) {
    std::vector<UsageRow> rows;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto locked = UsageStore(transaction).Lock(of, cluster_.id, ids);
      if (locked.ok()) rows = *locked;
      return locked.status();
    }));
    return rows;
  }
  absl::Status WriteRows(UsageOf of, const std::vector<UsageRow>& rows) {
    return Write([&](Transaction& t) { return UsageStore(t).Write(of, cluster_.id, rows); });
  }
  std::vector<UsageRow> List(UsageOf of, int64_t since = 0) {
    return Read([&](Transaction& t) { return UsageStore(t).List(of, cluster_.id, since); }).value();
  }
  int64_t Watermark() {
    return Read([](Transaction& t) { return UsageStore(t).Watermark(); }).value();
  }

  std::vector<int64_t> associations_;
  std::vector<int64_t> qos_;
};

class UsageOfEachTest : public UsageStoreTest, public ::testing::WithParamInterface<UsageOf> {};

TEST_P(UsageOfEachTest, ARowBeginsWithNothingSinceEver) {
  const std::vector<int64_t> ids = Ids(GetParam());
  EXPECT_TRUE(List(GetParam()).empty());
  const std::vector<UsageRow> want = {{.id = ids[0]}, {.id = ids[1]}};
  EXPECT_EQ(Lock(GetParam(), {ids[0], ids[1]}), want);
  EXPECT_EQ(Lock(GetParam(), {ids[0], ids[1]}), want);
  EXPECT_EQ(List(GetParam()), want);
}

TEST_P(UsageOfEachTest, NumbersAreReadBackToTheBit) {
  const std::vector<int64_t> ids = Ids(GetParam());
  Lock(GetParam(), ids);
  for (double number : AwkwardDoubles()) {
    const std::vector<UsageRow> rows = {
        {ids[0], number, Microseconds(1700000000123456), {{1, number}, {1001, -number}}, number},
        {ids[1], 1, Microseconds(-1), {}, 0}};
    ASSERT_OK(WriteRows(GetParam(), rows));
    EXPECT_EQ(Lock(GetParam(), {ids[0], ids[1]}), rows);
  }
}

TEST_P(UsageOfEachTest, AnUnknownIdIsRefused) {
  EXPECT_EQ(Write([&](Transaction& t) {
              return UsageStore(t).Lock(GetParam(), cluster_.id, {999999}).status();
            }).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(WriteRows(GetParam(), {{.id = 999999}}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(UsageOfEachTest, AnIdOfAnotherClusterIsRefused) {
  const std::vector<int64_t> ids = Ids(GetParam());
  Lock(GetParam(), ids);
  EXPECT_EQ(Write([&](Transaction& transaction) {
              auto other = ClusterStore(transaction).FindOrCreate("other");
              return UsageStore(transaction).Lock(GetParam(), other->id, ids).status();
            }).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(UsageOfEachTest, WhoWaitedForALockHasWhatWasWrittenMeanwhile) {
  Lock(GetParam(), Ids(GetParam()));
  absl::Notification locked;
  std::vector<UsageRow> seen;
  std::thread other([&] {
    locked.WaitForNotification();
    seen = Lock(GetParam(), Ids(GetParam()));
  });
  EXPECT_OK(Write([&](Transaction& transaction) -> absl::Status {
    UsageStore store(transaction);
    auto rows = store.Lock(GetParam(), cluster_.id, {Ids(GetParam())[1]});
    if (!rows.ok()) return rows.status();
    locked.Notify();
    absl::SleepFor(absl::Milliseconds(200));
    (*rows)[0].value = 7;
    return store.Write(GetParam(), cluster_.id, *rows);
  }));
  other.join();
  ASSERT_EQ(seen.size(), Ids(GetParam()).size());
  EXPECT_EQ(seen[1].value, 7);
}

// The planner's statistics are of a cluster with no users yet: nobody has analyzed the tables.
TEST_F(UsageStoreTest, TheRowsOfOthersAreNotReadToLockAndWriteSome) {
  ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
    AssociationStore store(transaction);
    auto ids = store.ReserveIds(5000);
    if (!ids.ok()) return ids.status();
    std::vector<Association> users(ids->size());
    for (size_t i = 0; i < users.size(); ++i) {
      users[i].id = (*ids)[i];
      users[i].cluster_id = cluster_.id;
      users[i].parent_id = associations_[0];
      users[i].account = "root";
      users[i].user_name = absl::StrCat("many", i);
    }
    associations_ = *std::move(ids);
    return store.Insert(users);
  }));
  Lock(UsageOf::kAssociation, associations_);
  std::vector<int64_t> some;
  for (size_t i = 0; i < associations_.size(); i += 100) some.push_back(associations_[i]);
  const auto read = database_.Write(kUsual.ByKey(), [&](Transaction& transaction) {
    return RowsReadBy(transaction, "priorityd.association_usage", [&] {
      UsageStore store(transaction);
      const auto rows = store.Lock(UsageOf::kAssociation, cluster_.id, some);
      if (!rows.ok()) return rows.status();
      EXPECT_EQ(rows->size(), some.size());
      return store.Write(UsageOf::kAssociation, cluster_.id, *rows);
    });
  });
  ASSERT_OK(read);
  EXPECT_LE(*read, static_cast<int64_t>(2 * some.size()));
}

TEST_P(UsageOfEachTest, OnlyWhatChangedSinceTheWatermarkIsListed) {
  const std::vector<int64_t> ids = Ids(GetParam());
  std::vector<UsageRow> rows = Lock(GetParam(), ids);
  const int64_t watermark = Watermark();
  EXPECT_TRUE(List(GetParam(), watermark).empty());
  rows[1].value = 5;
  ASSERT_OK(WriteRows(GetParam(), {rows[1]}));
  EXPECT_EQ(List(GetParam(), watermark), (std::vector<UsageRow>{rows[1]}));
  EXPECT_TRUE(List(GetParam(), Watermark()).empty());
}

TEST_P(UsageOfEachTest, AWriterThatCommitsLateIsNotMissed) {
  const std::vector<int64_t> ids = Ids(GetParam());
  std::vector<UsageRow> rows = Lock(GetParam(), ids);
  int64_t watermark = 0;
  ASSERT_OK(Write([&](Transaction& slow) {
    rows[0].value = 1;
    absl::Status status = UsageStore(slow).Write(GetParam(), cluster_.id, {rows[0]});
    // A later writer commits first, and a reader looks between the two.
    rows[1].value = 2;
    EXPECT_OK(WriteRows(GetParam(), {rows[1]}));
    watermark = Watermark();
    return status;
  }));
  const std::vector<UsageRow> changed = List(GetParam(), watermark);
  ASSERT_FALSE(changed.empty());
  EXPECT_EQ(changed[0], rows[0]);
}

INSTANTIATE_TEST_SUITE_P(Each, UsageOfEachTest,
                         ::testing::Values(UsageOf::kAssociation, UsageOf::kQos),
                         [](const auto& param_info) {
                           return param_info.param == UsageOf::kAssociation ? "Association" : "Qos";
                         });

TEST_F(UsageStoreTest, TheLatestIsTheNewestMomentOfAnyRow) {
  const auto latest = [&] {
    return Read([&](Transaction& t) { return UsageStore(t).Latest(cluster_.id); }).value();
  };
  EXPECT_EQ(latest(), absl::InfinitePast());
  Lock(UsageOf::kAssociation, associations_);
  EXPECT_EQ(latest(), absl::InfinitePast());
  ASSERT_OK(WriteRows(UsageOf::kAssociation, {{associations_[0], 1, Microseconds(7), {}, 0},
                                              {associations_[1], 1, Microseconds(5), {}, 0}}));
  EXPECT_EQ(latest(), Microseconds(7));
}

class OpeningUsageTest : public UsageStoreTest {
 protected:
  absl::Status Set(const std::vector<OpeningUsage>& rows) {
    return Write([&](Transaction& t) { return UsageStore(t).SetOpening(cluster_.id, rows); });
  }
  std::vector<OpeningUsage> ListOpening(int64_t since = 0) {
    return Read([&](Transaction& t) { return UsageStore(t).ListOpening(cluster_.id, since); })
        .value();
  }
};

TEST_F(OpeningUsageTest, ASecondSettingReplacesTheFirst) {
  const OpeningUsage first{associations_[1], 0.1, Microseconds(1)};
  OpeningUsage second{associations_[2], 1e300, Microseconds(2)};
  ASSERT_OK(Set({second, first}));
  EXPECT_EQ(ListOpening(), (std::vector<OpeningUsage>{first, second}));
  const int64_t watermark = Watermark();
  second = {associations_[2], 0, Microseconds(3)};
  ASSERT_OK(Set({second}));
  EXPECT_EQ(ListOpening(), (std::vector<OpeningUsage>{first, second}));
  EXPECT_EQ(ListOpening(watermark), (std::vector<OpeningUsage>{second}));
}

TEST_F(OpeningUsageTest, AnUnknownAssociationIsRefused) {
  EXPECT_EQ(Set({{999999, 1, Microseconds(1)}}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(OpeningUsageTest, NegativeUsageIsRefused) {
  EXPECT_EQ(Set({{associations_[1], -1, Microseconds(1)}}).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace priorityd::storage
