// Forecasts in a queue of 10,000 waiting jobs, beside a sort of as many.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/forecast/forecaster.h"

namespace {

using priorityd::forecast::Forecaster;
using priorityd::forecast::Job;
using priorityd::forecast::kLevels;
using priorityd::forecast::Seconds;

constexpr int kJobs = 10'000;

Job RandomJob(std::mt19937* random, Seconds now) {
  Job job;
  job.submit_time = now;
  job.cpus = 1 + (*random)() % 64;
  job.limit = 600.0 * (1 + (*random)() % 100);
  job.user = "u" + std::to_string((*random)() % 200);
  job.account = "a" + std::to_string((*random)() % 20);
  job.partition = "p" + std::to_string((*random)() % 4);
  return job;
}

// A forest of 10,000 examples; then 10,000 jobs wait and 2,000 run.
struct Site {
  std::mt19937 random{1};
  Forecaster forecaster;
  Seconds now = 1'000'000'000;

  Site() {
    for (int i = 0; i < kJobs; ++i) Run(i, 60 + random() % 100'000);
    forecaster.TrainIfDue(now);
    for (int i = 0; i < 2'000; ++i) {
      Submit(kJobs + i);
      forecaster.Start(std::to_string(kJobs + i), now += 5);
    }
    for (int i = 0; i < kJobs; ++i) Submit(2 * kJobs + i);
  }

  void Submit(int id) {
    Job job = RandomJob(&random, now);
    job.id = std::to_string(id);
    forecaster.Submit(job);
  }

  void Run(int id, Seconds wait) {
    Submit(id);
    forecaster.Start(std::to_string(id), now += wait);
    forecaster.End(std::to_string(id), now += 60);
  }
};

Site& TheSite() {
  static auto* const kSite = new Site();
  return *kSite;
}

void NewJob(benchmark::State& state) {
  Site& site = TheSite();
  const Job job = RandomJob(&site.random, site.now);
  for (auto _ : state) {
    // A second later each time: the profile of running jobs is made again.
    benchmark::DoNotOptimize(site.forecaster.ForecastNew(job, ++site.now, kLevels));
  }
}

void AllWaiting(benchmark::State& state) {
  Site& site = TheSite();
  for (auto _ : state) {
    for (int i = 0; i < kJobs; ++i) {
      benchmark::DoNotOptimize(
          site.forecaster.Forecast(std::to_string(2 * kJobs + i), site.now, kLevels));
    }
  }
}

void Influences(benchmark::State& state) {
  Site& site = TheSite();
  for (auto _ : state) {
    benchmark::DoNotOptimize(site.forecaster.Influences(std::to_string(2 * kJobs), 3));
  }
}

void Training(benchmark::State& state) {
  const auto training = TheSite().forecaster.NextTraining();
  for (auto _ : state) benchmark::DoNotOptimize(training.Run());
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

BENCHMARK(Sort)->Name("forecast/sort")->Unit(benchmark::kMillisecond);
BENCHMARK(NewJob)->Name("forecast/new_job")->Unit(benchmark::kMillisecond);
BENCHMARK(AllWaiting)->Name("forecast/all_waiting")->Unit(benchmark::kMillisecond);
BENCHMARK(Influences)->Name("forecast/influences")->Unit(benchmark::kMillisecond);
BENCHMARK(Training)->Name("forecast/training")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
