// Which rows of two rankings stand side by side, and who has moved.
#include "server/simulation/ranking_change.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::simulation {
namespace {

// One job in main and fast, and another in main, on a site before and after.
class RankingChangeTest : public ::testing::Test {
 protected:
  RankingChangeTest() : jobs_({priority::JobOf("1"), priority::JobOf("2")}) {
    jobs_[0].partitions = {"main", "fast"};
    jobs_[1].partitions = {"main"};
  }

  // `job pair: rank before > rank after move` of each row.
  std::vector<std::string> Compare(bool by_job = false) {
    const std::unique_ptr<const priority::Snapshot> before = before_.Build();
    const std::unique_ptr<const priority::Snapshot> after = after_.Build();
    priority::RankOptions options = priority::Now();
    options.best_only = by_job;
    const priority::Ranking ranking_before = priority::Rank(*before, jobs_, options);
    const std::vector<priority::Job>& jobs_after = other_list_ ? jobs_after_ : jobs_;
    const priority::Ranking ranking_after = priority::Rank(*after, jobs_after, options);
    std::vector<std::string> rows;
    for (const RowChange& change : CompareRankings({*before, jobs_, ranking_before},
                                                   {*after, jobs_after, ranking_after}, by_job)) {
      const bool is_after = change.after.row != nullptr;
      const priority::JobRow& row = is_after ? *change.after.row : *change.before.row;
      const priority::Snapshot& snapshot = is_after ? *after : *before;
      rows.push_back(absl::StrCat((is_after ? jobs_after : jobs_)[row.job].job_id, " ",
                                  snapshot.partitions()[row.partition].name, ": ",
                                  PlaceText(change.before), " > ", PlaceText(change.after), " ",
                                  MoveText(change.move())));
    }
    return rows;
  }

  static std::string PlaceText(const RowPlace& place) {
    if (place.row == nullptr) return "none";
    return place.rank > 0 ? absl::StrCat(place.rank) : std::string(place.reason);
  }
  static const char* MoveText(Move move) {
    return move == Move::kUp ? "up" : move == Move::kDown ? "down" : "stays";
  }

  using Rows = std::vector<std::string>;

  priority::SmallSite before_;
  priority::SmallSite after_;
  std::vector<priority::Job> jobs_;
  std::vector<priority::Job> jobs_after_;
  bool other_list_ = false;
};

TEST_F(RankingChangeTest, PairsAreComparedWithThemselvesByName) {
  after_.partition("fast").priority_tier = 7;
  std::swap(after_.source.partitions[0], after_.source.partitions[1]);
  EXPECT_EQ(Compare(), Rows({"1 fast: 2 > 1 up", "1 main: 1 > 2 down", "2 main: 3 > 3 stays"}));
}

TEST_F(RankingChangeTest, AJobThatCannotStartAnyMoreStandsBesideItsOwnPair) {
  after_.partition("main").up = false;
  after_.partition("fast").up = false;
  jobs_[0].partitions = {"fast", "main"};
  EXPECT_EQ(Compare(), Rows({"1 fast: 1 > PartitionDown down", "1 main: 2 > none down",
                             "2 main: 3 > PartitionDown down"}));
}

TEST_F(RankingChangeTest, AJobThatCanStartNowStandsBesideItsOwnPair) {
  before_.partition("main").up = false;
  before_.partition("fast").up = false;
  EXPECT_EQ(Compare(), Rows({"1 main: PartitionDown > 1 up", "1 fast: none > 2 up",
                             "2 main: PartitionDown > 3 up"}));
}

TEST_F(RankingChangeTest, APairThatCannotStartAnyMoreIsGoneAndMovesDown) {
  after_.partition("fast").up = false;
  EXPECT_EQ(Compare(), Rows({"1 main: 1 > 1 stays", "2 main: 3 > 2 up", "1 fast: 2 > none down"}));
}

TEST_F(RankingChangeTest, ByJobThePairMakesNoDifference) {
  after_.partition("fast").priority_tier = 7;
  EXPECT_EQ(Compare(/*by_job=*/true), Rows({"1 fast: 1 > 1 stays", "2 main: 2 > 2 stays"}));
}

TEST_F(RankingChangeTest, JobsOfTwoListsAreTheSameByTheirId) {
  other_list_ = true;
  jobs_after_ = {jobs_[1], priority::JobOf("3"), jobs_[0]};
  jobs_after_[1].partitions = {"main"};
  EXPECT_EQ(Compare(), Rows({"1 main: 1 > 1 stays", "1 fast: 2 > 2 stays", "2 main: 3 > 3 stays",
                             "3 main: none > 4 up"}));
}

TEST_F(RankingChangeTest, AnotherReasonIsNoMove) {
  jobs_.resize(1);
  before_.partition("main").up = before_.partition("fast").up = false;
  jobs_after_ = jobs_;
  jobs_after_[0].hold = priority::Hold::kUser;
  other_list_ = true;
  EXPECT_EQ(Compare(), Rows({"1 main: PartitionDown > JobHeldUser stays"}));
}

}  // namespace
}  // namespace priorityd::simulation
