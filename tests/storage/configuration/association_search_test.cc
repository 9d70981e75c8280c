#include "storage/configuration/association_search.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// root - a - (b - u1, u2), u1; root - c - u1.
class AssociationSearchTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](Transaction& t) {
      AssociationStore store(t);
      const auto ids = store.ReserveIds(8);
      if (!ids.ok()) return ids.status();
      std::vector<Association> rows;
      const auto add = [&](int id, int parent, const char* account, const char* user) {
        Association row;
        row.id = (*ids)[id];
        row.cluster_id = cluster_.id;
        if (parent >= 0) row.parent_id = (*ids)[parent];
        row.account = account;
        row.user_name = user;
        rows.push_back(row);
      };
      add(0, -1, "root", "");
      add(1, 0, "a", "");
      add(2, 1, "b", "");
      add(3, 0, "c", "");
      add(4, 1, "a", "u1");
      add(5, 2, "b", "u1");
      add(6, 2, "b", "u2");
      add(7, 3, "c", "u1");
      return store.Insert(rows);
    }));
  }

  static std::string Text(const std::vector<Association>& rows) {
    std::string text;
    for (const Association& row : rows) text += row.account + "/" + row.user_name + " ";
    return text;
  }
  // Statistics that know of another cluster alone. The session has planned the look-up of parents
  // for a table of eight rows; that plan would read the whole cluster for each of the 20,000 rows.
  void AnalyzeWithoutC() {
    ASSERT_OK(Write([&](Transaction& t) {
      return t.ExecuteScript(
          "INSERT INTO priorityd.cluster (name) VALUES ('other'); "
          "INSERT INTO priorityd.association (id, cluster_id, account) "
          "SELECT 2000000, id, 'root' FROM priorityd.cluster WHERE name = 'other'; "
          "DISCARD PLANS; "
          "INSERT INTO priorityd.association (id, cluster_id, parent_id, account, user_name) "
          "SELECT 2000000 + i, cluster_id, id, account, 'user' || i "
          "FROM priorityd.association, generate_series(1, 20000) i WHERE id = 2000000; "
          "ANALYZE priorityd.association");
    }));
  }
  // 5000 users to account c.
  void AddManyToC() {
    ASSERT_OK(Write([&](Transaction& t) {
      return t
          .Execute(
              "INSERT INTO priorityd.association (id, cluster_id, parent_id, account, user_name) "
              "SELECT 1000000 + i, cluster_id, id, account, 'user' || i "
              "FROM priorityd.association, generate_series(1, 5000) i "
              "WHERE account = 'c' AND user_name = ''")
          .status();
    }));
  }
  std::string Fitting(const AssociationSeed& seed, bool with_below) {
    return Text(*Read([&](Transaction& t) {
      return AssociationSearch(t).Fitting(cluster_.id, seed, with_below);
    }));
  }
};

TEST_F(AssociationSearchTest, WhatFitsComesWithAllThatStandsAbove) {
  EXPECT_EQ(Fitting({.accounts = {{"b"}}}, false), "root/ a/ b/ b/u1 b/u2 ");
  EXPECT_EQ(Fitting({.accounts = {{"b", "c"}}, .users = {{"u1"}}}, false),
            "root/ a/ b/ c/ b/u1 c/u1 ");
  EXPECT_EQ(Fitting({.users = {{"u2"}}}, false), "root/ a/ b/ b/u2 ");
  EXPECT_EQ(Fitting({.accounts = {{"nobody"}}}, false), "");
}

TEST_F(AssociationSearchTest, WithBelowFindsTheWholeSubtree) {
  EXPECT_EQ(Fitting({.accounts = {{"a"}}, .users = {{""}}}, true), "root/ a/ b/ a/u1 b/u1 b/u2 ");
}

TEST_F(AssociationSearchTest, OfParentsComesWhatStandsDirectlyBelowThem) {
  EXPECT_EQ(Fitting({.parents = {{"a"}}}, false), "root/ a/ b/ a/u1 ");
  EXPECT_EQ(Fitting({.parents = {{"root", "c", "c"}}}, false), "root/ a/ c/ c/u1 ");
  EXPECT_EQ(Fitting({.parents = {{"u1", "nobody"}}}, false), "");
}

TEST_F(AssociationSearchTest, NamesAreFoundWithTheirWaysAndNothingBeside) {
  const auto rows = Read([&](Transaction& t) {
    return AssociationSearch(t).Named(cluster_.id, {{"b", "u2", ""}, {"c", "", ""}, {"d", "", ""}});
  });
  EXPECT_EQ(Text(*rows), "root/ a/ b/ c/ b/u2 ");
}

TEST_F(AssociationSearchTest, AnOutlineHasTheNamesAndPlacesOfAll) {
  const auto rows = Read([&](Transaction& t) { return AssociationSearch(t).Outline(cluster_.id); });
  EXPECT_EQ(Text(*rows), "root/ a/ b/ c/ a/u1 b/u1 b/u2 c/u1 ");
  EXPECT_EQ(rows->at(2).parent_id, rows->at(1).id);
  EXPECT_EQ(rows->at(0).parent_id, std::nullopt);
}

// Of a cluster of which PostgreSQL has no statistics yet.
TEST_F(AssociationSearchTest, NamesAreLookedUpWithoutReadingTheRest) {
  AnalyzeWithoutC();
  AddManyToC();
  const auto read = Read([&](Transaction& t) {
    return RowsReadBy(t, "priorityd.association", [&] {
      const auto rows = AssociationSearch(t).Named(cluster_.id, {{"c", "user77", ""}});
      if (rows.ok()) {
        EXPECT_EQ(Text(*rows), "root/ c/ c/user77 ");
      }
      return rows.status();
    });
  });
  ASSERT_OK(read.status());
  EXPECT_GT(*read, 0);
  EXPECT_LT(*read, 20);
}

TEST_F(AssociationSearchTest, IdsAreLookedUpWithoutReadingTheRest) {
  AddManyToC();
  const auto read = Read([&](Transaction& t) {
    return RowsReadBy(t, "priorityd.association", [&] {
      const auto rows =
          AssociationSearch(t).Fitting(cluster_.id, {.ids = {{1000077, 1000078, 1000079}}}, false);
      if (rows.ok()) {
        EXPECT_EQ(Text(*rows), "root/ c/ c/user77 c/user78 c/user79 ");
      }
      return rows.status();
    });
  });
  ASSERT_OK(read.status());
  EXPECT_LT(*read, 30);
}

TEST_F(AssociationSearchTest, WhatFitsIsLookedUpWithoutReadingTheRest) {
  AddManyToC();
  const std::vector<std::pair<AssociationSeed, std::string>> seeds = {
      {{.users = {{"user77"}}}, "root/ c/ c/user77 "},
      {{.accounts = {{"c"}}, .users = {{"user77"}}}, "root/ c/ c/user77 "},
      {{.parents = {{"a"}}}, "root/ a/ b/ a/u1 "}};
  for (const auto& [seed, expected] : seeds) {
    const auto read = Read([&](Transaction& t) {
      return RowsReadBy(t, "priorityd.association", [&] {
        const auto rows = AssociationSearch(t).Fitting(cluster_.id, seed, false);
        if (rows.ok()) {
          EXPECT_EQ(Text(*rows), expected);
        }
        return rows.status();
      });
    });
    ASSERT_OK(read.status());
    EXPECT_LT(*read, 30) << expected;
  }
}

TEST_F(AssociationSearchTest, ADeletedOneIsNotFound) {
  ASSERT_OK(Write([&](Transaction& t) {
    const auto rows = AssociationStore(t).List(cluster_.id);
    return AssociationStore(t).Delete(cluster_.id, {rows->back().id}, absl::Now());
  }));
  EXPECT_EQ(Fitting({.users = {{"u1"}}}, false), "root/ a/ b/ a/u1 b/u1 ");
}

TEST_F(AssociationSearchTest, OfDeletedOnesOfANameTheLastIsFound) {
  std::vector<int64_t> gone;
  ASSERT_OK(Write([&](Transaction& t) {
    AssociationStore store(t);
    Association row = store.List(cluster_.id)->back();
    absl::Status status = store.Delete(cluster_.id, {row.id}, absl::FromUnixSeconds(1));
    const auto ids = store.ReserveIds(1);
    gone = {row.id, ids->front()};
    row.id = ids->front();
    status.Update(store.Insert({&row, 1}));
    status.Update(store.Delete(cluster_.id, {row.id}, absl::FromUnixSeconds(2)));
    return status;
  }));
  const std::vector<AssociationName> names = {{"c", "", ""}, {"c", "u1", ""}, {"x", "", ""}};
  const auto found =
      Read([&](Transaction& t) { return AssociationSearch(t).LastDeleted(cluster_.id, names); });
  ASSERT_OK(found.status());
  EXPECT_EQ(*found, (std::vector<int64_t>{0, gone[1], 0}));
  const auto with_above = Read([&](Transaction& t) {
    return AssociationSearch(t).WithAbove(cluster_.id, {gone[1], 999'999});
  });
  ASSERT_OK(with_above.status());
  EXPECT_EQ(Text(*with_above), "root/ c/ c/u1 ");
  EXPECT_TRUE(with_above->back().deleted_at.has_value());
}

}  // namespace
}  // namespace priorityd::storage
