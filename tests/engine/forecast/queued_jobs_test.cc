#include "engine/forecast/queued_jobs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <random>
#include <tuple>
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

// One walk over all jobs in the order in which they were added, for a job of that kind.
NaiveSums Walked(const std::map<int, QueuedJob>& jobs, double cpus, double limit, double free) {
  NaiveSums sums;
  for (const auto& [number, job] : jobs) {
    const double work = double{job.cpus} * job.limit;
    const double expected_work = double{job.cpus} * job.expected;
    sums.all.cpus += job.cpus;
    sums.all.work += work;
    sums.all.expected_work += expected_work;
    sums.all.widest = std::max<double>(sums.all.widest, job.cpus);
    std::optional<QueuedJob>& oldest = sums.all.oldest;
    if (!oldest.has_value() || job.submit_time < oldest->submit_time) oldest = job;
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

void ExpectSum(double sum, double naive) { EXPECT_NEAR(sum, naive, 1e-11 * naive); }

void ExpectSame(const NaiveSums& naive, const QueuedJobs& jobs, double cpus, double limit,
                double free) {
  const QueueSums all = jobs.All();
  ExpectSum(all.cpus, naive.all.cpus);
  ExpectSum(all.work, naive.all.work);
  ExpectSum(all.expected_work, naive.all.expected_work);
  EXPECT_EQ(all.widest, naive.all.widest);
  ASSERT_EQ(all.oldest.has_value(), naive.all.oldest.has_value());
  if (all.oldest.has_value()) EXPECT_EQ(all.oldest->expected, naive.all.oldest->expected);
  const SmallerSums smaller = jobs.NoLargerThan(cpus, limit);
  EXPECT_EQ(smaller.narrower, naive.smaller.narrower);
  ExpectSum(smaller.narrower_cpus, naive.smaller.narrower_cpus);
  EXPECT_EQ(smaller.smaller, naive.smaller.smaller);
  ExpectSum(smaller.smaller_work, naive.smaller.smaller_work);
  ExpectSum(smaller.smaller_expected_work, naive.smaller.smaller_expected_work);
  EXPECT_EQ(jobs.LargerThan(free), naive.larger);
}

// A queue twice, and the same jobs as a plain list. Sizes and times are no multiples of powers of
// two, so that the order of a sum shows in its last bits.
class Queues {
 public:
  explicit Queues(uint32_t seed, int kinds) : random_(seed), kinds_(kinds) {}

  void Add() {
    const auto [cpus, limit] = Kind();
    const QueuedJob job = {static_cast<float>(cpus), static_cast<float>(limit),
                           static_cast<float>(1 + Below(100'000) * .37), Below(50)};
    jobs_.Add(job);
    same_.Add(job);
    places_.push_back(added_);
    naive_[added_++] = job;
  }

  void Remove() {
    if (places_.empty()) return;
    const auto place = static_cast<size_t>(Below(static_cast<int>(places_.size())));
    jobs_.Remove(place);
    same_.Remove(place);
    naive_.erase(places_[place]);
    places_[place] = places_.back();
    places_.pop_back();
  }

  void Ask() {
    const auto [cpus, limit] = Kind();
    const double free = Below(3) * 3.3;
    EXPECT_EQ(jobs_.size(), naive_.size());
    ExpectSame(Walked(naive_, cpus, limit, free), jobs_, cpus, limit, free);
    EXPECT_EQ(jobs_.All().expected_work, same_.All().expected_work);
    EXPECT_EQ(jobs_.NoLargerThan(cpus, limit).smaller_expected_work,
              same_.NoLargerThan(cpus, limit).smaller_expected_work);
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
  QueuedJobs same_;
  std::vector<int> places_;
  std::map<int, QueuedJob> naive_;  // By the number of the call of Add.
  int added_ = 0;
};

TEST(QueuedJobsTest, SumsAreThoseOfOneWalkAndTheSameForTheSameCalls) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Queues queues(seed, 40);
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

TEST(QueuedJobsTest, QueuesOfManyBlocksHaveTheSameSums) {
  constexpr int kJobs = 5 * static_cast<int>(QueuedJobs::kMostOfBlock);
  for (const int kinds : {1, 14, 100'000}) {
    SCOPED_TRACE(absl::StrCat(kinds, " kinds"));
    Queues queues(1, kinds);
    for (int i = 0; i < 3 * kJobs; ++i) {
      // It grows, and shrinks again.
      i < 2 * kJobs ? queues.Add() : queues.Remove();
      if (queues.OneIn(3)) i < kJobs ? queues.Add() : queues.Remove();
      if (queues.OneIn(50)) queues.Ask();
    }
  }
}

TEST(QueuedJobsTest, TheOldestIsTheFirstOfThoseOfItsSecond) {
  QueuedJobs jobs;
  EXPECT_FALSE(jobs.All().oldest.has_value());
  jobs.Add({1, 60, 60, 20});
  jobs.Add({2, 60, 60, 10});
  jobs.Add({3, 60, 60, 10});
  EXPECT_EQ(jobs.All().oldest->cpus, 2);
  jobs.Remove(1);
  EXPECT_EQ(jobs.All().oldest->cpus, 3);
}

// Sums below 2^53 are exact in any order.
TEST(QueuedJobsTest, SumsOfWholeNumbersAreThoseOfOneWalkToTheBit) {
  std::mt19937 random(7);
  const auto below = [&random](uint32_t end) { return random() % end; };
  const auto draw = [&] {
    return QueuedJob{static_cast<float>(1 + below(20)), static_cast<float>(60 * below(30)),
                     static_cast<float>(below(100'000)), static_cast<Seconds>(below(50))};
  };
  QueuedJobs jobs;
  std::map<int, QueuedJob> naive;
  std::vector<int> places;
  for (int i = 0; i < 60 * static_cast<int>(QueuedJobs::kMostOfBlock); ++i) {
    const QueuedJob job = draw();
    jobs.Add(job);
    naive[i] = job;
    places.push_back(i);
    if (below(5) == 0) {
      const size_t place = below(static_cast<uint32_t>(places.size()));
      jobs.Remove(place);
      naive.erase(places[place]);
      places[place] = places.back();
      places.pop_back();
    }
    if (i % 1000 > 0) continue;
    const QueuedJob asked = draw();
    const NaiveSums walked = Walked(naive, asked.cpus, asked.limit, asked.cpus);
    const QueueSums all = jobs.All();
    EXPECT_EQ(std::tie(all.cpus, all.work, all.expected_work),
              std::tie(walked.all.cpus, walked.all.work, walked.all.expected_work));
    const SmallerSums smaller = jobs.NoLargerThan(asked.cpus, asked.limit);
    EXPECT_EQ(smaller.narrower, walked.smaller.narrower);
    EXPECT_EQ(smaller.narrower_cpus, walked.smaller.narrower_cpus);
    EXPECT_EQ(smaller.smaller, walked.smaller.smaller);
    EXPECT_EQ(smaller.smaller_work, walked.smaller.smaller_work);
    EXPECT_EQ(smaller.smaller_expected_work, walked.smaller.smaller_expected_work);
    EXPECT_EQ(jobs.LargerThan(asked.cpus), walked.larger);
  }
}

// For so many jobs, with a question about a job of the same kind before each.
double SecondsOfKinds(int jobs, int kinds) {
  QueuedJobs queue;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < jobs; ++i) {
    const auto kind = static_cast<float>(i % kinds);
    queue.NoLargerThan(1 + kind, 60 * kind);
    queue.Add({1 + kind, 60 * kind, 60, i});
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(QueuedJobsTest, AsManyKindsAsJobsTakeNoMoreStepsThanTwo) {
  constexpr int kJobs = 50'000;
  EXPECT_LT(SecondsOfKinds(kJobs, kJobs), 30 * SecondsOfKinds(kJobs, 2));
}

double SecondsOfQuestions(int jobs, int sizes, int limits) {
  const auto kind = [&](int i) {
    return QueuedJob{static_cast<float>(1 + i % sizes), static_cast<float>(60 * (i % limits)), 60,
                     0};
  };
  QueuedJobs queue;
  for (int i = 0; i < jobs; ++i) queue.Add(kind(i));
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 20'000; ++i) {
    queue.All();
    queue.NoLargerThan(kind(i).cpus, kind(i).limit);
    queue.LargerThan(1);
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(QueuedJobsTest, QuestionsDoNotTakeAHundredTimesAsLongInAQueueThatIs) {
  EXPECT_LT(SecondsOfQuestions(400'000, 2, 2), 25 * SecondsOfQuestions(4000, 2, 2));
  EXPECT_LT(SecondsOfQuestions(400'000, 1, 5000), 25 * SecondsOfQuestions(4000, 1, 5000));
}

}  // namespace
}  // namespace priorityd::forecast
