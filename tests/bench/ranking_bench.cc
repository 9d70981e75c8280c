// Ranking in the engine, without any transport, in one run with its reference.
//
// inline/...: Rank() of a queue that came with a request, names and all.
// tracked/...: scoring and the first 100 of a queue that is resolved already,
// beside std::nth_element over as many doubles.
//
// usage: ranking_bench [Google Benchmark's flags]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job_table.h"
#include "server/priority/ranking.h"
#include "server/priority/scoring.h"
#include "server/priority/snapshot.h"
#include "server/priority/start_order.h"

namespace priorityd {
namespace {

constexpr int kAccounts = 200;
constexpr int kUsersPerAccount = 100;
constexpr int kPartitions = 8;
constexpr int kQos = 6;
constexpr size_t kTop = 100;
const absl::Time kNow = absl::FromUnixSeconds(1800000000);

std::string Account(int i) { return absl::StrCat("account", i); }
std::string User(int i) { return absl::StrCat("user", i); }

std::shared_ptr<const AssociationTree> Tree() {
  std::vector<Association> associations(1);
  associations[0].id = 1;
  associations[0].account = "root";
  int64_t next_id = 2;
  for (int account = 0; account < kAccounts; ++account) {
    const int64_t parent = next_id;
    associations.emplace_back();
    associations.back().id = next_id++;
    associations.back().parent_id = 1;
    associations.back().account = Account(account);
    for (int user = 0; user < kUsersPerAccount; ++user) {
      associations.emplace_back();
      associations.back().id = next_id++;
      associations.back().parent_id = parent;
      associations.back().account = Account(account);
      associations.back().user = User(account * kUsersPerAccount + user);
      associations.back().raw_shares = 1 + user % 7;
    }
  }
  return std::make_shared<const AssociationTree>(
      AssociationTree::Build(std::move(associations)).value());
}

Policy AllWeights() {
  Policy policy;
  policy.weight_age = 1000;
  policy.weight_assoc = 200;
  policy.weight_fair_share = 100000;
  policy.weight_job_size = 500;
  policy.weight_partition = 1000;
  policy.weight_qos = 2000;
  policy.weight_tres = {{"cpu", 100}, {"mem", 100}, {"gres/gpu", 3000}};
  return policy;
}

const Snapshot& Site() {
  static const Snapshot& site = *[] {
    SnapshotSource source;
    source.computed_at = kNow;
    source.policy = AllWeights();
    source.cluster = {"bench", 1000, 64000, {}};
    for (int i = 0; i < kPartitions; ++i) {
      Partition& partition = source.partitions.emplace_back();
      partition.name = absl::StrCat("partition", i);
      partition.is_default = i == 0;
      partition.nodes = 1000;
      partition.tres = {{"cpu", 64000}, {"mem", 256e6}, {"node", 1000}, {"gres/gpu", 4000}};
      partition.priority_job_factor = i;
      partition.priority_tier = i < 6 ? 1 : 2;
      partition.billing_weights = {{"cpu", 1}, {"mem", 0.0002}, {"gres/gpu", 8}};
    }
    for (int i = 0; i < kQos; ++i) {
      source.qos.emplace_back();
      source.qos.back().name = absl::StrCat("qos", i);
      source.qos.back().priority = 10 * i;
    }
    source.tree = Tree();
    std::mt19937_64 random(7);
    for (int i = 0; i < source.tree->size(); ++i) {
      source.own_usage.push_back(static_cast<double>(random() % 1000000));
    }
    return new Snapshot(std::move(source));
  }();
  return site;
}

// Jobs and the strings that they point into.
class RandomQueue {
 public:
  explicit RandomQueue(size_t size) : texts_(size), jobs_(size) {
    std::mt19937_64 random(11);
    for (size_t i = 0; i < size; ++i) Fill(random, i);
  }

  absl::Span<const Job> jobs() const { return jobs_; }

 private:
  struct Texts {
    std::string job_id, user, account, partition, qos;
  };

  void Fill(std::mt19937_64& random, size_t i) {
    const int user = static_cast<int>(random() % (kAccounts * kUsersPerAccount));
    Texts& texts = texts_[i];
    texts = {absl::StrCat(1000000 + i), User(user), Account(user / kUsersPerAccount),
             absl::StrCat("partition", random() % kPartitions),
             absl::StrCat("qos", random() % kQos)};
    Job& job = jobs_[i];
    job.job_id = texts.job_id;
    job.user = texts.user;
    job.account = texts.account;
    job.partitions.push_back(texts.partition);
    job.qos.push_back(texts.qos);
    job.submit_time = kNow - absl::Seconds(random() % 1000000);
    job.eligible_time = job.submit_time;
    job.nodes = 1 + random() % 16;
    job.cpus = 64 * job.nodes;
    job.tres.emplace_back("mem", 4096.0 * job.nodes);
    job.tres.emplace_back("gres/gpu", static_cast<double>(random() % 4));
    job.time_limit = absl::Hours(1 + random() % 48);
  }

  std::vector<Texts> texts_;
  std::vector<Job> jobs_;
};

void Rank(benchmark::State& state, bool with_factors) {
  const Snapshot& site = Site();
  const RandomQueue queue(state.range(0));
  RankOptions options;
  options.as_of = kNow;
  options.with_factors = with_factors;
  for (auto _ : state) {
    const Ranking ranking = priorityd::Rank(site, queue.jobs(), options);
    if (ranking.ranked.size() != queue.jobs().size()) state.SkipWithError("jobs got lost");
    benchmark::DoNotOptimize(ranking.ranked.front().job);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_RankInline(benchmark::State& state) { Rank(state, false); }
void BM_RankInlineWithFactors(benchmark::State& state) { Rank(state, true); }

void BM_ScoreAndTop(benchmark::State& state) {
  const Snapshot& site = Site();
  const RandomQueue queue(state.range(0));
  const FactorScale scale(site);
  const JobTable table = BuildJobTable(scale, queue.jobs(), kNow);
  std::vector<uint32_t> priorities;
  absl::Time as_of = kNow;
  for (auto _ : state) {
    as_of += absl::Seconds(1);
    Score(table, scale, as_of, priorities);
    const StartOrder order(site, table, priorities, as_of);
    benchmark::DoNotOptimize(order.Top(kTop, /*best_only=*/false).data());
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
BENCHMARK(BM_ScoreAndTop)
    ->Name("tracked/score_and_top_100")
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_NthElement)->Name("tracked/nth_element")->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace priorityd

BENCHMARK_MAIN();
