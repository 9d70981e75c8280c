// Views of a queue that a test changes, and readers of them.
#ifndef PRIORITYD_TESTS_SERVER_QUEUE_WATCHING_RANKING_VIEWS_FIXTURE_H_
#define PRIORITYD_TESTS_SERVER_QUEUE_WATCHING_RANKING_VIEWS_FIXTURE_H_

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/queue/watching/ranking_views.h"

namespace priorityd::queue {

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

// Reads at once, unless it is set to be slow.
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
  inline static const quotas::Holder kService = {"service", "", true};

  explicit RankingViewsTest(int rankers = 1) : rankers_(rankers) {}
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
  std::shared_ptr<Reader> Watch(const ViewSpec& spec, const quotas::Holder& caller = kService) {
    auto reader = std::make_shared<Reader>();
    bool ready = false;
    auto view = views_.Join(spec, reader, caller, &ready);
    EXPECT_TRUE(view.ok()) << view.status();
    reader->view = *view;
    if (ready) reader->Wake();
    readers_.push_back(reader);
    return reader;
  }
  // Why a watch is not begun.
  std::string Refusal(const ViewSpec& spec, const quotas::Holder& caller = kService) {
    bool ready = false;
    const auto view = views_.Join(spec, std::make_shared<Reader>(), caller, &ready);
    EXPECT_TRUE(absl::IsResourceExhausted(view.status()));
    return std::string(view.status().message());
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
  size_t scheduled() {
    absl::MutexLock lock(&mutex_);
    return scheduled_.size();
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

  const int rankers_;
  RankingViews views_{{.rank = [this](const ViewSpec&, const auto&) { return Rank(); },
                       .encoder = &encoder_,
                       .schedule =
                           [this](std::function<void()> work) {
                             absl::MutexLock lock(&mutex_);
                             scheduled_.push_back(std::move(work));
                             came_.SignalAll();
                           },
                       .rankers = rankers_,
                       .clock = absl::Now,
                       .max_views = 3,
                       .max_rows = 100,
                       .max_watchers = 200}};
  std::vector<std::shared_ptr<Reader>> readers_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_TESTS_SERVER_QUEUE_WATCHING_RANKING_VIEWS_FIXTURE_H_
