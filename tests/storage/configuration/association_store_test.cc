#include "storage/configuration/association_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class AssociationStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    root_ = NewRow("root", "");
    ASSERT_OK(Insert({root_}));
  }

  // A row below root with a reserved id.
  Association NewRow(const std::string& account, const std::string& user) {
    Association row{.id = Reserve(1).at(0), .cluster_id = cluster_.id};
    row.account = account;
    row.user_name = user;
    row.raw_shares = 1;
    if (account != "root" || !user.empty()) row.parent_id = root_.id;
    return row;
  }

  std::vector<int64_t> Reserve(int64_t count) {
    std::vector<int64_t> ids;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto reserved = AssociationStore(transaction).ReserveIds(count);
      if (reserved.ok()) ids = *reserved;
      return reserved.status();
    }));
    return ids;
  }

  absl::Status Insert(const std::vector<Association>& rows) {
    return Write(
        [&](Transaction& transaction) { return AssociationStore(transaction).Insert(rows); });
  }
  absl::Status Update(const std::vector<Association>& rows) {
    return Write(
        [&](Transaction& transaction) { return AssociationStore(transaction).Update(rows); });
  }
  absl::Status Delete(const std::vector<int64_t>& ids, absl::Time at) {
    return Write([&](Transaction& transaction) {
      return AssociationStore(transaction).Delete(cluster_.id, ids, at);
    });
  }
  std::vector<Association> List() {
    return Read([&](Transaction& t) { return AssociationStore(t).List(cluster_.id); }).value();
  }
  std::vector<Association> ListDeleted() {
    return Read([&](Transaction& t) { return AssociationStore(t).ListDeleted(cluster_.id); })
        .value();
  }

  Association root_;
};

TEST_F(AssociationStoreTest, EveryFieldIsReadBack) {
  Association row = NewRow("physics", "ada");
  row.partition = "gpu";
  row.raw_shares = 4294967295;
  row.priority = 7;
  row.default_qos = "high";
  row.qos = {"high", "low"};
  row.description = "of physics";
  row.organization = "science";
  row.max_jobs_accrue = 1;
  row.grp_jobs_accrue = 2;
  row.max_submit_jobs = 3;
  row.grp_tres_mins = {{"billing", 100}, {"gres/gpu:a100", 0.1}};
  row.grp_wall_minutes = 1.0 / 3;
  row.other_limits = {{"MaxJobs", "10"}, {"GrpTRES", "cpu=1,mem=2"}};
  ASSERT_OK(Insert({row}));
  EXPECT_EQ(List(), (std::vector<Association>{root_, row}));
}

TEST_F(AssociationStoreTest, WhatIsNotSetStaysDifferentFromEmptyAndZero) {
  Association unset = NewRow("a", "");
  unset.raw_shares.reset();
  Association empty = NewRow("b", "");
  empty.raw_shares = 0;
  empty.priority = 0;
  empty.default_qos = "";
  empty.qos.emplace();
  empty.max_submit_jobs = 0;
  empty.grp_wall_minutes = 0;
  ASSERT_OK(Insert({unset, empty}));
  EXPECT_EQ(List(), (std::vector<Association>{root_, unset, empty}));
}

TEST_F(AssociationStoreTest, AwkwardTextsAndNumbersSurviveInEveryKindOfColumn) {
  std::vector<Association> rows = {root_};
  for (const std::string& text : AwkwardTexts()) {
    Association row = NewRow(absl::StrCat("account", rows.size(), text), text);
    row.description = text;
    row.default_qos = text;
    row.qos = {text, "x", text};
    row.grp_tres_mins = {{text, 1}};
    row.other_limits = {{text, text}, {"k", text}};
    rows.push_back(row);
  }
  for (double number : AwkwardDoubles()) {
    Association row = NewRow(absl::StrCat("account", rows.size()), "");
    row.grp_tres_mins = {{"cpu", number}, {"mem", number}};
    row.grp_wall_minutes = std::abs(number);
    rows.push_back(row);
  }
  ASSERT_OK(Insert({rows.begin() + 1, rows.end()}));
  EXPECT_EQ(List(), rows);
}

TEST_F(AssociationStoreTest, ATreeIsInsertedAtOnceAndKeepsItsOrder) {
  const std::vector<int64_t> ids = Reserve(1000);
  ASSERT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  ASSERT_GT(ids.front(), root_.id);
  std::vector<Association> rows;
  for (size_t i = 0; i < ids.size(); ++i) {
    Association row{.id = ids[i], .cluster_id = cluster_.id};
    // Names descend, so that an order by name would show.
    row.account = absl::StrCat("account", 1000 - i);
    row.parent_id = i == 0 ? root_.id : ids[(i - 1) / 2];
    rows.push_back(row);
  }
  // The order of the call does not matter, that of the ids does.
  std::vector<Association> given(rows.rbegin(), rows.rend());
  ASSERT_OK(Insert(given));
  rows.insert(rows.begin(), root_);
  EXPECT_EQ(List(), rows);
}

TEST_F(AssociationStoreTest, AHundredThousandTakeSecondsToInsertAndLessToRead) {
  const std::vector<int64_t> ids = Reserve(100000);
  std::vector<Association> rows;
  for (size_t i = 0; i < ids.size(); ++i) {
    Association row{.id = ids[i], .cluster_id = cluster_.id, .parent_id = root_.id};
    row.account = absl::StrCat("account", i / 100);
    row.user_name = absl::StrCat("user", i);
    row.raw_shares = i;
    rows.push_back(row);
  }
  const absl::Time start = absl::Now();
  ASSERT_OK(Insert(rows));
  const absl::Time inserted = absl::Now();
  EXPECT_EQ(List().size(), rows.size() + 1);
  const absl::Time read = absl::Now();
  RecordProperty("insert", absl::FormatDuration(inserted - start));
  RecordProperty("read", absl::FormatDuration(read - inserted));
  EXPECT_LT(inserted - start, absl::Minutes(1));
  EXPECT_LT(read - inserted, absl::Seconds(20));
}

TEST_F(AssociationStoreTest, TheParentsOfManyAreFoundByTheirIdsAlsoAfterAFewWere) {
  const std::vector<int64_t> ids = Reserve(3010);
  std::vector<Association> few, many;
  for (size_t i = 0; i < ids.size(); ++i) {
    Association row{.id = ids[i], .cluster_id = cluster_.id, .parent_id = root_.id};
    row.account = absl::StrCat("account", i);
    (i < 10 ? few : many).push_back(row);
  }
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    AssociationStore store(t);
    // One by one, so that the session keeps the plan of the look-up.
    for (const Association& row : few) {
      if (absl::Status inserted = store.Insert({row}); !inserted.ok()) return inserted;
    }
    const auto read = RowsReadBy(t, "priorityd.association", [&] { return store.Insert(many); });
    if (!read.ok()) return read.status();
    EXPECT_LT(*read, 10'000);
    return absl::OkStatus();
  }));
}

TEST_F(AssociationStoreTest, TwoLiveOnesOfOneNameAreRefused) {
  ASSERT_OK(Insert({NewRow("a", "u")}));
  EXPECT_EQ(Insert({NewRow("a", "u")}).code(), absl::StatusCode::kAlreadyExists);
  Association on_partition = NewRow("a", "u");
  on_partition.partition = "gpu";
  EXPECT_OK(Insert({on_partition}));
}

TEST_F(AssociationStoreTest, ASecondRootIsRefused) {
  EXPECT_EQ(Insert({NewRow("root", "")}).code(), absl::StatusCode::kAlreadyExists);
  Association no_parent = NewRow("a", "");
  no_parent.parent_id.reset();
  EXPECT_EQ(Insert({no_parent}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AssociationStoreTest, AParentElsewhereIsRefused) {
  Association row = NewRow("a", "");
  row.parent_id = 999999;
  EXPECT_EQ(Insert({row}).code(), absl::StatusCode::kFailedPrecondition);
  absl::StatusOr<Cluster> other = absl::UnknownError("not run");
  ASSERT_OK(Write([&](Transaction& transaction) {
    other = ClusterStore(transaction).FindOrCreate("other");
    return other.status();
  }));
  row.parent_id = root_.id;
  row.cluster_id = other->id;
  EXPECT_EQ(Insert({row}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(AssociationStoreTest, APartitionWithoutAUserAndARowThatIsItsOwnParentAreRefused) {
  Association partition = NewRow("a", "");
  partition.partition = "gpu";
  EXPECT_EQ(Insert({partition}).code(), absl::StatusCode::kInvalidArgument);
  Association own_parent = NewRow("b", "");
  own_parent.parent_id = own_parent.id;
  EXPECT_EQ(Insert({own_parent}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AssociationStoreTest, AnUpdateWritesEveryFieldOfTheRowsGivenAndNoOthers) {
  Association a = NewRow("a", "");
  Association b = NewRow("b", "");
  Association c = NewRow("c", "u");
  ASSERT_OK(Insert({a, b, c}));
  c.parent_id = b.id;
  c.account = "b";
  c.raw_shares.reset();
  c.priority = 5;
  c.qos = {"q"};
  c.grp_tres_mins = {{"cpu", 3}};
  c.other_limits = {{"k", "v"}};
  a.description = "changed";
  ASSERT_OK(Update({c, a}));
  EXPECT_EQ(List(), (std::vector<Association>{root_, a, b, c}));
}

TEST_F(AssociationStoreTest, AnUpdateOfWhatIsNotThereIsNotFound) {
  Association row = NewRow("a", "");
  EXPECT_EQ(Update({row}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Delete({row.id}, absl::Now()).code(), absl::StatusCode::kNotFound);
}

TEST_F(AssociationStoreTest, ADeletedOneIsListedApartAndItsNameIsFree) {
  Association row = NewRow("a", "u");
  ASSERT_OK(Insert({row}));
  row.deleted_at = Microseconds(1700000000123456);
  ASSERT_OK(Delete({row.id}, *row.deleted_at));
  EXPECT_EQ(List(), (std::vector<Association>{root_}));
  EXPECT_EQ(ListDeleted(), (std::vector<Association>{row}));
  EXPECT_EQ(Update({row}).code(), absl::StatusCode::kNotFound);
  EXPECT_OK(Insert({NewRow("a", "u")}));
}

TEST_F(AssociationStoreTest, ADeletedOneLivesAgainAsTheRowSays) {
  ASSERT_OK(Write([&](Transaction& t) {
    AssociationStore store(t);
    Association row = store.List(cluster_.id)->back();
    absl::Status status = store.Insert({&row, 1});
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
    status = store.Delete(cluster_.id, {row.id}, absl::FromUnixSeconds(1));
    row.raw_shares = 77;
    status.Update(store.Insert({&row, 1}));
    EXPECT_EQ(store.List(cluster_.id)->back(), row);
    EXPECT_TRUE(store.ListDeleted(cluster_.id)->empty());
    return status;
  }));
}

TEST_F(AssociationStoreTest, NothingGivenIsNothingDone) {
  EXPECT_OK(Insert({}));
  EXPECT_OK(Update({}));
  EXPECT_OK(Delete({}, absl::Now()));
}

TEST_F(AssociationStoreTest, ANulByteIsRefused) {
  EXPECT_EQ(Insert({NewRow("a", std::string("u\0v", 3))}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(AssociationStoreTest, OtherLimitsAreListedOnceWithTheirFirstAssociation) {
  Association a = NewRow("a", "");
  a.other_limits = {{"MaxJobs", "10"}, {"Comment", "x"}};
  Association ann = NewRow("a", "ann");
  ann.other_limits = {{"MaxJobs", "5"}};
  Association gone = NewRow("b", "");
  gone.other_limits = {{"WCKeys", "w"}};
  ASSERT_OK(Insert({a, ann, gone}));
  ASSERT_OK(Delete({gone.id}, absl::Now()));
  const auto limits =
      Read([&](Transaction& t) { return AssociationStore(t).ListOtherLimits(cluster_.id); });
  ASSERT_OK(limits.status());
  ASSERT_EQ(limits->size(), 2u);
  EXPECT_EQ((*limits)[0].name, "Comment");
  EXPECT_EQ((*limits)[0].count, 1);
  EXPECT_EQ((*limits)[1].name, "MaxJobs");
  EXPECT_EQ((*limits)[1].count, 2);
  EXPECT_EQ((*limits)[1].value, "10");
  EXPECT_EQ((*limits)[1].account, "a");
  EXPECT_EQ((*limits)[1].user_name, "");
}

}  // namespace
}  // namespace priorityd::storage
