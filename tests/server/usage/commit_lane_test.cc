#include "server/usage/commit_lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace priorityd::usage {
namespace {

constexpr CommitLane::Limits kLimits = {.group_records = 10, .parallel_from = 5};

using Stream = std::shared_ptr<std::atomic<bool>>;

Stream NewStream() { return std::make_shared<std::atomic<bool>>(false); }

std::vector<int64_t> Numbers(const Batches& batches) {
  std::vector<int64_t> numbers;
  for (const auto& batch : batches) numbers.push_back(batch->number);
  return numbers;
}

class CommitLaneTest : public ::testing::Test {
 protected:
  void Add(size_t records, const Stream& stream = nullptr, absl::Time at = absl::UnixEpoch()) {
    auto batch = std::make_unique<QueuedBatch>();
    batch->submitted.submissions.resize(records);
    batch->submitted.earlier_failed = stream;
    batch->number = next_number_++;
    batch->queued_at = at;
    lane_.Add(std::move(batch));
  }

  CommitLane lane_;
  int64_t next_number_ = 0;
};

TEST_F(CommitLaneTest, WhereLittleWaitsAGroupHasAllOfItAndIsTheOnlyOne) {
  for (int i = 0; i < 4; ++i) Add(1, NewStream());
  EXPECT_EQ(lane_.Next(kLimits), 0);
  const CommitLane::Group group = lane_.Take(kLimits);
  EXPECT_EQ(Numbers(group.batches), (std::vector<int64_t>{0, 1, 2, 3}));
  for (int i = 0; i < 40; ++i) Add(1, NewStream());
  EXPECT_EQ(lane_.Next(kLimits), std::nullopt);
  EXPECT_TRUE(lane_.Take(kLimits).batches.empty());
  lane_.Finish(group);
  EXPECT_EQ(lane_.Next(kLimits), 4);
}

TEST_F(CommitLaneTest, WhatMeetsALockComesFirstAndAlone) {
  for (int i = 0; i < 20; ++i) Add(5);
  CommitLane::Group group = lane_.Take(kLimits);
  const std::vector<int64_t> numbers = Numbers(group.batches);
  lane_.Finish(group);
  lane_.PutBack(std::move(group.batches), absl::UnixEpoch());
  EXPECT_TRUE(lane_.locked());
  EXPECT_EQ(lane_.records(), 100u);
  group = lane_.Take(kLimits);
  EXPECT_EQ(group.batches[0]->number, numbers[0]);
  EXPECT_EQ(lane_.Next(kLimits), std::nullopt);
  lane_.Free();
  lane_.Finish(group);
  EXPECT_NE(lane_.Next(kLimits), std::nullopt);
}

TEST_F(CommitLaneTest, OldBatchesAreDroppedThenTheNewestOnesThatAreTooMany) {
  for (int second = 0; second < 6; ++second) {
    Add(10, nullptr, absl::UnixEpoch() + absl::Seconds(second));
  }
  const absl::Time third = absl::UnixEpoch() + absl::Seconds(2);
  EXPECT_EQ(Numbers(lane_.Drop(third, 25)), (std::vector<int64_t>{0, 1, 4, 5}));
  EXPECT_EQ(lane_.records(), 20u);
  EXPECT_TRUE(lane_.Drop(third, 20).empty());
}

// Streams whose batches are taken, put back and done in any order.
TEST_F(CommitLaneTest, EveryStreamKeepsItsOrderAndIsInOneGroupAtATime) {
  std::mt19937 random(7);
  std::vector<Stream> streams;
  for (int i = 0; i < 10; ++i) streams.push_back(NewStream());
  std::vector<CommitLane::Group> at_work;
  std::map<const void*, int64_t> last;  // Done, by stream.
  size_t most_at_work = 0;
  int64_t done = 0;
  while (done < 2000) {
    if (next_number_ < 2000) Add(1 + random() % 4, streams[random() % streams.size()]);
    if (random() % 4 == 0 || next_number_ == 2000) {
      CommitLane::Group group = lane_.Take(kLimits);
      if (!group.batches.empty()) at_work.push_back(std::move(group));
    }
    most_at_work = std::max(most_at_work, at_work.size());
    if (at_work.empty() || random() % 8 != 0) continue;
    std::swap(at_work[random() % at_work.size()], at_work.back());
    CommitLane::Group group = std::move(at_work.back());
    at_work.pop_back();
    if (random() % 10 == 0) {
      lane_.PutBack(std::move(group.batches), absl::UnixEpoch());
    } else {
      for (const auto& batch : group.batches) {
        int64_t& before = last.try_emplace(batch->submitted.earlier_failed.get(), -1).first->second;
        EXPECT_LT(before, batch->number);
        before = batch->number;
        ++done;
      }
      lane_.Free();
    }
    lane_.Finish(group);
  }
  EXPECT_GT(most_at_work, 1u);
  EXPECT_TRUE(lane_.is_empty());
}

}  // namespace
}  // namespace priorityd::usage
