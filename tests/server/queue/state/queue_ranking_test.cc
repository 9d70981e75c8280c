// The ranking of the tracked queue, compared with the engine's of a plain list.
#include "server/queue/state/queue_ranking.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/explanation/reason_text.h"
#include "engine/priority/jobs/job_id.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/queue_explanation.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/naive_ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

struct ByJobId {
  bool operator()(const std::string& a, const std::string& b) const {
    return priority::CompareJobIds(a, b) < 0;
  }
};
using PackedById = std::map<std::string, std::string, ByJobId>;

std::vector<priority::Job> JobsOf(const PackedById& packed) {
  std::vector<priority::Job> jobs;
  for (const auto& [job_id, bytes] : packed) jobs.push_back(UnpackJob(bytes).job);
  return jobs;
}

std::vector<double> Numbers(const priority::PriorityFactors* factors) {
  if (factors == nullptr) return {};
  std::vector<double> numbers = {factors->age,      factors->assoc,     factors->fair_share,
                                 factors->job_size, factors->partition, factors->qos,
                                 factors->site,     factors->nice};
  numbers.insert(numbers.end(), factors->tres.begin(), factors->tres.end());
  return numbers;
}

void ExpectSameRow(const priority::JobRow& got, absl::Span<const priority::Job> got_jobs,
                   const priority::JobRow& want, absl::Span<const priority::Job> want_jobs) {
  EXPECT_EQ(got_jobs[got.job].job_id, want_jobs[want.job].job_id);
  EXPECT_EQ(got.partition, want.partition);
  EXPECT_EQ(got.qos, want.qos);
  EXPECT_EQ(got.association, want.association);
  EXPECT_EQ(got.priority, want.priority);
  EXPECT_EQ(Numbers(got.factors.get()), Numbers(want.factors.get()));
  EXPECT_EQ(Numbers(got.contributions.get()), Numbers(want.contributions.get()));
}

void ExpectSameReason(const QueueRanking& answer, const priority::IneligibleRow& got,
                      const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                      const priority::IneligibleRow& want) {
  EXPECT_EQ(got.why.reason, want.why.reason);
  const std::string text =
      explanation::ReasonText(answer.state->snapshot(), answer.jobs[got.job], got, got.why);
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text, explanation::ReasonText(snapshot, jobs[want.job], want, want.why));
}

void ExpectSame(const QueueRanking& answer, const priority::Snapshot& snapshot,
                const priority::Ranking& want, absl::Span<const priority::Job> jobs) {
  const priority::Ranking& got = answer.ranking;
  EXPECT_EQ(got.ranked_total, want.ranked_total);
  EXPECT_EQ(got.ineligible_total, want.ineligible_total);
  ASSERT_EQ(got.ranked.size(), want.ranked.size());
  for (size_t i = 0; i < got.ranked.size(); ++i) {
    ExpectSameRow(got.ranked[i], answer.jobs, want.ranked[i], jobs);
    EXPECT_EQ(got.ranked[i].rank, want.ranked[i].rank);
    EXPECT_EQ(got.ranked[i].best_of_job, want.ranked[i].best_of_job);
  }
  ASSERT_EQ(got.ineligible.size(), want.ineligible.size());
  for (size_t i = 0; i < got.ineligible.size(); ++i) {
    ExpectSameRow(got.ineligible[i], answer.jobs, want.ineligible[i], jobs);
    ExpectSameReason(answer, got.ineligible[i], snapshot, jobs, want.ineligible[i]);
  }
  ASSERT_EQ(got.running.size(), want.running.size());
  for (size_t i = 0; i < got.running.size(); ++i) {
    ExpectSameRow(got.running[i], answer.jobs, want.running[i], jobs);
  }
}

void ExpectSameExplanation(const absl::StatusOr<QueueExplanation>& got,
                           const absl::StatusOr<explanation::Explanation>& want) {
  ASSERT_EQ(got.ok(), want.ok());
  if (!got.ok()) return;
  EXPECT_EQ(got->explanation.rank, want->rank);
  EXPECT_EQ(got->explanation.ranked_total, want->ranked_total);
  EXPECT_EQ(got->explanation.ineligible_message, want->ineligible_message);
  EXPECT_EQ(got->explanation.sum, want->sum);
  EXPECT_EQ(got->explanation.sentences, want->sentences);
}

// From microseconds to months before and after.
absl::Time SomeTime(priority::Draw& draw) {
  const absl::Duration unit = draw.Of<absl::Duration>(
      {absl::Microseconds(1), absl::Seconds(1), absl::Minutes(10), absl::Hours(24)});
  return priority::kNow + (draw.Below(120) - 40) * unit;
}

class RandomTrackedQueues : public testing::TestWithParam<int> {};

// Upserts, removals and new snapshots, a few chunks' worth of jobs.
TEST_P(RandomTrackedQueues, AreRankedAsTheEngineRanksThePlainList) {
  priority::Draw draw(7000 + GetParam());
  priority::SmallSite site = draw.Site();
  std::shared_ptr<const priority::Snapshot> snapshot = site.Build();
  TrackedQueue queue(snapshot);
  PackedById model;
  for (int step = 0; step < 30; ++step) {
    std::vector<JobChange> changes;
    for (int n = draw.Below(step < 3 ? 600 : 60); n > 0; --n) {
      const std::string id = std::to_string(draw.Below(1500));
      TrackedJob tracked;
      tracked.job = draw.NextJob();
      tracked.job.job_id = id;
      tracked.job.violation = {};
      if (!tracked.job.submit_time.has_value()) tracked.job.submit_time = priority::kNow;
      const bool removed = draw.OneIn(4);
      changes.push_back({id, removed ? "" : PackJob(tracked)});
      model.erase(id);
      if (!removed) model[id] = changes.back().packed;
    }
    queue.Apply(changes);
    if (draw.OneIn(4)) {
      site.usage["physics/ann"] = draw.Below(500);
      snapshot = site.Build();
      queue.SetSnapshot(snapshot);
    }
    ASSERT_EQ(queue.state()->jobs(), model.size());
    priority::RankOptions options = draw.Options();
    options.as_of = SomeTime(draw);
    const std::vector<priority::Job> jobs = JobsOf(model);
    const QueueRanking got = Rank(queue.state(), options, SIZE_MAX);
    ExpectSame(got, *snapshot, priorityd::priority::Rank(*snapshot, jobs, options), jobs);
    if (!jobs.empty()) {
      const priority::Job& some = jobs[draw.Below(static_cast<int>(jobs.size()))];
      explanation::ExplainOptions explain;
      explain.as_of = options.as_of;
      explain.job_id = some.job_id;
      ExpectSameExplanation(Explain(queue.state(), options.as_of, {some.job_id, {}, {}}),
                            priorityd::explanation::Explain(*snapshot, jobs, explain));
    }
    if (HasFailure()) FAIL() << "seed " << GetParam() << " step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrackedQueues, testing::Range(0, 20));

// A row in the words of the naive ranking.
priority::NaiveRow InWords(const QueueRanking& answer, const priority::JobRow& row) {
  const priority::Snapshot& snapshot = answer.state->snapshot();
  priority::NaiveRow words;
  words.job_id = std::string(answer.jobs[row.job].job_id);
  if (row.partition >= 0) words.partition = snapshot.partitions()[row.partition].name;
  if (row.qos >= 0) words.qos = snapshot.qos()[row.qos].name;
  words.priority = row.priority;
  return words;
}

std::vector<priority::NaiveRow> RankedInWords(const QueueRanking& answer) {
  std::vector<priority::NaiveRow> rows;
  for (const priority::RankedRow& row : answer.ranking.ranked) {
    rows.push_back(InWords(answer, row));
    rows.back().best_of_job = row.best_of_job;
  }
  return rows;
}

// A queue of several chunks whose jobs tie in many ways.
PackedById ManyJobs(priority::Draw& draw, int jobs) {
  PackedById model;
  for (int i = 0; i < jobs; ++i) {
    const std::string id = std::to_string(i);
    TrackedJob tracked;
    tracked.job = draw.NextJob();
    tracked.job.job_id = id;
    tracked.job.violation = {};
    if (!tracked.job.submit_time.has_value()) tracked.job.submit_time = priority::kNow;
    model[id] = PackJob(tracked);
  }
  return model;
}

std::vector<JobChange> Upserts(const PackedById& model) {
  std::vector<JobChange> changes;
  for (const auto& [id, packed] : model) changes.push_back({id, packed});
  return changes;
}

class FirstOfManyJobs : public testing::TestWithParam<int> {};

// With everything a policy can say, every filter, and few rows wanted, at many times.
TEST_P(FirstOfManyJobs, AreThoseOfTheNaiveRanking) {
  priority::Draw draw(9000 + GetParam());
  const std::shared_ptr<const priority::Snapshot> snapshot = draw.Site().Build();
  TrackedQueue queue(snapshot);
  const PackedById model = ManyJobs(draw, 900);
  queue.Apply(Upserts(model));
  const std::vector<priority::Job> jobs = JobsOf(model);
  for (int step = 0; step < 6; ++step) {
    priority::RankOptions options = draw.Options();
    options.with_factors = false;
    options.limit = draw.Of<size_t>({0, 1, 3, 20, 100, 300});
    options.ineligible_limit = draw.Of<size_t>({0, 0, 5});
    options.as_of = SomeTime(draw);
    const QueueRanking got = Rank(queue.state(), options, draw.OneIn(2) ? 0 : SIZE_MAX);
    const priority::NaiveRanking want = priority::NaiveRank(*snapshot, jobs, options);
    EXPECT_EQ(RankedInWords(got), want.ranked);
    EXPECT_EQ(got.ranking.ranked_total, want.ranked_total);
    EXPECT_EQ(got.ranking.ineligible_total, want.ineligible_total);
    EXPECT_EQ(got.ranking.ineligible.size(), want.ineligible.size());
    EXPECT_EQ(got.running_total, want.running.size());
    if (HasFailure()) FAIL() << "seed " << GetParam() << " step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FirstOfManyJobs, testing::Range(0, 60));

// Some jobs of every chunk begin later, are held or run, and none is submitted when
// another is.
TEST(QueueRanking, AFewFirstRowsOfALongQueueAreFoundAmongFewRows) {
  constexpr int kJobs = 40'000;
  priority::SmallSite site;
  site.source.policy.weight_age = 100'000;
  site.source.policy.weight_fair_share = 100'000;
  site.source.policy.weight_qos = 1000;
  site.usage = {{"physics/ann", 300}, {"physics/bob", 100}};
  TrackedQueue queue(site.Build());
  PackedById model;
  for (int i = 0; i < kJobs; ++i) {
    const std::string id = std::to_string(i);
    TrackedJob tracked;
    tracked.job = priority::JobOf(id);
    tracked.job.user = i % 3 == 0 ? "bob" : "ann";
    tracked.job.submit_time = priority::kNow - absl::Seconds(int64_t{i} * 7919 % kJobs);
    if (i % 50 == 1) tracked.job.eligible_time = priority::kNow + absl::Minutes(i % 90);
    if (i % 50 == 2) tracked.job.hold = priority::Hold::kUser;
    if (i % 50 == 3) tracked.job.state = priority::JobState::kRunning;
    model[id] = PackJob(tracked);
  }
  queue.Apply(Upserts(model));
  const std::vector<priority::Job> jobs = JobsOf(model);
  for (const absl::Duration after : {absl::ZeroDuration(), absl::Minutes(5), absl::Hours(12)}) {
    priority::RankOptions options = priority::Now();
    options.as_of += after;
    options.limit = 20;
    options.ineligible_limit = 0;
    const QueueRanking got = Rank(queue.state(), options, 0);
    EXPECT_LT(got.rows_scored, kJobs / 20) << after;
    EXPECT_EQ(got.running_total, kJobs / 50);
    const priority::Ranking want =
        priorityd::priority::Rank(queue.state()->snapshot(), jobs, options);
    EXPECT_EQ(got.ranking.ranked_total, want.ranked_total);
    EXPECT_EQ(got.ranking.ineligible_total, want.ineligible_total);
    EXPECT_EQ(priority::JobIds(got.ranking, got.jobs), priority::JobIds(want, jobs));
  }
}

TEST(QueueRanking, AnOlderStateIsNotTouchedByLaterChanges) {
  const std::shared_ptr<const priority::Snapshot> snapshot = priority::SmallSite().Build();
  TrackedQueue queue(snapshot);
  TrackedJob job;
  job.job = priority::JobOf("1");
  queue.Apply(std::vector<JobChange>{{"1", PackJob(job)}});
  const auto before = queue.state();
  queue.Apply(std::vector<JobChange>{{"1", ""}});
  EXPECT_EQ(Rank(before, priority::Now(), 0).ranking.ranked_total, 1);
  EXPECT_EQ(Rank(queue.state(), priority::Now(), 0).ranking.ranked_total, 0);
}

// One row each, so that whole chunks are passed over.
TEST(QueueRanking, AFilterThatFewJobsPassFindsThemAll) {
  const std::shared_ptr<const priority::Snapshot> snapshot = priority::SmallSite().Build();
  TrackedQueue queue(snapshot);
  PackedById model;
  std::vector<JobChange> changes;
  for (int i = 0; i < 3000; ++i) {
    const std::string id = std::to_string(i);
    TrackedJob tracked;
    tracked.job = priority::JobOf(id);
    tracked.job.submit_time = priority::kNow - absl::Minutes(i % 100);
    if (i % 701 == 5) {
      tracked.job.user = "cat";
      tracked.job.account = "chemistry";
      if (i % 2 == 0) tracked.job.state = priority::JobState::kRunning;
      if (i % 3 == 0) tracked.job.hold = priority::Hold::kUser;
    }
    changes.push_back({id, PackJob(tracked)});
    model[id] = changes.back().packed;
  }
  queue.Apply(changes);
  priority::RankOptions options = priority::Now();
  options.users = {"cat"};
  const std::vector<priority::Job> jobs = JobsOf(model);
  const QueueRanking answer = Rank(queue.state(), options, SIZE_MAX);
  EXPECT_EQ(answer.jobs.size(), 5u);
  ExpectSame(answer, *snapshot, priorityd::priority::Rank(*snapshot, jobs, options), jobs);
}

TEST(QueueRanking, RunningJobsAreLimitedAndCounted) {
  const std::shared_ptr<const priority::Snapshot> snapshot = priority::SmallSite().Build();
  TrackedQueue queue(snapshot);
  std::vector<JobChange> changes;
  for (const char* id : {"3", "10", "2"}) {
    TrackedJob job;
    job.job = priority::JobOf(id);
    job.job.state = priority::JobState::kRunning;
    changes.push_back({id, PackJob(job)});
  }
  queue.Apply(changes);
  const QueueRanking answer = Rank(queue.state(), priority::Now(), 2);
  EXPECT_EQ(answer.running_total, 3);
  ASSERT_EQ(answer.ranking.running.size(), 2);
  EXPECT_EQ(answer.jobs[answer.ranking.running[1].job].job_id, "3");
}

}  // namespace
}  // namespace priorityd::queue
