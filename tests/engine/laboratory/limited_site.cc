#include "tests/engine/laboratory/limited_site.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

using priority::LimitKind;
using priority::LimitValue;

constexpr int kUsers = 6;
constexpr int kFewNodes = 4;

int Below(std::mt19937_64& random, int n) { return static_cast<int>(random() % n); }
bool OneIn(std::mt19937_64& random, int n) { return Below(random, n) == 0; }

// Values that bind on a cluster of some 24 CPUs; those of a QOS or an association.
std::vector<LimitValue> SomeLimits(std::mt19937_64& random, bool of_qos) {
  std::vector<LimitValue> all = {
      {LimitKind::kGrpJobs, "", 2.0 + Below(random, 6)},
      {LimitKind::kMaxJobs, "", 1.0 + Below(random, 4)},
      {LimitKind::kMaxWall, "", 60.0 * (5 + Below(random, 20))},
      {LimitKind::kGrpTres, "cpu", 4.0 + Below(random, 16)},
      {LimitKind::kGrpTres, "node", 2.0 + Below(random, 6)},
      {LimitKind::kGrpTresRunMins, "cpu", 20.0 + Below(random, 100)},
      {LimitKind::kMaxTresMins, "cpu", 10.0 + Below(random, 60)},
      {LimitKind::kMaxTres, "cpu", 3.0 + Below(random, 10)},
      {LimitKind::kMaxTresPerNode, "cpu", 1.0 + Below(random, 4)},
      {LimitKind::kMaxTresRunMins, "cpu", 20.0 + Below(random, 80)},
  };
  if (of_qos) {
    all.push_back({LimitKind::kMaxJobsPerAccount, "", 2.0 + Below(random, 4)});
    all.push_back({LimitKind::kMaxTresPerAccount, "cpu", 4.0 + Below(random, 10)});
    all.push_back({LimitKind::kMaxTresPerUser, "cpu", 3.0 + Below(random, 8)});
    all.push_back({LimitKind::kMinTres, "cpu", 1.0 + Below(random, 2)});
  }
  std::vector<LimitValue> some;
  for (LimitValue& value : all) {
    if (OneIn(random, 6)) some.push_back(std::move(value));
  }
  return some;
}

void LimitAssociation(std::mt19937_64& random, priority::AssociationLimits* limits) {
  limits->others = SomeLimits(random, false);
  if (OneIn(random, 4)) limits->grp_tres_mins["cpu"] = 40 + Below(random, 200);
  if (OneIn(random, 6)) limits->grp_tres_mins["billing"] = 40 + Below(random, 200);
  if (OneIn(random, 6)) limits->grp_wall = absl::Minutes(30 + Below(random, 90));
}

priority::Qos SomeQos(std::mt19937_64& random, const std::string& name) {
  priority::Qos qos;
  qos.name = name;
  qos.priority = Below(random, 100);
  const double factors[] = {0, 0.1, 0.5, 1, 1, 3};
  qos.usage_factor = factors[Below(random, 6)];
  qos.no_decay = OneIn(random, 4);
  qos.no_reserve = OneIn(random, 4);
  qos.limit_factor = OneIn(random, 4) ? 2 : 1;
  qos.over_part_qos = OneIn(random, 3);
  qos.other_limits = SomeLimits(random, true);
  if (OneIn(random, 4)) qos.grp_tres_mins["cpu"] = 40 + Below(random, 200);
  if (OneIn(random, 4)) qos.grp_wall = absl::Minutes(30 + Below(random, 90));
  if (OneIn(random, 5)) {
    qos.enforce_usage_threshold = true;
    qos.usage_threshold = 0.3;
  }
  return qos;
}

priority::Partition SomePartition(std::mt19937_64& random, const std::string& name, double nodes,
                                  double cpus) {
  priority::Partition partition;
  partition.name = name;
  partition.nodes = nodes;
  partition.tres = {{"cpu", cpus}, {"node", nodes}};
  partition.priority_job_factor = Below(random, 10);
  partition.priority_tier = 1 + Below(random, 2);
  partition.billing_weights["cpu"] = 1 + Below(random, 2);
  if (OneIn(random, 3)) partition.default_time = absl::Minutes(10);
  if (OneIn(random, 3)) partition.qos = "q3";
  return partition;
}

}  // namespace

Site LimitedSite(std::mt19937_64& random) {
  SmallSite small(kFewNodes, 2, 0);
  Site& site = small.site;
  NodeShape& large = site.nodes.emplace_back();
  for (int i = 0; i < kFewNodes; ++i) large.names.push_back(absl::StrCat("big", i));
  large.tres["cpu"] = 4;
  large.partitions = {"big", "all"};
  site.nodes[0].partitions.push_back("all");
  site.cluster.nodes = 2 * kFewNodes;
  site.cluster.cpus = 6 * kFewNodes;
  site.cluster.tres["license/x"] = 3;
  site.partitions.push_back(SomePartition(random, "big", kFewNodes, 4 * kFewNodes));
  site.partitions.push_back(SomePartition(random, "all", 2 * kFewNodes, 6 * kFewNodes));
  for (const char* name : {"q1", "q2", "q3"}) site.qos.push_back(SomeQos(random, name));
  LimitAssociation(random, &small.associations[1].limits);
  small.associations.push_back({.id = 3, .parent_id = 1, .account = "other"});
  LimitAssociation(random, &small.associations.back().limits);
  const bool accrue = OneIn(random, 3);
  for (int i = 0; i < kUsers; ++i) {
    const bool other = i >= kUsers / 2;
    small.associations.push_back({.id = 4 + i,
                                  .parent_id = other ? 3 : 2,
                                  .account = other ? "other" : "lab",
                                  .user = absl::StrCat("u", i)});
    LimitAssociation(random, &small.associations.back().limits);
    if (accrue) small.associations.back().limits.max_jobs_accrue = 1 + Below(random, 2);
  }
  return small.Build();
}

std::vector<HistoryJob> LimitedHistory(std::mt19937_64& random, int jobs) {
  std::vector<HistoryJob> history = RandomHistory(random, jobs, kFewNodes, kUsers);
  for (HistoryJob& job : history) {
    if (job.time_limit < absl::Seconds(1) && job.time_limit.has_value()) {
      job.time_limit = absl::Seconds(1);
    }
    job.account = job.user < "u3" ? "lab" : "other";
    job.cpus = job.nodes * (1 + Below(random, 3));
    if (OneIn(random, 3)) job.qos = absl::StrCat("q", 1 + Below(random, 3));
    if (OneIn(random, 2)) job.partitions.push_back(OneIn(random, 2) ? "all" : "big");
    if (OneIn(random, 5)) job.partitions.push_back("main");
    if (OneIn(random, 5)) job.tres["license/x"] = 1 + Below(random, 2);
  }
  return history;
}

PlayOptions LimitedOptions(std::mt19937_64& random) {
  PlayOptions options;
  priority::Policy& policy = options.policy;
  policy.priority_type =
      OneIn(random, 5) ? priority::PriorityType::kBasic : priority::PriorityType::kMultifactor;
  policy.half_life = absl::Minutes(10 + Below(random, 300));
  policy.calc_period = absl::Minutes(5 + Below(random, 10));
  policy.max_age = absl::Minutes(1 + Below(random, 300));
  policy.weight_age = 1000 * Below(random, 3);
  policy.weight_fair_share = 1000 * Below(random, 9);
  policy.weight_job_size = 1000 * Below(random, 3);
  policy.weight_qos = 100 * Below(random, 3);
  policy.enforce.safe = OneIn(random, 2);
  policy.accrue_always = OneIn(random, 4);
  const plan::Backfill all[] = {plan::Backfill::kEasy, plan::Backfill::kEasy,
                                plan::Backfill::kConservative, plan::Backfill::kNone};
  options.plan.backfill = all[Below(random, 4)];
  if (OneIn(random, 3)) options.plan.max_job_test = 1 + Below(random, 8);
  if (OneIn(random, 5)) options.plan.max_job_user = 1 + Below(random, 3);
  if (OneIn(random, 4)) options.plan.window = absl::Minutes(10);
  return options;
}

}  // namespace priorityd::laboratory
