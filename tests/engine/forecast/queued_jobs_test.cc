#include "engine/forecast/queued_jobs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

struct NaiveSums {
  QueueSums all;
  SmallerSums smaller;
  size_t larger = 0;
};

// One walk over all jobs, for a job of that kind.
NaiveSums Walked(const std::vector<QueuedJob>& jobs, double cpus, double limit, double free) {
  NaiveSums sums;
  for (size_t place = 0; place < jobs.size(); ++place) {
    const QueuedJob& job = jobs[place];
    const double work = double{job.cpus} * job.limit;
    const double expected_work = double{job.cpus} * job.expected;
    sums.all.cpus += job.cpus;
    sums.all.work += work;
    sums.all.expected_work += expected_work;
    sums.all.widest = std::max<double>(sums.all.widest, job.cpus);
    const std::optional<size_t> oldest = sums.all.oldest;
    if (!oldest.has_value() || job.submit_time < jobs[*oldest].submit_time) sums.all.oldest = place;
    sums.larger += job.cpus > free;
    if (job.cpus > cpus) continue;
    ++sums.smaller.narrower;
    sums.smaller.narrower_cpus += job.cpus;
    if (job.limit > limit) continue;
    ++sums.smaller.smaller;
    sums.smaller.smaller_work += work;
    sums.smaller.smaller_expected_work += expected_work;
  }
  return sums;
}

void ExpectSame(const NaiveSums& naive, QueuedJobs* jobs, double cpus, double limit, double free) {
  const QueueSums all = jobs->All();
  EXPECT_EQ(all.cpus, naive.all.cpus);
  EXPECT_EQ(all.work, naive.all.work);
  EXPECT_EQ(all.expected_work, naive.all.expected_work);
  EXPECT_EQ(all.widest, naive.all.widest);
  EXPECT_EQ(all.oldest, naive.all.oldest);
  const SmallerSums smaller = jobs->NoLargerThan(cpus, limit);
  EXPECT_EQ(smaller.narrower, naive.smaller.narrower);
  EXPECT_EQ(smaller.narrower_cpus, naive.smaller.narrower_cpus);
  EXPECT_EQ(smaller.smaller, naive.smaller.smaller);
  EXPECT_EQ(smaller.smaller_work, naive.smaller.smaller_work);
  EXPECT_EQ(smaller.smaller_expected_work, naive.smaller.smaller_expected_work);
  EXPECT_EQ(jobs->LargerThan(free), naive.larger);
}

// A queue, and the same jobs as a plain list. Sizes and times are no multiples of powers of two, so
// that the order of a sum shows in its last bits.
class TwoQueues {
 public:
  explicit TwoQueues(uint32_t seed, int kinds) : random_(seed), kinds_(kinds) {}

  void Add() {
    const auto [cpus, limit] = Kind();
    const QueuedJob job = {static_cast<float>(cpus), static_cast<float>(limit),
                           static_cast<float>(1 + Below(100'000) * .37), Below(50)};
    jobs_.Add(job);
    naive_.push_back(job);
  }

  void Remove() {
    if (naive_.empty()) return;
    const auto place = static_cast<size_t>(Below(static_cast<int>(naive_.size())));
    jobs_.Remove(place);
    naive_[place] = naive_.back();
    naive_.pop_back();
  }

  void Ask() {
    const auto [cpus, limit] = Kind();
    const double free = Below(3) * 3.3;
    ExpectSame(Walked(naive_, cpus, limit, free), &jobs_, cpus, limit, free);
  }

  bool OneIn(int count) { return Below(count) == 0; }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint32_t>(end)); }
  std::pair<double, double> Kind() {
    const int kind = Below(kinds_);
    return {.1 + kind % 7 * 1.7, kind / 7 * 61.3};
  }

  std::mt19937 random_;
  const int kinds_;
  QueuedJobs jobs_;
  std::vector<QueuedJob> naive_;
};

TEST(QueuedJobsTest, SumsAreThoseOfOneWalkToTheBit) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    TwoQueues queues(seed, 40);
    for (int i = 0; i < 500; ++i) {
      queues.Add();
      queues.Ask();
      // Now and then the queue grows, and sometimes it becomes empty.
      while (queues.OneIn(i % 100 < 80 ? 4 : 2)) queues.Remove();
      if (queues.OneIn(3)) queues.Ask();
    }
    for (int i = 0; i < 500; ++i) queues.Remove();
    queues.Ask();
    queues.Add();
    queues.Ask();
  }
}

TEST(QueuedJobsTest, MoreKindsThanAreKeptHaveTheSameSums) {
  constexpr int kKinds = 3 * static_cast<int>(QueuedJobs::kMostKinds);
  TwoQueues queues(1, kKinds);
  for (int i = 0; i < 50; ++i) queues.Add();
  for (int i = 0; i < 2 * kKinds; ++i) {
    queues.Ask();
    if (queues.OneIn(500)) queues.Remove();
  }
}

TEST(QueuedJobsTest, TheOldestIsTheFirstOfThoseOfItsSecond) {
  QueuedJobs jobs;
  EXPECT_FALSE(jobs.All().oldest.has_value());
  jobs.Add({1, 60, 60, 20});
  jobs.Add({2, 60, 60, 10});
  jobs.Add({3, 60, 60, 10});
  EXPECT_EQ(jobs.All().oldest, 1);
  jobs.Remove(1);
  EXPECT_EQ(jobs.at(*jobs.All().oldest).cpus, 3);
}

}  // namespace
}  // namespace priorityd::forecast
