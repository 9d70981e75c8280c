// Rank() and its naive second on random queues, and what must hold for any.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "engine/priority/ranking/ranking.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/naive_ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

NaiveRow InWords(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobRow& row) {
  NaiveRow words;
  words.job_id = std::string(jobs[row.job].job_id);
  if (row.partition >= 0) words.partition = snapshot.partitions()[row.partition].name;
  if (row.qos >= 0) words.qos = snapshot.qos()[row.qos].name;
  words.priority = row.priority;
  return words;
}

NaiveRanking InWords(const Snapshot& snapshot, absl::Span<const Job> jobs, const Ranking& ranking) {
  NaiveRanking words;
  for (const RankedRow& row : ranking.ranked) {
    words.ranked.push_back(InWords(snapshot, jobs, row));
    words.ranked.back().best_of_job = row.best_of_job;
    EXPECT_EQ(row.rank, words.ranked.size());
  }
  for (const IneligibleRow& row : ranking.ineligible) {
    words.ineligible.push_back(InWords(snapshot, jobs, row));
    words.ineligible.back().reason = std::string(ReasonName(snapshot.limits(), row.why));
  }
  for (const JobRow& row : ranking.running) {
    words.running.push_back(InWords(snapshot, jobs, row));
  }
  words.ranked_total = ranking.ranked_total;
  words.ineligible_total = ranking.ineligible_total;
  return words;
}

class RandomQueues : public testing::TestWithParam<int> {};

TEST_P(RandomQueues, RankAsTheNaiveImplementationDoes) {
  for (int i = 0; i < 200; ++i) {
    Draw draw(1000 * GetParam() + i);
    const SmallSite site = draw.Site();
    const auto snapshot = site.Build();
    std::vector<Job> jobs;
    for (int n = draw.Below(60); n > 0; --n) jobs.push_back(draw.NextJob());
    const RankOptions options = draw.Options();
    const NaiveRanking fast = InWords(*snapshot, jobs, Rank(*snapshot, jobs, options));
    const NaiveRanking naive = NaiveRank(*snapshot, jobs, options);
    ASSERT_EQ(fast.ranked, naive.ranked) << "seed " << 1000 * GetParam() + i;
    ASSERT_EQ(fast.ineligible, naive.ineligible) << "seed " << 1000 * GetParam() + i;
    ASSERT_EQ(fast.running, naive.running) << "seed " << 1000 * GetParam() + i;
    ASSERT_EQ(fast.ranked_total, naive.ranked_total) << "seed " << 1000 * GetParam() + i;
    ASSERT_EQ(fast.ineligible_total, naive.ineligible_total) << "seed " << 1000 * GetParam() + i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomQueues, testing::Range(0, 15));

// A queue long enough for the radix sort and for cutting back to the limit.
class LongQueue : public testing::Test {
 protected:
  LongQueue() : draw_(99) {
    site_.source.policy.weight_qos = 3;
    snapshot_ = site_.Build();
    for (int i = 0; i < 20000; ++i) {
      Job& job =
          jobs_.emplace_back(JobOf(ids_.emplace_back("job" + std::to_string(i * 7919 % 20000))));
      job.submit_time = kNow - absl::Seconds(draw_.Below(5));
      job.site_factor = draw_.Below(50);
      job.partitions = {"main"};
      if (draw_.OneIn(3)) job.partitions.push_back("fast");
      job.qos = {"normal"};
      if (draw_.OneIn(3)) job.qos.push_back("high");
      if (draw_.OneIn(100)) job.reservation = "r";
    }
  }

  Draw draw_;
  SmallSite site_;
  std::unique_ptr<const Snapshot> snapshot_;
  std::deque<std::string> ids_;
  std::vector<Job> jobs_;
};

TEST_F(LongQueue, IsOrderedAsTheNaiveImplementationOrdersIt) {
  const NaiveRanking fast = InWords(*snapshot_, jobs_, Rank(*snapshot_, jobs_, Now()));
  EXPECT_EQ(fast.ranked, NaiveRank(*snapshot_, jobs_, Now()).ranked);
}

TEST_F(LongQueue, TheFirstRowsAreThoseOfTheWholeOrder) {
  for (const bool best_only : {false, true}) {
    RankOptions options = Now();
    options.best_only = best_only;
    const NaiveRanking all = InWords(*snapshot_, jobs_, Rank(*snapshot_, jobs_, options));
    for (const size_t limit : {0, 1, 2, 100, 700, 5000, 19999, 100000}) {
      options.limit = limit;
      const NaiveRanking first = InWords(*snapshot_, jobs_, Rank(*snapshot_, jobs_, options));
      const auto end = all.ranked.begin() + std::min(limit, all.ranked.size());
      EXPECT_EQ(first.ranked, std::vector<NaiveRow>(all.ranked.begin(), end)) << limit;
      EXPECT_EQ(first.ranked_total, all.ranked.size()) << limit;
    }
  }
}

TEST_F(LongQueue, TheOrderOfTheRequestDoesNotMatter) {
  const NaiveRanking one = InWords(*snapshot_, jobs_, Rank(*snapshot_, jobs_, Now()));
  std::shuffle(jobs_.begin(), jobs_.end(), std::mt19937(4));
  const NaiveRanking other = InWords(*snapshot_, jobs_, Rank(*snapshot_, jobs_, Now()));
  EXPECT_EQ(one.ranked, other.ranked);
}

}  // namespace
}  // namespace priorityd::priority
