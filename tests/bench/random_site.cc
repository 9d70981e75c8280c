#include "tests/bench/random_site.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/priority/site/limit_kind.h"

namespace priorityd::bench {
namespace {

// Limits of all kinds that an association, or a QOS, can have, of every TRES; none is ever reached.
std::vector<priority::LimitValue> AllLimits(bool of_qos) {
  constexpr double kWide = 1e15;
  std::vector<priority::LimitValue> limits;
  for (size_t i = 0; i < priority::kLimitKinds; ++i) {
    const priority::LimitRule& rule = priority::RuleOf(static_cast<priority::LimitKind>(i));
    if ((of_qos ? rule.qos_name : rule.association_name).empty()) continue;
    const bool jobs = rule.measure == priority::LimitMeasure::kJobs;
    if (jobs || rule.measure == priority::LimitMeasure::kWall) {
      limits.push_back({rule.kind, "", kWide});
      continue;
    }
    for (const char* tres : {"cpu", "mem", "node", "billing", "gres/gpu"}) {
      limits.push_back({rule.kind, tres, rule.is_least ? 0 : kWide});
    }
  }
  return limits;
}

priority::Policy AllWeights() {
  priority::Policy policy;
  policy.weight_age = 1000;
  policy.weight_assoc = 200;
  policy.weight_fair_share = 100000;
  policy.weight_job_size = 500;
  policy.weight_partition = 1000;
  policy.weight_qos = 2000;
  policy.weight_tres = {{"cpu", 100}, {"mem", 100}, {"gres/gpu", 3000}};
  return policy;
}

}  // namespace

std::string Account(int i) { return absl::StrCat("account", i); }
std::string User(int i) { return absl::StrCat("user", i); }

std::shared_ptr<const priority::AssociationTree> Tree(int accounts, bool limited) {
  std::vector<priority::Association> associations(1);
  associations[0].id = 1;
  associations[0].account = "root";
  if (limited) associations[0].limits.others = AllLimits(false);
  int64_t next_id = 2;
  for (int account = 0; account < accounts; ++account) {
    const int64_t parent = next_id;
    associations.emplace_back();
    associations.back().id = next_id++;
    associations.back().parent_id = 1;
    associations.back().account = Account(account);
    if (limited) associations.back().limits.others = AllLimits(false);
    for (int user = 0; user < kUsersPerAccount; ++user) {
      associations.emplace_back();
      associations.back().id = next_id++;
      associations.back().parent_id = parent;
      associations.back().account = Account(account);
      associations.back().user = User(account * kUsersPerAccount + user);
      associations.back().raw_shares = 1 + user % 7;
    }
  }
  return std::make_shared<const priority::AssociationTree>(
      priority::AssociationTree::Build(std::move(associations)).value());
}

const priority::Snapshot& Site(bool limited) {
  const auto make = [](bool with_limits) {
    priority::SnapshotSource source;
    source.computed_at = kNow;
    source.policy = AllWeights();
    source.cluster = {"bench", 1000, 64000, {}};
    for (int i = 0; i < kPartitions; ++i) {
      priority::Partition& partition = source.partitions.emplace_back();
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
      if (with_limits) source.qos.back().other_limits = AllLimits(true);
    }
    source.tree = Tree(kAccounts, with_limits);
    std::mt19937_64 random(7);
    for (int i = 0; i < source.tree->size(); ++i) {
      source.own_usage.push_back(static_cast<double>(random() % 1000000));
    }
    return priority::Snapshot::Compute(std::move(source)).release();
  };
  static const priority::Snapshot& plain = *make(false);
  if (!limited) return plain;
  static const priority::Snapshot& with_limits = *make(true);
  return with_limits;
}

RandomQueue::RandomQueue(size_t size, size_t first) : texts_(size), jobs_(size), first_(first) {
  std::mt19937_64 random(11 + first);
  for (size_t i = 0; i < size; ++i) Fill(random, i);
}

void RandomQueue::Fill(std::mt19937_64& random, size_t i) {
  const int user = static_cast<int>(random() % (kAccounts * kUsersPerAccount));
  Texts& texts = texts_[i];
  texts = {absl::StrCat(1000000 + first_ + i), User(user), Account(user / kUsersPerAccount),
           absl::StrCat("partition", random() % kPartitions), absl::StrCat("qos", random() % kQos)};
  priority::Job& job = jobs_[i];
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

}  // namespace priorityd::bench
