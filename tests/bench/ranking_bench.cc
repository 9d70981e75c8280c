// Ranking in the engine, without any transport, in one run with its reference.
//
// inline/...: Rank() of a queue that came with a request, names and all.
// tracked/...: the first 100 of the tracked queue, beside std::nth_element over as
// many doubles; and what it takes to keep it: memory per job (bytes_per_job, as
// allocated), a new snapshot, updates.
//
// limits/...: the same with limits of every kind on all accounts, root and QOS, none of which is
// reached, beside without any; what a change of one running job takes until the reason of a pending
// one is known; and memory per job.
//
// explain/...: what would let one of two jobs come first, on a tree of 100,000 associations.
//
// usage: ranking_bench [Google Benchmark's flags]
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/explanation/comparison.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/queue_explanation.h"
#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/bench/random_site.h"

namespace priorityd::bench {
namespace {

constexpr size_t kTop = 100;

void Rank(benchmark::State& state, bool with_factors, bool limited = false) {
  const priority::Snapshot& site = Site(limited);
  const RandomQueue queue(state.range(0));
  priority::RankOptions options;
  options.as_of = kNow;
  options.with_factors = with_factors;
  for (auto _ : state) {
    const priority::Ranking ranking = priorityd::priority::Rank(site, queue.jobs(), options);
    if (ranking.ranked.size() != queue.jobs().size()) state.SkipWithError("jobs got lost");
    benchmark::DoNotOptimize(ranking.ranked.front().job);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_RankInline(benchmark::State& state) { Rank(state, false); }
void BM_RankInlineLimited(benchmark::State& state) { Rank(state, false, state.range(1) != 0); }
void BM_RankInlineWithFactors(benchmark::State& state) { Rank(state, true); }

size_t AllocatedBytes() {
  const struct mallinfo2 allocated = mallinfo2();
  return allocated.uordblks + allocated.hblkhd;
}

std::shared_ptr<const priority::Snapshot> SharedSite(bool limited = false) {
  return std::shared_ptr<const priority::Snapshot>(&Site(limited),
                                                   [](const priority::Snapshot*) {});
}

void Fill(queue::TrackedQueue& queue, size_t jobs) {
  constexpr size_t kSlice = 10000;
  for (size_t first = 0; first < jobs; first += kSlice) {
    const RandomQueue slice(std::min(kSlice, jobs - first), first);
    queue::QueueUpdate update(queue, kNow);
    for (const priority::Job& job : slice.jobs()) {
      queue::TrackedJob tracked;
      tracked.job = job;
      update.Upsert(tracked);
    }
    queue.Apply(update.Finish());
  }
}

void QueueTop(benchmark::State& state, bool limited) {
  const std::shared_ptr<const priority::Snapshot> site = SharedSite(limited);
  const size_t before = AllocatedBytes();
  queue::TrackedQueue tracked(site);
  Fill(tracked, state.range(0));
  state.counters["bytes_per_job"] =
      static_cast<double>(AllocatedBytes() - before) / static_cast<double>(state.range(0));
  priority::RankOptions options;
  options.as_of = kNow;
  options.limit = kTop;
  for (auto _ : state) {
    options.as_of += absl::Seconds(1);
    const queue::QueueRanking answer = queue::Rank(tracked.state(), options, 0);
    if (answer.ranking.ranked.size() != kTop) state.SkipWithError("jobs got lost");
  }
}

void BM_QueueTop(benchmark::State& state) { QueueTop(state, false); }
void BM_QueueTopLimited(benchmark::State& state) { QueueTop(state, state.range(1) != 0); }

void StartOrEnd(queue::TrackedQueue& tracked, size_t index) {
  auto job = tracked.Find(absl::StrCat(1000000 + index));
  job->job.state = job->job.state == priority::JobState::kPending ? priority::JobState::kRunning
                                                                  : priority::JobState::kPending;
  job->job.start_time = kNow;
  const queue::JobChange change{std::string(job->job.job_id), queue::PackJob(*job)};
  tracked.Apply({&change, 1});
}

// A job starts or ends, and another one's reason is asked for.
void BM_ReasonAfterAStart(benchmark::State& state) {
  constexpr size_t kJobs = 1000000;
  queue::TrackedQueue tracked(SharedSite(true));
  Fill(tracked, kJobs);
  std::mt19937_64 random(5);
  for (auto _ : state) {
    StartOrEnd(tracked, random() % kJobs);
    const auto state_now = tracked.state();
    const auto asked = tracked.Find(absl::StrCat(1000000 + random() % kJobs));
    const std::vector<uint8_t> no_accrual(1);
    const priority::WholeQueue whole{&state_now->counts(), no_accrual};
    const priority::ScoredQueue scored(state_now->snapshot(), {&asked->job, 1}, kNow, &whole);
    benchmark::DoNotOptimize(scored.ReasonOf(0));
  }
}

// A job starts or ends, and the top is asked for.
void BM_TopAfterAStart(benchmark::State& state) {
  constexpr size_t kJobs = 1000000;
  queue::TrackedQueue tracked(SharedSite(state.range(0) != 0));
  Fill(tracked, kJobs);
  std::mt19937_64 random(5);
  priority::RankOptions options;
  options.as_of = kNow;
  options.limit = kTop;
  for (auto _ : state) {
    StartOrEnd(tracked, random() % kJobs);
    const queue::QueueRanking answer = queue::Rank(tracked.state(), options, 0);
    if (answer.ranking.ranked.size() != kTop) state.SkipWithError("jobs got lost");
  }
}

// Why one of them stands where it stands.
void BM_QueueExplain(benchmark::State& state) {
  queue::TrackedQueue tracked(SharedSite());
  Fill(tracked, state.range(0));
  const std::string job_id = absl::StrCat(1000000 + state.range(0) / 2);
  for (auto _ : state) {
    const auto answer = queue::Explain(tracked.state(), kNow, {job_id, {}, {}});
    if (!answer.ok()) state.SkipWithError("the job got lost");
  }
}

void BM_QueueSnapshot(benchmark::State& state) {
  queue::TrackedQueue tracked(SharedSite());
  Fill(tracked, state.range(0));
  for (auto _ : state) tracked.SetSnapshot(SharedSite());
}

// Jobs anywhere in the queue change their nice value.
void BM_QueueUpdate(benchmark::State& state) {
  constexpr size_t kJobs = 1000000;
  queue::TrackedQueue tracked(SharedSite());
  Fill(tracked, kJobs);
  std::mt19937_64 random(5);
  int nice = 0;
  for (auto _ : state) {
    queue::QueueUpdate update(tracked, kNow);
    ++nice;
    for (int64_t i = 0; i < state.range(0); ++i) {
      auto job = tracked.Find(absl::StrCat(1000000 + random() % kJobs));
      job->job.nice = nice;
      update.Upsert(*job);
    }
    tracked.Apply(update.Finish());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// By FairShareAlgorithm: two jobs of different accounts, the later of which lacks fair-share
// only.
void BM_CompareTo(benchmark::State& state) {
  priority::SnapshotSource source;
  source.computed_at = kNow;
  source.policy.weight_fair_share = 100000;
  source.policy.algorithm = static_cast<priority::FairShareAlgorithm>(state.range(0));
  source.cluster = {"bench", 1000, 64000, {}};
  source.tree = Tree(100'000 / (kUsersPerAccount + 1));
  std::mt19937_64 random(7);
  for (int i = 0; i < source.tree->size(); ++i) {
    source.own_usage.push_back(static_cast<double>(random() % 1000000));
  }
  const std::unique_ptr<const priority::Snapshot> snapshot =
      priority::Snapshot::Compute(std::move(source));
  std::vector<std::string> texts = {"1", User(12345), Account(12345 / kUsersPerAccount),
                                    "2", User(54321), Account(54321 / kUsersPerAccount)};
  std::vector<priority::Job> jobs(2);
  for (const size_t i : {0, 1}) {
    jobs[i].job_id = texts[3 * i];
    jobs[i].user = texts[3 * i + 1];
    jobs[i].account = texts[3 * i + 2];
    jobs[i].submit_time = kNow;
  }
  explanation::CompareOptions options;
  options.as_of = kNow;
  options.job.job_id = texts[0];
  options.compare_to.job_id = texts[3];
  for (auto _ : state) {
    const auto comparison = explanation::Compare(*snapshot, jobs, options);
    if (!comparison.ok() || comparison->changes.size() != 5 || !comparison->changes[1].possible ||
        !comparison->changes[2].possible) {
      state.SkipWithError("usage or shares were not asked about");
    }
  }
}

void BM_NthElement(benchmark::State& state) {
  std::mt19937_64 random(3);
  std::vector<double> values(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    for (double& value : values) value = static_cast<double>(random());
    state.ResumeTiming();
    std::nth_element(values.begin(), values.begin() + kTop, values.end());
    benchmark::DoNotOptimize(values.data());
  }
}

BENCHMARK(BM_RankInline)
    ->Name("inline/rank")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RankInlineWithFactors)
    ->Name("inline/rank_with_factors")
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_QueueTop)->Name("tracked/queue_top_100")->Arg(1000000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RankInlineLimited)
    ->Name("limits/inline_rank")
    ->Args({100000, 0})
    ->Args({100000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_QueueTopLimited)
    ->Name("limits/queue_top_100")
    ->Args({1000000, 0})
    ->Args({1000000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_TopAfterAStart)
    ->Name("limits/top_100_after_a_start")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReasonAfterAStart)->Name("limits/reason_after_a_start")->Unit(benchmark::kMillisecond);
BENCHMARK(BM_QueueExplain)
    ->Name("tracked/queue_explain")
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_QueueSnapshot)
    ->Name("tracked/queue_snapshot")
    ->Arg(1000000)
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_QueueUpdate)
    ->Name("tracked/queue_update")
    ->Arg(1)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CompareTo)
    ->Name("explain/compare_to")
    ->DenseRange(0, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_NthElement)->Name("tracked/nth_element")->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace priorityd::bench

BENCHMARK_MAIN();
