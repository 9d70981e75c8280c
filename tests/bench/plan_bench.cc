// A plan of 100,000 waiting jobs on 10,000 nodes, beside a sort of as many.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/plan/plan.h"

namespace {

using priorityd::plan::Backfill;
using priorityd::plan::Cluster;
using priorityd::plan::PlanOptions;
using priorityd::plan::RunningJob;
using priorityd::plan::WaitingJob;

constexpr int kJobs = 100'000;
const absl::Time kNow = absl::FromUnixSeconds(1'000'000'000);

// Four types of 2,500 nodes of 64 CPUs and 256 GB, one with four GPUs; full. A job in five wants
// several nodes, the others some CPUs of one.
struct Site {
  Cluster cluster;
  std::vector<RunningJob> running;
  std::vector<WaitingJob> waiting;
  std::mt19937 random{1};

  Site() {
    for (int type = 0; type < 4; ++type) {
      cluster.types.push_back({2500, {64, 256, type == 0 ? 4 : 0}});
    }
    for (int node = 0; node < 10'000; ++node) {
      for (int half = 0; half < 2; ++half) {
        running.push_back({.request = {1, {32, 128, node < 2500 ? 2 : 0}},
                           .place = {.types = {node / 2500}},
                           .nodes = {node},
                           .end = kNow + absl::Minutes(Draw(1, 24 * 60))});
      }
    }
    for (int job = 0; job < kJobs; ++job) waiting.push_back(Waiting());
  }

  int Draw(int from, int to) { return from + static_cast<int>(random() % (to - from + 1)); }

  WaitingJob Waiting() {
    const int type = Draw(0, 3);
    WaitingJob job{.places = {{.types = {type}}}, .time_limit = absl::Minutes(30 * Draw(1, 96))};
    if (Draw(0, 4) == 0) {
      job.request = {1 << Draw(0, 7), {64, 0, 0}};
    } else {
      job.request = {1, {1 << Draw(0, 5), 4 << Draw(0, 4), type == 0 ? Draw(0, 2) : 0}};
    }
    return job;
  }
};

const Site& TheSite() {
  static const auto* const kSite = new Site();
  return *kSite;
}

void Plan(benchmark::State& state, Backfill backfill, int max_job_test, absl::Duration window) {
  const Site& site = TheSite();
  const PlanOptions options = {
      .backfill = backfill, .max_job_test = max_job_test, .window = window};
  int64_t told = 0;
  for (auto _ : state) {
    const auto plans = PlanStarts(site.cluster, site.running, site.waiting, kNow, options);
    told = std::count_if(plans.begin(), plans.end(),
                         [](const auto& plan) { return plan.start.has_value(); });
  }
  state.counters["starts"] = static_cast<double>(told);
}

// The reference.
void Sort(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> keys(kJobs);
  for (uint64_t& key : keys) key = random();
  for (auto _ : state) {
    std::vector<uint64_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
}

constexpr absl::Duration kDay = absl::Hours(24);

BENCHMARK(Sort)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Plan, easy_500_of_them, Backfill::kEasy, 500, kDay)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Plan, easy, Backfill::kEasy, kJobs, kDay)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Plan, conservative, Backfill::kConservative, kJobs, kDay)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Plan, conservative_week, Backfill::kConservative, kJobs, 7 * kDay)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
