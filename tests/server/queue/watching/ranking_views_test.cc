// When views are ranked, and what their readers are told.
#include "server/queue/watching/ranking_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace priorityd::queue {
namespace {

// `state 1,2` or `delta +3 -1 ~2`.
class TextEncoder : public Encoder {
 public:
  std::string State(const RankingTop& top) const override {
    ++encoded_;
    std::string text = "state ";
    for (const TopRow& row : top.rows) absl::StrAppend(&text, row.rank > 1 ? "," : "", row.job_id);
    return text;
  }
  std::string Delta(const RankingTop& before, const RankingTop& after,
                    const TopDelta& delta) const override {
    ++encoded_;
    std::string text = "delta";
    for (const uint32_t i : delta.entered) absl::StrAppend(&text, " +", after.rows[i].job_id);
    for (const uint32_t i : delta.left) absl::StrAppend(&text, " -", before.rows[i].job_id);
    for (const auto& change : delta.changed) {
      absl::StrAppend(&text, " ~", after.rows[change.after].job_id);
    }
    return text;
  }
  int encoded() const { return encoded_; }

 private:
  mutable int encoded_ = 0;
};

// Reads at once, unless it is told to be slow.
class Reader : public Watcher {
 public:
  void Wake() override {
    if (!slow) Read();
  }
  void End(const absl::Status& status) override { end = status; }

  void Read() {
    const RankingView::Answer answer = view->After(version);
    if (answer.message == nullptr) return;
    version = answer.version;
    read.push_back(*answer.message);
  }

  std::shared_ptr<RankingView> view;
  int64_t version = 0;
  bool slow = false;
  std::vector<std::string> read;
  absl::Status end;
};

using Texts = std::vector<std::string>;

class RankingViewsTest : public testing::Test {
 protected:
  ~RankingViewsTest() override {
    for (const auto& reader : readers_) views_.Leave(*reader->view, *reader);
    RunAll();
  }

  static ViewSpec Spec(absl::Duration min_interval = absl::ZeroDuration()) {
    ViewSpec spec;
    spec.cluster = "c";
    spec.limit = 10;
    spec.min_interval = min_interval;
    return spec;
  }
  std::shared_ptr<Reader> Watch(const ViewSpec& spec) {
    auto reader = std::make_shared<Reader>();
    bool ready = false;
    auto view = views_.Join(spec, reader, &ready);
    EXPECT_TRUE(view.ok()) << view.status();
    reader->view = *view;
    if (ready) reader->Wake();
    readers_.push_back(reader);
    return reader;
  }
  // The queue becomes one of these jobs.
  void Change(const Texts& jobs) {
    jobs_ = jobs;
    views_.Changed("c");
  }
  // Runs what is scheduled, and what that schedules.
  void RunAll() {
    while (auto work = Take()) work();
  }
  std::function<void()> Take() {
    absl::MutexLock lock(&mutex_);
    if (scheduled_.empty()) return nullptr;
    auto work = std::move(scheduled_.front());
    scheduled_.pop_front();
    return work;
  }
  void AwaitScheduled() {
    absl::MutexLock lock(&mutex_);
    while (scheduled_.empty()) came_.Wait(&mutex_);
  }
  bool NothingScheduled() {
    absl::MutexLock lock(&mutex_);
    return scheduled_.empty();
  }

  absl::StatusOr<std::shared_ptr<const RankingTop>> Rank() {
    ++rankings_;
    if (on_rank_ != nullptr) on_rank_();
    if (!fails_.ok()) return fails_;
    auto top = std::make_shared<RankingTop>();
    for (const std::string& job : jobs_) {
      TopRow& row = top->rows.emplace_back();
      row.job_id = job;
      row.rank = static_cast<uint32_t>(top->rows.size());
    }
    top->ranked_total = top->rows.size() + below_;
    return std::shared_ptr<const RankingTop>(std::move(top));
  }

  Texts jobs_ = {"1", "2"};
  size_t below_ = 0;  // Rows below the top.
  absl::Status fails_;
  int rankings_ = 0;
  std::function<void()> on_rank_;
  TextEncoder encoder_;

  absl::Mutex mutex_;
  absl::CondVar came_;
  std::deque<std::function<void()>> scheduled_;

  RankingViews views_{{.rank = [this](const ViewSpec&, const auto&) { return Rank(); },
                       .encoder = &encoder_,
                       .schedule =
                           [this](std::function<void()> work) {
                             absl::MutexLock lock(&mutex_);
                             scheduled_.push_back(std::move(work));
                             came_.SignalAll();
                           },
                       .rankers = 1,
                       .clock = absl::Now,
                       .max_views = 3,
                       .max_rows = 100,
                       .max_watchers = 200}};
  std::vector<std::shared_ptr<Reader>> readers_;
};

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

TEST_F(RankingViewsTest, HowManyRowsThereAreBelowTheTopIsTold) {
  const auto reader = Watch(Spec());
  RunAll();
  below_ = 1;
  Change({"1", "2"});
  RunAll();
  EXPECT_EQ(reader->read, Texts({"state 1,2", "delta"}));
  EXPECT_EQ(reader->view->top()->ranked_total, 3u);
}

TEST_F(RankingViewsTest, ViewsRowsAndWatchersAreBoundedAndGivenBack) {
  const auto refused = [this](const ViewSpec& spec) {
    bool ready = false;
    return std::string(views_.Join(spec, std::make_shared<Reader>(), &ready).status().message());
  };
  ViewSpec rows = Spec();
  rows.with_factors = true;
  rows.limit = 25;
  Watch(rows);
  ViewSpec one = Spec();
  one.limit = 1;
  EXPECT_THAT(refused(one), testing::HasSubstr("got 101 rows of all views, want at most 100"));
  views_.Leave(*readers_[0]->view, *readers_[0]);
  RunAll();
  for (const char* user : {"a", "b", "c"}) {
    one.users = {user};
    Watch(one);
  }
  one.users = {"d"};
  EXPECT_THAT(refused(one), testing::HasSubstr("got 4 different views, want at most 3"));
  one.users = {"c"};
  for (int i = 0; i < 197; ++i) Watch(one);
  EXPECT_THAT(refused(one), testing::HasSubstr("got 201 watchers, want at most 200"));
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
  EXPECT_TRUE(NothingScheduled());
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
  EXPECT_TRUE(NothingScheduled() || absl::Now() - start > absl::Milliseconds(200));
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
  spec.age_interval = absl::Milliseconds(100);
  const auto one = Watch(spec), other = Watch(spec);
  RunAll();
  views_.Leave(*one->view, *one);
  EXPECT_EQ(views_.size(), 1u);
  views_.Leave(*other->view, *other);
  EXPECT_EQ(views_.size(), 0u);
  Change({"3"});
  EXPECT_TRUE(NothingScheduled());
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
  const auto late = views_.Join(Spec(), std::make_shared<Reader>(), &ready);
  EXPECT_TRUE(absl::IsUnavailable(late.status()));
}

}  // namespace
}  // namespace priorityd::queue
