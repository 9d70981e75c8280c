#include "server/forecasts/event_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::forecasts {
namespace {

using queue::TrackedJob;
using testing::ElementsAre;
using testing::IsEmpty;

class EventFinderTest : public testing::Test {
 protected:
  EventFinderTest() { queue_ = std::make_unique<queue::TrackedQueue>(site_.Build()); }

  TrackedJob Pending(absl::string_view job_id) const {
    TrackedJob job;
    job.job = priority::JobOf(job_id);
    job.job.submit_time = now_;
    job.source = "test";
    return job;
  }
  TrackedJob Running(absl::string_view job_id) const {
    TrackedJob job = Pending(job_id);
    job.job.state = priority::JobState::kRunning;
    job.job.start_time = now_;
    return job;
  }

  void Upsert(const TrackedJob& job) {
    queue::QueueUpdate update(*queue_, now_);
    update.Upsert(job);
    queue_->Apply(update.Finish());
  }
  void Remove(absl::string_view job_id) {
    queue::QueueUpdate update(*queue_, now_);
    update.Remove(job_id);
    queue_->Apply(update.Finish());
  }

  // `submit 1`; applies them to the phases.
  std::vector<std::string> Find() {
    std::vector<std::string> texts;
    for (const Event& event : finder_.Find(queue_->state(), phases_, absl::ToUnixSeconds(now_))) {
      texts.push_back(absl::StrCat(Word(event), " ", event.job_id));
      times_.push_back(event.at);
    }
    return texts;
  }
  void Pass(absl::Duration time) { now_ += time; }
  int64_t Now() const { return absl::ToUnixSeconds(now_); }

  const char* Word(const Event& event) {
    switch (KindOf(event)) {
      case EventKind::kSubmit:
        phases_[event.job_id] = Phase::kWaits;
        return "submit";
      case EventKind::kRun:
        phases_[event.job_id] = Phase::kRuns;
        return "run";
      case EventKind::kStart:
        phases_[event.job_id] = Phase::kRuns;
        return "start";
      case EventKind::kCancel:
        phases_.erase(event.job_id);
        return "cancel";
      case EventKind::kEnd:
        phases_.erase(event.job_id);
        return "end";
      case EventKind::kPolicy:
        return "policy";
    }
    return "";
  }

  priority::SmallSite site_;
  std::unique_ptr<queue::TrackedQueue> queue_;
  EventFinder finder_;
  Phases phases_;
  std::vector<int64_t> times_;
  absl::Time now_ = priority::kNow;
};

TEST_F(EventFinderTest, AJobIsSubmittedStartsAndEnds) {
  Upsert(Pending("1"));
  EXPECT_THAT(Find(), ElementsAre("submit 1"));
  EXPECT_THAT(Find(), IsEmpty());
  Pass(absl::Minutes(5));
  Upsert(Running("1"));
  const int64_t start = Now();
  Pass(absl::Seconds(3));
  EXPECT_THAT(Find(), ElementsAre("start 1"));
  EXPECT_EQ(times_.back(), start) << "the time that the frontend reports";
  Pass(absl::Hours(1));
  Remove("1");
  EXPECT_THAT(Find(), ElementsAre("end 1"));
  EXPECT_EQ(times_.back(), Now());
}

TEST_F(EventFinderTest, AJobWaitsFromItsSubmitTimeHoweverLateItIsSeen) {
  Upsert(Pending("1"));
  Find();
  Upsert(Pending("2"));
  const int64_t submitted = Now();
  Pass(absl::Minutes(4));
  EXPECT_THAT(Find(), ElementsAre("submit 2"));
  EXPECT_EQ(times_.back(), submitted);
}

TEST_F(EventFinderTest, AJobThatLeavesBeforeItsStartWasCancelled) {
  Upsert(Pending("1"));
  Find();
  Remove("1");
  EXPECT_THAT(Find(), ElementsAre("cancel 1"));
}

TEST_F(EventFinderTest, AHeldJobDoesNotWaitForItsStartAlone) {
  TrackedJob job = Pending("1");
  Upsert(job);
  Find();
  job.job.hold = priority::Hold::kUser;
  Upsert(job);
  EXPECT_THAT(Find(), ElementsAre("cancel 1"));
  Pass(absl::Hours(2));
  job.job.hold = priority::Hold::kNone;
  Upsert(job);
  EXPECT_THAT(Find(), ElementsAre("submit 1"));
  EXPECT_EQ(times_.back(), Now()) << "the hold is no part of its wait";
}

// The cluster has 64 CPUs and 8 nodes.
TEST_F(EventFinderTest, AJobThatIsLargerThanTheClusterNeverWaitsForItsStart) {
  TrackedJob job = Pending("1");
  job.job.cpus = 65;
  Upsert(job);
  TrackedJob wide = Pending("2");
  wide.job.nodes = 9;
  Upsert(wide);
  EXPECT_THAT(Find(), IsEmpty());
  job.job.cpus = 64;
  Upsert(job);
  EXPECT_THAT(Find(), ElementsAre("submit 1"));
  job.job.cpus = 1e12;
  Upsert(job);
  EXPECT_THAT(Find(), ElementsAre("cancel 1"));
  job.job.state = priority::JobState::kRunning;
  Upsert(job);
  EXPECT_THAT(Find(), ElementsAre("run 1")) << "the frontend knows better";
}

TEST_F(EventFinderTest, AJobWithABeginTimeWaitsFromThenOn) {
  TrackedJob job = Pending("1");
  job.job.eligible_time = now_ + absl::Hours(1);
  Upsert(job);
  EXPECT_THAT(Find(), IsEmpty());
  Pass(absl::Minutes(59));
  EXPECT_THAT(Find(), IsEmpty());
  Pass(absl::Minutes(2));
  EXPECT_THAT(Find(), ElementsAre("submit 1"));
  EXPECT_EQ(times_.back(), absl::ToUnixSeconds(priority::kNow + absl::Hours(1)));
}

TEST_F(EventFinderTest, WhatRunsAtTheFirstLookIsLoad) {
  Upsert(Running("1"));
  Upsert(Pending("2"));
  EXPECT_THAT(Find(), testing::UnorderedElementsAre("run 1", "submit 2"));
}

TEST_F(EventFinderTest, AJobThatStartsBeforeItIsSeenWaitedShortlyOrNotAtAll) {
  Find();
  TrackedJob job = Running("1");
  job.job.submit_time = now_ - absl::Seconds(2);
  Upsert(job);
  Pass(absl::Seconds(4));
  EXPECT_THAT(Find(), ElementsAre("submit 1", "start 1"));
  EXPECT_EQ(times_, (std::vector<int64_t>{Now() - 6, Now() - 4}));
}

TEST_F(EventFinderTest, ARequeuedJobWaitsAgain) {
  Upsert(Pending("1"));
  Find();
  Upsert(Running("1"));
  Find();
  Upsert(Pending("1"));
  EXPECT_THAT(Find(), ElementsAre("end 1", "submit 1"));
}

TEST_F(EventFinderTest, AStartBetweenTwoLooksOfAJobThatEndedIsNotLost) {
  Upsert(Pending("1"));
  Find();
  Pass(absl::Minutes(1));
  TrackedJob ended = Running("1");
  Pass(absl::Minutes(1));
  ended.end = queue::JobEnd::kCompleted;
  Upsert(ended);
  EXPECT_THAT(Find(), ElementsAre("start 1", "end 1"));
}

// A finder that lost what it read finds the same.
TEST_F(EventFinderTest, EventsLeadToTheStateOfTheQueueFromAnyPhases) {
  std::mt19937 random(3);
  const auto below = [&](int most) { return static_cast<int>(random() % most); };
  for (int turn = 0; turn < 400; ++turn) {
    for (int change = below(6); change > 0; --change) {
      const std::string job_id = absl::StrCat(below(40));
      TrackedJob job = below(2) == 0 ? Pending(job_id) : Running(job_id);
      if (below(8) == 0) job.job.hold = priority::Hold::kAdmin;
      if (below(4) == 0) {
        Remove(job_id);
      } else {
        Upsert(job);
      }
    }
    Pass(absl::Seconds(below(100)));
    if (below(5) == 0) finder_.Reset();
    Find();
    Phases expected;
    queue_->ForEach([&](const TrackedJob& tracked) {
      const bool runs = tracked.job.state == priority::JobState::kRunning;
      if (!runs && tracked.job.hold != priority::Hold::kNone) return;
      expected[std::string(tracked.job.job_id)] = runs ? Phase::kRuns : Phase::kWaits;
    });
    ASSERT_EQ(phases_, expected) << turn;
    ASSERT_THAT(Find(), IsEmpty());
  }
}

}  // namespace
}  // namespace priorityd::forecasts
