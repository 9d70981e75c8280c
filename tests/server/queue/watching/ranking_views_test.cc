// When views are ranked, and what their readers get.
#include "server/queue/watching/ranking_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/server/queue/watching/ranking_views_fixture.h"

namespace priorityd::queue {
namespace {

TEST_F(RankingViewsTest, TheFirstAnswerIsTheStateThenComeDeltas) {
  const auto reader = Watch(Spec());
  RunAll();
  Change({"3", "1"});
  RunAll();
  EXPECT_EQ(reader->read, Texts({"state 1,2", "delta +3 -2 ~1"}));
}

TEST_F(RankingViewsTest, AnEmptyQueueIsAStateToo) {
  jobs_.clear();
  const auto reader = Watch(Spec());
  RunAll();
  EXPECT_EQ(reader->read, Texts({"state "}));
}

TEST_F(RankingViewsTest, WatchersOfTheSameAreRankedForOnceAndSentTheSameBytes) {
  std::vector<std::shared_ptr<Reader>> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(Watch(Spec()));
  RunAll();
  Change({"1", "2", "3"});
  RunAll();
  EXPECT_EQ(rankings_, 2);
  EXPECT_EQ(encoder_.encoded(), 2);
  for (const auto& reader : readers) EXPECT_EQ(reader->read, Texts({"state 1,2", "delta +3"}));
}

TEST_F(RankingViewsTest, ChangesWhileAViewIsRankedComeTogetherInOneMore) {
  const auto reader = Watch(Spec());
  RunAll();
  on_rank_ = [this] {
    on_rank_ = nullptr;
    for (int i = 0; i < 50; ++i) views_.Changed("c");
  };
  Change({"3"});
  RunAll();
  EXPECT_EQ(rankings_, 3);
}

TEST_F(RankingViewsTest, WhatChangesNothingInTheTopIsNotSent) {
  const auto reader = Watch(Spec());
  RunAll();
  views_.Changed("c");
  RunAll();
  EXPECT_EQ(rankings_, 2);
  EXPECT_EQ(reader->read.size(), 1u);
}

TEST_F(RankingViewsTest, TheNumberOfRowsBelowTheTopIsReported) {
  const auto reader = Watch(Spec());
  RunAll();
  below_ = 1;
  Change({"1", "2"});
  RunAll();
  EXPECT_EQ(reader->read, Texts({"state 1,2", "delta"}));
  EXPECT_EQ(reader->view->top()->ranked_total, 3u);
}

TEST_F(RankingViewsTest, ViewsRowsAndWatchersAreBoundedAndGivenBack) {
  ViewSpec rows = Spec();
  rows.with_factors = true;
  rows.limit = 25;
  Watch(rows);
  ViewSpec one = Spec();
  one.limit = 1;
  EXPECT_THAT(Refusal(one),
              testing::HasSubstr("watched_rows: got 101 of all callers, want at most 100"));
  views_.Leave(*readers_[0]->view, *readers_[0]);
  RunAll();
  for (const char* user : {"a", "b", "c"}) {
    one.users = {user};
    Watch(one);
  }
  one.users = {"d"};
  EXPECT_THAT(Refusal(one),
              testing::HasSubstr("watched_views: got 4 of all callers, want at most 3"));
  one.users = {"c"};
  for (int i = 0; i < 197; ++i) Watch(one);
  EXPECT_THAT(Refusal(one),
              testing::HasSubstr("watchers: got 201 of all callers, want at most 200"));
  fails_ = absl::NotFoundError("gone");
  RunAll();
  EXPECT_EQ(views_.size(), 0u);
  fails_ = absl::OkStatus();
  for (int i = 0; i < 200; ++i) Watch(one);
}

TEST_F(RankingViewsTest, AnotherClustersChangesDoNotMatter) {
  Watch(Spec());
  RunAll();
  views_.Changed("other");
  EXPECT_EQ(scheduled(), 0u);
}

TEST_F(RankingViewsTest, ASlowReaderGetsTheStateInsteadOfABacklog) {
  const auto slow = Watch(Spec()), quick = Watch(Spec());
  RunAll();
  slow->slow = true;
  for (int i = 3; i < 1000; ++i) {
    Change({absl::StrCat(i)});
    RunAll();
  }
  slow->Read();
  EXPECT_EQ(slow->read, Texts({"state 1,2", "state 999"}));
  EXPECT_EQ(quick->read.size(), 998u);
  slow->slow = false;
  Change({"999", "7"});
  RunAll();
  EXPECT_EQ(slow->read.back(), "delta +7");
}

TEST_F(RankingViewsTest, AReaderOneStepBehindGetsTheStep) {
  const auto reader = Watch(Spec());
  RunAll();
  reader->slow = true;
  Change({"1"});
  RunAll();
  reader->Read();
  EXPECT_EQ(reader->read.back(), "delta -2");
}

TEST_F(RankingViewsTest, ALaterWatcherBeginsWithTheState) {
  Watch(Spec());
  RunAll();
  Change({"1", "2", "3"});
  RunAll();
  const auto later = Watch(Spec());
  RunAll();
  EXPECT_EQ(later->read, Texts({"state 1,2,3"}));
  Change({"1"});
  RunAll();
  EXPECT_EQ(later->read.back(), "delta -2 -3");
}

TEST_F(RankingViewsTest, OneWhoComesWhileTheViewIsRankedIsAnswered) {
  std::shared_ptr<Reader> later;
  on_rank_ = [&] {
    on_rank_ = nullptr;
    later = Watch(Spec());
  };
  Watch(Spec());
  RunAll();
  EXPECT_EQ(later->read, Texts({"state 1,2"}));
  EXPECT_EQ(rankings_, 1);
}

TEST_F(RankingViewsTest, ChangesWithinMinIntervalWaitForItsEnd) {
  const absl::Time start = absl::Now();
  const auto reader = Watch(Spec(absl::Milliseconds(200)));
  RunAll();
  EXPECT_EQ(reader->read.size(), 1u);  // The first at once.
  Change({"1"});
  EXPECT_TRUE(scheduled() == 0 || absl::Now() - start > absl::Milliseconds(200));
  Change({"3"});
  AwaitScheduled();
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(200));
  RunAll();
  EXPECT_EQ(reader->read, Texts({"state 1,2", "delta +3 -1 -2"}));
}

TEST_F(RankingViewsTest, ANewWatcherDoesNotWaitForMinInterval) {
  Watch(Spec(absl::Hours(1)));
  RunAll();
  Change({"3"});
  EXPECT_EQ(Watch(Spec(absl::Hours(1)))->read, Texts({"state 1,2"}));
}

TEST_F(RankingViewsTest, AgeIntervalHasItRankedWithoutAChange) {
  ViewSpec spec = Spec();
  spec.age_interval = absl::Milliseconds(100);
  const absl::Time start = absl::Now();
  const auto reader = Watch(spec);
  RunAll();
  for (int i = 1; i <= 3; ++i) {
    jobs_ = {absl::StrCat(i)};  // As time does, without a word.
    AwaitScheduled();
    RunAll();
  }
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(300));
  EXPECT_EQ(reader->read, Texts({"state 1,2", "delta -2", "delta +2 -1", "delta +3 -2"}));
}

TEST_F(RankingViewsTest, AViewThatNobodyWatchesIsGone) {
  ViewSpec spec = Spec();
  spec.age_interval = absl::Hours(1);
  const auto one = Watch(spec), other = Watch(spec);
  RunAll();
  views_.Leave(*one->view, *one);
  EXPECT_EQ(views_.size(), 1u);
  views_.Leave(*other->view, *other);
  EXPECT_EQ(views_.size(), 0u);
  Change({"3"});
  EXPECT_EQ(scheduled(), 0u);
}

TEST_F(RankingViewsTest, AViewLeftWhileItIsRankedIsGoneAfterwards) {
  const auto reader = Watch(Spec());
  on_rank_ = [&] { views_.Leave(*reader->view, *reader); };
  RunAll();
  EXPECT_TRUE(reader->read.empty());
  EXPECT_EQ(views_.size(), 0u);
}

TEST_F(RankingViewsTest, AnErrorEndsTheWatches) {
  fails_ = absl::FailedPreconditionError("no snapshot");
  const auto reader = Watch(Spec());
  RunAll();
  EXPECT_EQ(reader->end, fails_);
  EXPECT_EQ(views_.size(), 0u);
}

TEST_F(RankingViewsTest, AStopEndsAllWatchesAndThoseThatComeLater) {
  const auto reader = Watch(Spec());
  RunAll();
  views_.Stop(absl::UnavailableError("stops"));
  EXPECT_TRUE(absl::IsUnavailable(reader->end));
  bool ready = false;
  const auto late = views_.Join(Spec(), std::make_shared<Reader>(), kService, &ready);
  EXPECT_TRUE(absl::IsUnavailable(late.status()));
}

class TwoRankersTest : public RankingViewsTest {
 protected:
  TwoRankersTest() : RankingViewsTest(2) {}

  static ViewSpec SpecOf(uint32_t limit) {
    ViewSpec spec = Spec();
    spec.limit = limit;
    return spec;
  }
};

TEST_F(TwoRankersTest, AViewThatChangesWhileItIsRankedIsRankedByOneOfThem) {
  const auto reader = Watch(Spec());
  on_rank_ = [this] {
    on_rank_ = nullptr;
    views_.Changed("c");
  };
  Take()();
  EXPECT_EQ(scheduled(), 1u);
  RunAll();
  EXPECT_EQ(rankings_, 2);
  EXPECT_EQ(reader->read, Texts({"state 1,2"}));
}

TEST_F(TwoRankersTest, OneViewThatIsReadyIsRankedByOneOfThem) {
  for (const uint32_t limit : {1, 2, 3}) Watch(SpecOf(limit));
  EXPECT_EQ(scheduled(), 2u);
  // The other one works while the first one does.
  const auto first = Take(), other = Take();
  on_rank_ = [&] {
    on_rank_ = nullptr;
    other();
    EXPECT_EQ(scheduled(), 1u);
  };
  first();
  EXPECT_EQ(scheduled(), 1u);
  RunAll();
  EXPECT_EQ(rankings_, 3);
}

}  // namespace
}  // namespace priorityd::queue
