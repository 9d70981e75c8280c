// Callers who watch more than their part, and others who watch meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/queue/watching/ranking_views_fixture.h"

namespace priorityd::queue {
namespace {

TEST_F(RankingViewsTest, ACallerWithTheirPartOfRowsIsRefusedByNameAndOthersWatch) {
  ViewSpec large = Spec();
  large.limit = 11;
  EXPECT_THAT(Refusal(large, {"user:fay"}),
              testing::StartsWith("watched_rows: got 11 of user:fay, want at most 10 of one caller "
                                  "(--quota=watched_rows=N); close other watches"));
  Watch(Spec(), {"user:fay"});
  Watch(large);
  EXPECT_EQ(views_.Usages()[2].used, 21u);
  EXPECT_EQ(views_.Usages()[2].refused, 1u);
}

TEST_F(RankingViewsTest, ACallerWithTheirPartOfViewsIsRefusedByNameAndOthersWatch) {
  Watch(Spec(), {"user:fay"});
  ViewSpec other = Spec();
  other.limit = 1;
  EXPECT_THAT(Refusal(other, {"user:fay"}),
              testing::StartsWith("watched_views: got 2 of user:fay, want at most 1 of one caller "
                                  "(--quota=watched_views=N)"));
  Watch(other, {"user:bob"});
}

TEST_F(RankingViewsTest, ACallerWithTheirPartOfWatchersIsRefusedByNameAndOthersWatch) {
  for (int i = 0; i < 100; ++i) Watch(Spec(), {"user:fay"});
  EXPECT_THAT(Refusal(Spec(), {"user:fay"}),
              testing::StartsWith("watchers: got 101 of user:fay, want at most 100 of one caller "
                                  "(--quota=watchers=N)"));
  Watch(Spec(), {"user:bob"});
  views_.Leave(*readers_[0]->view, *readers_[0]);
  Watch(Spec(), {"user:fay"});
}

TEST_F(RankingViewsTest, AViewIsHeldByTheOneWhoBeganItAndThenByOneWhoStillWatches) {
  ViewSpec other = Spec();
  other.limit = 1;
  const auto fay = Watch(Spec(), {"user:fay"});
  Watch(Spec(), {"user:bob"});
  Watch(Spec(), {"user:bob"});
  RunAll();
  views_.Leave(*fay->view, *fay);
  EXPECT_THAT(Refusal(other, {"user:bob"}), testing::HasSubstr("watched_views: got 2 of user:bob"));
  Watch(other, {"user:fay"});
}

}  // namespace
}  // namespace priorityd::queue
