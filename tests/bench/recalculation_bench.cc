// Recalculation by Fair Tree (decay of all usage rows, roll-up, ranks) beside
// std::sort of as many random doubles, in one run. Prints Google Benchmark's
// table to stderr, then one JSON line per shape and size.
//
// usage: recalculation_bench [Google Benchmark's flags]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"
#include "engine/priority/fair_share/usage_decay.h"

namespace priorityd {
namespace {

constexpr int kSizes[] = {1000, 10000, 100000, 1000000};
constexpr char kReference[] = "std::sort";
constexpr double kTarget = 1;
constexpr int kRepetitions = 7;

// How many users an account has, and whether each account is below the last.
struct Shape {
  const char* name;
  int users_per_account;
  bool chained;
};
constexpr Shape kShapes[] = {
    {"300_users_per_account", 300, false},
    {"one_account", 1000000, false},
    {"chain_of_accounts", 9, true},
};

// Random figures for one iteration after another: always other ones, since a
// branch predictor learns a small input by heart.
class FreshValues {
 public:
  template <typename Draw>
  FreshValues(size_t size, Draw draw) : size_(size), pool_(std::max(kPoolSize, 2 * size)) {
    std::generate(pool_.begin(), pool_.end(), draw);
  }

  std::vector<double> Next() {
    if (next_ + size_ > pool_.size()) next_ = 0;
    const auto begin = pool_.begin() + next_;
    next_ += size_ / 2 + 1;
    return std::vector<double>(begin, begin + size_);
  }

 private:
  static constexpr size_t kPoolSize = 1000000;

  size_t size_;
  size_t next_ = 0;
  std::vector<double> pool_;
};

// A cluster between two recalculations.
struct Site {
  priority::AssociationTree tree;
  FreshValues usage;
  std::vector<absl::Time> as_of;
  priority::UsageDecay decay;
  absl::Time now;
};

std::vector<priority::Association> Associations(const Shape& shape, int size,
                                                std::mt19937_64* random) {
  std::uniform_int_distribution<uint32_t> shares(1, 100);
  std::vector<priority::Association> all(1);
  all[0].id = 1;
  all[0].account = "root";
  int64_t account = 1;
  for (int i = 0; static_cast<int>(all.size()) < size; ++i) {
    priority::Association a;
    a.id = static_cast<int64_t>(all.size()) + 1;
    a.raw_shares = shares(*random);
    if (i % (shape.users_per_account + 1) == 0) {
      a.account = absl::StrCat("account", i);
      a.parent_id = shape.chained ? account : 1;
      account = a.id;
    } else {
      a.account = all[account - 1].account;
      a.user = absl::StrCat("user", i);
      a.parent_id = account;
    }
    all.push_back(std::move(a));
  }
  return all;
}

Site MakeSite(const Shape& shape, int size) {
  std::mt19937_64 random(7);
  priority::AssociationTree tree =
      priority::AssociationTree::Build(Associations(shape, size, &random)).value();
  std::exponential_distribution<double> usage(1e-6);
  std::uniform_int_distribution<int64_t> age(0, 14 * 86400);
  const absl::Time now = absl::FromUnixSeconds(1800000000);
  FreshValues rows(size, [&] { return usage(random); });
  std::vector<absl::Time> as_of;
  for (int i = 0; i < size; ++i) as_of.push_back(now - absl::Seconds(age(random)));
  priority::UsageDecay decay({{absl::InfinitePast(), absl::Hours(7 * 24)}}, priority::ResetRule());
  return {std::move(tree), std::move(rows), std::move(as_of), std::move(decay), now};
}

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void Recalculate(benchmark::State& state, const Shape& shape) {
  Site site = MakeSite(shape, static_cast<int>(state.range(0)));
  const priority::Policy policy;
  for (auto _ : state) {
    std::vector<double> usage = site.usage.Next();
    const Stopwatch stopwatch;
    site.decay.CarryAll(absl::MakeSpan(usage), site.as_of, site.now);
    const priority::FairShare result =
        priority::ComputeFairShare(site.tree, policy, std::move(usage), 0);
    benchmark::DoNotOptimize(result.fair_share.data());
    state.SetIterationTime(stopwatch.Seconds());
  }
}

void Sort(benchmark::State& state) {
  std::mt19937_64 random(7);
  FreshValues unsorted(state.range(0), [&] { return std::generate_canonical<double, 53>(random); });
  for (auto _ : state) {
    std::vector<double> values = unsorted.Next();
    const Stopwatch stopwatch;
    std::sort(values.begin(), values.end());
    benchmark::DoNotOptimize(values.data());
    state.SetIterationTime(stopwatch.Seconds());
  }
}

// Shows the table and keeps the best time of each benchmark: what else runs on
// the machine only ever adds.
class BestTimes : public benchmark::ConsoleReporter {
 public:
  BestTimes() : benchmark::ConsoleReporter(OO_Tabular) { SetOutputStream(&std::cerr); }

  void ReportRuns(const std::vector<Run>& runs) override {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = absl::StrCat(run.run_name.function_name, "/", run.run_name.args);
      const double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      const auto [best, is_new] = seconds_.emplace(name, seconds);
      if (!is_new) best->second = std::min(best->second, seconds);
    }
  }

  // 0 if it did not run.
  double Of(const std::string& name) const {
    const auto found = seconds_.find(name);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, double> seconds_;
};

void PrintComparison(const BestTimes& times, const Shape& shape, int size) {
  const double value = times.Of(absl::StrCat("recalculation_", shape.name, "/", size));
  const double reference = times.Of(absl::StrCat(kReference, "/", size));
  if (value == 0 || reference == 0) return;
  std::printf(
      "{\"name\":\"recalculation_%s_%d\",\"value\":%.4g,\"reference\":%.4g,\"ratio\":%.3f,"
      "\"target\":%g,\"higher_is_better\":false,\"unit\":\"ms\"}\n",
      shape.name, size, value * 1e3, reference * 1e3, value / reference, kTarget);
}

void Register(benchmark::internal::Benchmark* benchmark, int size) {
  benchmark->Arg(size)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Repetitions(kRepetitions)
      ->MinTime(0.05);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const int size : kSizes) {
    Register(benchmark::RegisterBenchmark(kReference, Sort), size);
    for (const Shape& shape : kShapes) {
      Register(benchmark::RegisterBenchmark(
                   absl::StrCat("recalculation_", shape.name).c_str(),
                   [shape](benchmark::State& state) { Recalculate(state, shape); }),
               size);
    }
  }
  BestTimes times;
  benchmark::RunSpecifiedBenchmarks(&times);
  for (const Shape& shape : kShapes) {
    for (const int size : kSizes) PrintComparison(times, shape, size);
  }
  return 0;
}

}  // namespace
}  // namespace priorityd

int main(int argc, char** argv) { return priorityd::Main(argc, argv); }
