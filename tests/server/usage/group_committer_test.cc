#include "server/usage/group_committer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "engine/errors/error_details.h"
#include "storage/database/status.h"
#include "tests/await.h"
#include "tests/stepped_clock.h"

namespace priorityd::usage {
namespace {

using Group = absl::Span<const std::unique_ptr<QueuedBatch>>;
using Sizes = std::vector<size_t>;

constexpr std::chrono::minutes kPatience(1);

// Name a batch by its first record, as all are of one cluster unless a test says otherwise.
absl::string_view NameOf(const QueuedBatch& batch) {
  return batch.submitted.submissions.front().record_id;
}

// A committer whose first commit waits until it is let through.
class GroupCommitterTest : public ::testing::Test {
 protected:
  // A batch named `name` of that many records, of the stream that has `failed`; its
  // answer is kept.
  void Submit(const char* name, size_t records, GroupCommitter& committer,
              std::shared_ptr<std::atomic<bool>> failed = nullptr,
              const std::string& cluster = "c") {
    auto batch = std::make_unique<QueuedBatch>();
    batch->submitted.cluster = cluster;
    batch->submitted.submissions.resize(records);
    batch->submitted.submissions.front().record_id = name;
    batch->submitted.earlier_failed = failed;
    batch->submitted.done = [this, name, records,
                             failed](const absl::StatusOr<RecordResults>& results) {
      if (failed != nullptr && !results.ok()) *failed = true;
      EXPECT_EQ(results.ok() ? results->size() : records, records);
      absl::MutexLock lock(&mutex_);
      answers_.push_back(absl::StrCat(name, results.ok() ? "" : "!"));
      answered_.SignalAll();
    };
    auto place = committer.Reserve(records);
    ASSERT_TRUE(place.ok()) << place.status();
    committer.Submit(std::move(batch), *std::move(place));
  }

  // Notes the group and asks `fails` what becomes of it.
  absl::StatusOr<std::vector<RecordResults>> Commit(Group group) {
    {
      absl::MutexLock lock(&mutex_);
      Sizes sizes;
      for (const auto& batch : group) sizes.push_back(batch->submitted.submissions.size());
      groups_.push_back(sizes);
    }
    if (!first_has_come_.exchange(true)) {
      first_came_.set_value();
      first_may_go_.get_future().wait_for(kPatience);
    }
    if (absl::Status s = fails(group); !s.ok()) return s;
    return ResultsOf(group);
  }

  // As many results for each batch as it has records.
  static std::vector<RecordResults> ResultsOf(Group group) {
    std::vector<RecordResults> results;
    for (const auto& batch : group) results.emplace_back(batch->submitted.submissions.size());
    return results;
  }

  // Submits a batch `first` that is being committed when this returns.
  void SubmitFirst(GroupCommitter& committer) {
    Submit("first", 1, committer);
    ASSERT_EQ(first_came_.get_future().wait_for(kPatience), std::future_status::ready);
  }

  std::vector<std::string> answers() {
    absl::MutexLock lock(&mutex_);
    return answers_;
  }
  void AwaitAnswers(size_t count) {
    absl::MutexLock lock(&mutex_);
    while (answers_.size() < count) {
      ASSERT_FALSE(answered_.WaitWithTimeout(&mutex_, absl::Minutes(1)));
    }
  }

  std::function<absl::Status(Group)> fails = [](Group) { return absl::OkStatus(); };
  std::atomic<bool> first_has_come_ = false;
  std::promise<void> first_came_, first_may_go_;
  absl::Mutex mutex_;
  absl::CondVar answered_;
  std::vector<std::string> answers_ ABSL_GUARDED_BY(mutex_);
  std::vector<Sizes> groups_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(GroupCommitterTest, WhatComesDuringACommitSharesTheNextOne) {
  {
    GroupCommitter committer({}, [this](Group group) { return Commit(group); });
    SubmitFirst(committer);
    Submit("a", 1, committer);
    Submit("b", 300, committer);
    Submit("c", 3, committer);
    first_may_go_.set_value();
  }
  EXPECT_EQ(groups_, (std::vector<Sizes>{{1}, {1, 300, 3}}));
  EXPECT_EQ(answers(), (std::vector<std::string>{"first", "a", "b", "c"}));
}

TEST_F(GroupCommitterTest, AGroupEndsWithTheBatchThatFillsIt) {
  {
    GroupCommitter committer({.max_group_records = 10}, [this](Group g) { return Commit(g); });
    SubmitFirst(committer);
    for (size_t size : {9, 50, 4, 6, 1}) Submit("x", size, committer);
    first_may_go_.set_value();
  }
  EXPECT_EQ(groups_, (std::vector<Sizes>{{1}, {9, 50}, {4, 6}, {1}}));
}

TEST_F(GroupCommitterTest, TheBatchAtFaultFailsAlone) {
  fails = [](Group group) {
    for (const auto& batch : group) {
      if (NameOf(*batch) == "bad") return absl::InvalidArgumentError("bad");
    }
    return absl::OkStatus();
  };
  {
    GroupCommitter committer({}, [this](Group group) { return Commit(group); });
    SubmitFirst(committer);
    for (const char* name : {"a", "b", "bad", "c", "d"}) Submit(name, 1, committer);
    first_may_go_.set_value();
  }
  EXPECT_EQ(answers(), (std::vector<std::string>{"first", "a", "b", "bad!", "c", "d"}));
}

TEST_F(GroupCommitterTest, WhatWasSentAfterAFailedBatchIsNotWritten) {
  fails = [](Group group) {
    return NameOf(*group[0]) == "first" ? absl::UnavailableError("gone") : absl::OkStatus();
  };
  const auto failed = std::make_shared<std::atomic<bool>>(false);
  {
    GroupCommitter committer({}, [this](Group group) { return Commit(group); });
    Submit("first", 1, committer, failed);
    ASSERT_EQ(first_came_.get_future().wait_for(kPatience), std::future_status::ready);
    Submit("second", 2, committer, failed);
    Submit("other", 3, committer);
    first_may_go_.set_value();
  }
  EXPECT_EQ(groups_, (std::vector<Sizes>{{1}, {3}}));
  EXPECT_EQ(answers(), (std::vector<std::string>{"first!", "second!", "other"}));
}

TEST_F(GroupCommitterTest, WithoutADatabaseTheWholeGroupIsAnsweredAtOnce) {
  fails = [](Group) { return absl::UnavailableError("gone"); };
  {
    GroupCommitter committer({}, [this](Group group) { return Commit(group); });
    SubmitFirst(committer);
    for (const char* name : {"a", "b"}) Submit(name, 1, committer);
    first_may_go_.set_value();
  }
  EXPECT_EQ(groups_.size(), 2u);
  EXPECT_EQ(answers(), (std::vector<std::string>{"first!", "a!", "b!"}));
}

TEST_F(GroupCommitterTest, AnotherClusterIsCommittedMeanwhile) {
  GroupCommitter committer({}, [this](Group group) { return Commit(group); });
  SubmitFirst(committer);
  Submit("waits", 1, committer);
  Submit("other", 1, committer, nullptr, "d");
  AwaitAnswers(1);
  EXPECT_EQ(answers(), std::vector<std::string>{"other"});
  first_may_go_.set_value();
  AwaitAnswers(3);
}

TEST_F(GroupCommitterTest, StreamsOfABusyClusterAreCommittedSideBySideAndEachInItsOrder) {
  std::vector<std::shared_ptr<std::atomic<bool>>> streams(64);
  for (auto& stream : streams) stream = std::make_shared<std::atomic<bool>>(false);
  {
    GroupCommitter committer({.max_group_records = 1, .parallel_from = 1},
                             [this](Group group) { return Commit(group); });
    Submit("0", 1, committer, streams[0]);
    ASSERT_EQ(first_came_.get_future().wait_for(kPatience), std::future_status::ready);
    for (const char* name : {"1", "2"}) Submit(name, 1, committer, streams[0]);
    for (size_t i = 1; i < streams.size(); ++i) Submit("x", 1, committer, streams[i]);
    // Some of the others are of other tracks.
    AwaitAnswers(1);
    EXPECT_THAT(answers(), testing::Each("x"));
    first_may_go_.set_value();
  }
  std::vector<std::string> own = answers();
  std::erase(own, "x");
  EXPECT_EQ(own, (std::vector<std::string>{"0", "1", "2"}));
}

TEST_F(GroupCommitterTest, ABatchBehindALockIsRetriedInItsOrder) {
  int attempts = 0;
  fails = [&attempts](Group) {
    return ++attempts <= 3 ? storage::LockTimeoutError() : absl::OkStatus();
  };
  GroupCommitter committer({.retry_locked = absl::Milliseconds(1)},
                           [this](Group group) { return Commit(group); });
  SubmitFirst(committer);
  Submit("second", 1, committer);
  first_may_go_.set_value();
  AwaitAnswers(2);
  EXPECT_EQ(answers(), (std::vector<std::string>{"first", "second"}));
}

TEST_F(GroupCommitterTest, ABatchBehindALockIsRetriedInTimeThoughTheHostsClockStepsBack) {
  std::atomic<bool> is_locked = true;
  fails = [&](Group) {
    return is_locked.exchange(false) ? storage::LockTimeoutError() : absl::OkStatus();
  };
  SteppedClock clock;
  GroupCommitter committer({}, [this](Group group) { return Commit(group); });
  SubmitFirst(committer);
  first_may_go_.set_value();
  ASSERT_TRUE(Await([&] { return committer.waiting().records == 1; }));
  clock.Step(-absl::Hours(1));
  AwaitAnswers(1);
  EXPECT_EQ(answers(), std::vector<std::string>{"first"});
}

TEST_F(GroupCommitterTest, AStepBackOfTheHostsClockMakesPatienceNoLonger) {
  fails = [](Group) { return storage::LockTimeoutError(); };
  SteppedClock clock;
  GroupCommitter committer(
      {.retry_locked = absl::Milliseconds(10), .patience = absl::Milliseconds(500)},
      [this](Group group) { return Commit(group); });
  SubmitFirst(committer);
  clock.Step(-absl::Hours(1));
  first_may_go_.set_value();
  AwaitAnswers(1);
  EXPECT_EQ(answers(), std::vector<std::string>{"first!"});
}

// Fails for the cluster `locked` only.
absl::Status LockedCluster(Group group) {
  return group[0]->submitted.cluster == "locked" ? storage::LockTimeoutError() : absl::OkStatus();
}

TEST_F(GroupCommitterTest, WhoWaitsTooLongForALockIsAnsweredWhy) {
  fails = LockedCluster;
  first_may_go_.set_value();
  absl::Status status;
  absl::Notification answered;
  GroupCommitter committer({.retry_locked = absl::Milliseconds(1), .patience = absl::Seconds(0)},
                           [this](Group group) { return Commit(group); });
  auto batch = std::make_unique<QueuedBatch>();
  batch->submitted.cluster = "locked";
  batch->submitted.submissions.resize(1);
  batch->submitted.done = [&](const absl::StatusOr<RecordResults>& results) {
    status = results.status();
    answered.Notify();
  };
  committer.Submit(std::move(batch), *committer.Reserve(1));
  ASSERT_TRUE(answered.WaitForNotificationWithTimeout(absl::Minutes(1)));
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(errors::ReasonOf(status), "DATABASE_LOCKED");
  EXPECT_TRUE(errors::RetryDelayOf(status).has_value());
}

TEST_F(GroupCommitterTest, ALockedClusterLeavesHalfOfThePlacesToOthers) {
  fails = LockedCluster;
  first_may_go_.set_value();
  GroupCommitter committer({.max_pending_records = 100, .retry_locked = absl::Milliseconds(1)},
                           [this](Group group) { return Commit(group); });
  Submit("kept", 40, committer, nullptr, "locked");
  Submit("too many", 60, committer, nullptr, "locked");
  AwaitAnswers(1);
  EXPECT_EQ(answers(), std::vector<std::string>{"too many!"});
  Submit("other", 60, committer, nullptr, "c");
  AwaitAnswers(2);
  EXPECT_EQ(answers(), (std::vector<std::string>{"too many!", "other"}));
}

TEST_F(GroupCommitterTest, AStopWaitsForNoLock) {
  fails = LockedCluster;
  first_may_go_.set_value();
  {
    GroupCommitter committer({.retry_locked = absl::Hours(1), .patience = absl::Hours(1)},
                             [this](Group group) { return Commit(group); });
    Submit("a", 1, committer, nullptr, "locked");
  }
  EXPECT_EQ(answers(), std::vector<std::string>{"a!"});
}

TEST_F(GroupCommitterTest, AFullQueueSaysWhenToComeBack) {
  GroupCommitter committer({.max_pending_records = 100}, [this](Group g) { return Commit(g); });
  auto place = committer.Reserve(60);
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(committer.Reserve(40).ok());  // Given back at once.
  const absl::Status full = committer.Reserve(41).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(errors::ReasonOf(full), "INGEST_QUEUE_FULL");
  EXPECT_TRUE(errors::RetryDelayOf(full).has_value());
  place->reset();
  EXPECT_TRUE(committer.Reserve(41).ok());
}

TEST_F(GroupCommitterTest, APlaceMayBeReleasedAfterTheEnd) {
  GroupCommitter::Place place;
  {
    GroupCommitter committer({}, [this](Group g) { return Commit(g); });
    auto reserved = committer.Reserve(60);
    ASSERT_TRUE(reserved.ok());
    place = *std::move(reserved);
  }
  EXPECT_EQ(place.use_count(), 1);
  place.reset();
}

TEST_F(GroupCommitterTest, AnEmptyQueueTakesABatchOfAnySize) {
  GroupCommitter committer({.max_pending_records = 100}, [this](Group g) { return Commit(g); });
  EXPECT_TRUE(committer.Reserve(1000).ok());
}

TEST_F(GroupCommitterTest, WaitingBatchesAreCountedWithoutThoseInProgress) {
  GroupCommitter committer({}, [this](Group group) { return Commit(group); });
  SubmitFirst(committer);
  EXPECT_EQ(committer.waiting().records, 0u);
  EXPECT_EQ(committer.waiting().longest, absl::ZeroDuration());
  Submit("a", 3, committer);
  Submit("b", 4, committer, nullptr, "other");
  AwaitAnswers(1);  // Another thread commits that of the other cluster.
  EXPECT_EQ(committer.waiting().records, 3u);
  EXPECT_GT(committer.waiting().longest, absl::ZeroDuration());
  first_may_go_.set_value();
  AwaitAnswers(3);
  EXPECT_EQ(committer.waiting().records, 0u);
}

}  // namespace
}  // namespace priorityd::usage
