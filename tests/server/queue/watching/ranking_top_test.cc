// Tops of random queues, and what changes from one to the next.
#include "server/queue/watching/ranking_top.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/tracked_queue.h"
#include "server/queue/watching/queue_top.h"
#include "tests/engine/priority/draw.h"

namespace priorityd::queue {
namespace {

std::vector<double> Numbers(const std::unique_ptr<const priority::PriorityFactors>& factors) {
  if (factors == nullptr) return {};
  std::vector<double> numbers = {factors->age,      factors->assoc,     factors->fair_share,
                                 factors->job_size, factors->partition, factors->qos,
                                 factors->site,     factors->nice};
  numbers.insert(numbers.end(), factors->tres.begin(), factors->tres.end());
  return numbers;
}

// Everything that a row says.
using Answered =
    std::tuple<uint32_t, std::string, std::string, std::string, std::optional<uint32_t>, bool,
               std::string, std::string, std::vector<double>, std::vector<double>>;

Answered Said(const TopRow& row) {
  return {row.rank,
          row.job_id,
          row.partition,
          row.qos,
          row.priority,
          row.best_of_job,
          row.user,
          row.account,
          Numbers(row.factors),
          Numbers(row.contributions)};
}

std::vector<Answered> Said(const RankingTop& top) {
  std::vector<Answered> rows;
  for (const TopRow& row : top.rows) rows.push_back(Said(row));
  return rows;
}

// As a reader would who has `before` and is sent the rows that `delta` points to.
std::vector<Answered> Applied(const RankingTop& before, const RankingTop& after,
                              const TopDelta& delta) {
  std::vector<bool> gone(before.rows.size());
  for (const uint32_t i : delta.left) gone[i] = true;
  for (const TopDelta::Changed& change : delta.changed) gone[change.before] = true;
  std::vector<Answered> rows;
  for (size_t i = 0; i < before.rows.size(); ++i) {
    if (!gone[i]) rows.push_back(Said(before.rows[i]));
  }
  for (const uint32_t i : delta.entered) rows.push_back(Said(after.rows[i]));
  for (const TopDelta::Changed& change : delta.changed) {
    rows.push_back(Said(after.rows[change.after]));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Everything that is said of a job that cannot start, by its id.
using Waiting = std::tuple<Answered, std::string, std::string>;

std::map<std::string, Waiting> SaidOfIneligible(const RankingTop& top) {
  std::map<std::string, Waiting> jobs;
  for (const WaitingJob& job : top.ineligible) {
    jobs[job.row.job_id] = {Said(job.row), job.reason, job.message};
  }
  EXPECT_EQ(jobs.size(), top.ineligible.size());
  return jobs;
}

std::map<std::string, Waiting> AppliedToIneligible(const RankingTop& before,
                                                   const RankingTop& after, const TopDelta& delta) {
  std::map<std::string, Waiting> jobs = SaidOfIneligible(before);
  for (const uint32_t i : delta.eligible) {
    EXPECT_EQ(jobs.erase(before.ineligible[i].row.job_id), 1);
  }
  for (const uint32_t i : delta.ineligible) {
    const WaitingJob& job = after.ineligible[i];
    jobs[job.row.job_id] = {Said(job.row), job.reason, job.message};
  }
  return jobs;
}

// The same by Rank, which lists all of them.
void ExpectRanksIneligible(const RankingTop& top, const ViewSpec& spec,
                           const std::shared_ptr<const QueueState>& queue) {
  const std::vector<absl::string_view> partitions(spec.partitions.begin(), spec.partitions.end());
  const std::vector<absl::string_view> accounts(spec.accounts.begin(), spec.accounts.end());
  const std::vector<absl::string_view> users(spec.users.begin(), spec.users.end());
  const QueueRanking ranked =
      Rank(queue,
           {.as_of = top.as_of, .partitions = partitions, .accounts = accounts, .users = users}, 0);
  EXPECT_EQ(top.ineligible_total, ranked.ranking.ineligible_total);
  ASSERT_EQ(top.ineligible.size(), std::min<size_t>(spec.limit, ranked.ranking.ineligible.size()));
  for (size_t i = 0; i < top.ineligible.size(); ++i) {
    const priority::IneligibleRow& row = ranked.ranking.ineligible[i];
    EXPECT_EQ(top.ineligible[i].row.job_id, ranked.jobs[row.job].job_id);
    EXPECT_EQ(top.ineligible[i].reason, ReasonName(queue->snapshot().limits(), row.why));
    EXPECT_FALSE(top.ineligible[i].message.empty());
  }
}

ViewSpec NextSpec(priority::Draw& draw) {
  ViewSpec spec;
  spec.ineligible = draw.OneIn(2);
  spec.limit = draw.Of<uint32_t>({1, 5, 30, 10'000});
  spec.best_only = draw.OneIn(2);
  spec.with_factors = draw.OneIn(2);
  if (draw.OneIn(3)) spec.partitions = {"main"};
  if (draw.OneIn(3)) spec.accounts = {"physics"};
  if (draw.OneIn(3)) spec.users = {"ann", "cat"};
  return spec;
}

std::vector<JobChange> NextChanges(priority::Draw& draw) {
  std::vector<JobChange> changes;
  for (int n = draw.Below(40); n > 0; --n) {
    const std::string id = absl::StrCat(draw.Below(200));
    TrackedJob tracked;
    tracked.job = draw.NextJob();
    tracked.job.job_id = id;
    tracked.job.violation = {};
    if (!tracked.job.submit_time.has_value()) tracked.job.submit_time = priority::kNow;
    changes.push_back({id, draw.OneIn(4) ? "" : PackJob(tracked)});
  }
  return changes;
}

class RandomTops : public testing::TestWithParam<int> {};

// Queue, usage and time change, together and alone.
TEST_P(RandomTops, TheDeltaTurnsTheTopBeforeIntoTheTopAfter) {
  priority::Draw draw(100 + GetParam());
  priority::SmallSite site = draw.Site();
  TrackedQueue queue(site.Build());
  const ViewSpec spec = NextSpec(draw);
  absl::Time as_of = priority::kNow;
  auto before = TopSince(nullptr, spec, queue.state(), as_of);
  for (int step = 0; step < 20; ++step) {
    if (!draw.OneIn(4)) queue.Apply(NextChanges(draw));
    if (draw.OneIn(3)) {
      site.usage["physics/ann"] = draw.Below(500);
      queue.SetSnapshot(site.Build());
    }
    if (draw.OneIn(2)) as_of += absl::Minutes(draw.Below(30));
    const auto after = TopSince(before, spec, queue.state(), as_of);
    ASSERT_LE(after->rows.size(), spec.limit);
    const TopDelta delta = Compare(*before, *after);
    EXPECT_EQ(Applied(*before, *after, delta), Said(*after)) << "step " << step;
    EXPECT_EQ(AppliedToIneligible(*before, *after, delta), SaidOfIneligible(*after));
    EXPECT_EQ(delta.empty(), Said(*before) == Said(*after) &&
                                 SaidOfIneligible(*before) == SaidOfIneligible(*after));
    if (spec.ineligible) ExpectRanksIneligible(*after, spec, queue.state());
    EXPECT_TRUE(spec.ineligible || (after->ineligible.empty() && after->ineligible_total == 0));
    for (const TopDelta::Changed& change : delta.changed) {
      EXPECT_NE(Said(before->rows[change.before]), Said(after->rows[change.after]));
    }
    before = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTops, testing::Range(0, 40));

TEST(RankingTop, TheSameQueueAtTheSameTimeIsNotRankedAgain) {
  TrackedQueue queue(priority::SmallSite().Build());
  ViewSpec spec;
  spec.limit = 10;
  const auto before = TopSince(nullptr, spec, queue.state(), priority::kNow);
  EXPECT_EQ(TopSince(before, spec, queue.state(), priority::kNow), before);
  EXPECT_NE(TopSince(before, spec, queue.state(), priority::kNow + absl::Seconds(1)), before);
  TrackedJob job;
  job.job = priority::JobOf("1");
  queue.Apply({{"1", PackJob(job)}});
  EXPECT_NE(TopSince(before, spec, queue.state(), priority::kNow), before);
}

TEST(RankingTop, FactorsOfOtherTresAreOthers) {
  RankingTop before, after;
  for (RankingTop* top : {&before, &after}) {
    TopRow& row = top->rows.emplace_back();
    row.rank = 1;
    row.factors =
        std::make_unique<priority::PriorityFactors>(priority::PriorityFactors{.tres = {0.5}});
  }
  before.tres = after.tres = {"cpu"};
  EXPECT_TRUE(Compare(before, after).empty());
  after.tres = {"mem"};
  EXPECT_EQ(Compare(before, after).changed.size(), 1u);
}

}  // namespace
}  // namespace priorityd::queue
