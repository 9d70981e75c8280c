// Random sites and queues.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_DRAW_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_DRAW_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {

// Draws sites and queues full of ties, holes and contradictions.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  bool OneIn(int n) { return Below(n) == 0; }
  int Below(int n) { return static_cast<int>(random_() % n); }
  template <typename T>
  T Of(const std::vector<T>& choices) {
    return choices[Below(static_cast<int>(choices.size()))];
  }

  SmallSite Site() {
    SmallSite site;
    site.source.policy = Policy();
    DrawWeights(site.source.policy);
    DrawFlags(site.source.policy);
    site.source.partitions.push_back(site.partition("fast"));
    site.source.partitions.back().name = "long";
    if (OneIn(10)) site.source.partitions.clear();
    for (Partition& partition : site.source.partitions) DrawPartition(partition);
    if (OneIn(4)) site.source.partitions.resize(std::min<size_t>(1, site.source.partitions.size()));
    site.source.qos.emplace_back();
    site.source.qos.back().name = "low";
    for (Qos& qos : site.source.qos) DrawQos(qos);
    DrawAssociations(site);
    if (OneIn(4)) DrawReservations(site);
    if (OneIn(3)) DrawGrants(site);
    if (OneIn(20)) site.source.cluster.nodes = 0;
    return site;
  }

  Job NextJob() {
    Job job;
    job.job_id = Keep(Of<std::string>({"1", "01", "2", "9", "10", "a1", "a01", "a10", "b", "1a"}) +
                      (OneIn(3) ? "" : std::to_string(Below(60))));
    job.user = Of<absl::string_view>({"ann", "ann", "bob", "cat", "cat", "zoe"});
    job.account = Of<absl::string_view>({"physics", "physics", "chemistry", "chemistry", "", "no"});
    if (!OneIn(8) && job.user != "zoe") job.account = job.user == "cat" ? "chemistry" : "physics";
    for (int n = Below(4); n > 0; --n) {
      job.partitions.push_back(Of<absl::string_view>({"main", "fast", "long", "nowhere"}));
    }
    for (int n = OneIn(2) ? 0 : Below(4); n > 0; --n) {
      job.qos.push_back(Of<absl::string_view>({"normal", "high", "low", "nothing"}));
    }
    DrawTimes(job);
    DrawSize(job);
    DrawState(job);
    return job;
  }

  RankOptions Options() {
    RankOptions options = Now();
    if (OneIn(3)) options.limit = Below(30);
    if (OneIn(4)) options.ineligible_limit = Below(8);
    options.best_only = OneIn(3);
    options.with_factors = OneIn(2);
    if (OneIn(4)) options.partitions = {"main", "nowhere"};
    if (OneIn(6)) options.accounts = {"physics"};
    if (OneIn(6)) options.users = {"ann", "cat"};
    return options;
  }

 private:
  absl::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  // Of which jobs name `r`.
  void DrawReservations(SmallSite& site) {
    for (const char* name : {"r", "other"}) {
      if (OneIn(4)) continue;
      const absl::Time start = kNow + absl::Minutes(Of<int>({-90, -1, 0, 1, 45}));
      Reservation reservation{.name = name,
                              .start = start,
                              .end = start + absl::Minutes(Of<int>({1, 30, 90, 200})),
                              .nodes = "n1"};
      if (OneIn(2)) reservation.users = {{Of<std::string>({"ann", "cat"})}, OneIn(2)};
      if (OneIn(2)) reservation.accounts = {{Of<std::string>({"root", "physics"})}, OneIn(2)};
      reservation.flex = OneIn(4);
      site.source.reservations.push_back(std::move(reservation));
    }
  }

  void DrawGrants(SmallSite& site) {
    if (OneIn(3)) site.source.policy.enforce.limits = site.source.policy.enforce.safe = false;
    for (int n = 1 + Below(4); n > 0; --n) {
      GrantStanding grant;
      grant.name = std::to_string(n);
      if (OneIn(4)) grant.domain = "site";
      grant.accounts = Of<std::vector<std::string>>({{"physics"},
                                                     {"chemistry", "physics"},
                                                     {"physics", "root", "physics"},
                                                     {"chemistry"},
                                                     {"gone"}});
      if (OneIn(3)) grant.user = Of<std::string>({"ann", "cat", "zoe"});
      grant.tres = Of<std::string>({"billing", "cpu", "gres/gpu", "node", "license/matlab",
                                    "cpu=1,gres/gpu=20", "license/matlab=0.5,node=3"});
      grant.available = 60 * Of<double>({0, 60, 600, 3600, 20000});
      grant.used = 60 * Of<double>({0, 0, 59, 60, 601, 3000, 19000});
      grant.until = OneIn(2) ? absl::InfiniteFuture() : kNow + absl::Hours(1);
      grant.consequence = Of<GrantConsequence>(
          {GrantConsequence::kNone, GrantConsequence::kDemote, GrantConsequence::kBlock,
           GrantConsequence::kReduce, GrantConsequence::kReduce, GrantConsequence::kBand,
           GrantConsequence::kCap, GrantConsequence::kCap, GrantConsequence::kRefuse});
      grant.demoted_qos = Of<std::string>({"low", "normal", "high", "gone"});
      grant.measure = DrawMeasure(grant.consequence);
      site.source.grants.push_back(std::move(grant));
    }
  }

  GrantMeasure DrawMeasure(GrantConsequence consequence) {
    const bool reduces = consequence == GrantConsequence::kReduce;
    GrantMeasure measure;
    measure.factor = static_cast<ReducedFactor>(Below(9));
    measure.most = reduces ? Of<double>({0, 0.1, 0.5, 1}) : Of<double>({1, 4, 100, 4294967295});
    measure.tres = Of<std::string>({"billing", "cpu", "gres/gpu", "node", "license/matlab"});
    return measure;
  }

  void DrawWeights(Policy& policy) {
    const std::vector<uint32_t> weights = {0, 0, 1, 10, 1000, 1000000, 4294967295u};
    policy.weight_age = Of(weights);
    policy.weight_assoc = Of(weights);
    policy.weight_fair_share = Of(weights);
    policy.weight_job_size = Of(weights);
    policy.weight_partition = Of(weights);
    policy.weight_qos = Of(weights);
    for (const char* tres : {"cpu", "mem", "node", "billing", "license/matlab", "gres/gpu"}) {
      if (OneIn(3)) policy.weight_tres[tres] = Of<double>({-50, 0.5, 100, 2000});
    }
  }

  void DrawFlags(Policy& policy) {
    if (OneIn(10)) policy.priority_type = PriorityType::kBasic;
    policy.max_age = Of<absl::Duration>({absl::ZeroDuration(), absl::Hours(2), absl::Hours(100)});
    policy.favor_small = OneIn(3);
    policy.accrue_always = OneIn(6);
    policy.calculate_running = OneIn(2);
    policy.incr_only = OneIn(3);
    policy.max_tres = OneIn(4);
    policy.max_tres_gres = OneIn(4);
    policy.no_normal_assoc = OneIn(4);
    policy.no_normal_part = OneIn(4);
    policy.no_normal_qos = OneIn(4);
    policy.no_normal_tres = OneIn(4);
    policy.small_relative_to_time = OneIn(3);
    policy.enforce.safe = !OneIn(3);
    policy.preempt_by_qos = OneIn(3);
    policy.preempt_by_partition = OneIn(3);
  }

  void DrawPartition(Partition& partition) {
    if (OneIn(6)) partition.is_default = false;
    partition.priority_job_factor = Of<uint32_t>({0, 1, 10});
    partition.priority_tier = Of<uint32_t>({0, 1, 1, 4294967295u});
    if (OneIn(3)) partition.billing_weights = {{"cpu", 1.5}, {"mem", 0.001}, {"license/matlab", 3}};
    if (OneIn(3)) partition.max_time = absl::Minutes(Below(200));
    if (OneIn(3)) partition.max_nodes = 1 + Below(4);
    if (OneIn(10)) partition.nodes = 0;
    if (OneIn(5)) partition.allow_accounts = {Of<std::string>({"physics", "chemistry", "root"})};
    if (OneIn(5)) partition.deny_accounts = {Of<std::string>({"physics", "chemistry"})};
    if (OneIn(5)) partition.allow_qos = {"normal", "high"};
    if (OneIn(5)) partition.deny_qos = {"high"};
    if (OneIn(6)) partition.min_nodes = 2;
    if (OneIn(4)) partition.qos = Of<std::string>({"low", "high"});
    partition.up = !OneIn(6);
    partition.open = !OneIn(4);
    if (OneIn(6)) partition.tres["cpu"] = 1 + Below(60);
    if (OneIn(6)) partition.max_mem_per_node = 1 + Below(30);
    partition.preemptible = OneIn(2);
  }

  void DrawQos(Qos& qos) {
    qos.priority = Of<uint32_t>({0, 10, 100});
    if (OneIn(3)) qos.preempt = {"low"};
    if (OneIn(3)) qos.usage_threshold = 0.5;
    qos.enforce_usage_threshold = OneIn(2);
    qos.no_decay = OneIn(2);
    if (OneIn(4)) DrawLimits(qos.grp_tres_mins, qos.grp_wall);
    qos.usage_factor = Of<double>({0, 1, 1, 2});
    qos.limit_factor = Of<double>({1, 1, 2});
    qos.over_part_qos = OneIn(3);
    if (OneIn(6)) qos.grp_jobs_accrue = Below(6);
    if (OneIn(6)) qos.max_jobs_accrue_per_user = Below(4);
    if (OneIn(6)) qos.max_jobs_accrue_per_account = Below(4);
    if (OneIn(2)) return;
    DrawOthers({LimitKind::kGrpJobs, LimitKind::kMaxJobs, LimitKind::kMaxJobsPerAccount,
                LimitKind::kMaxWall, LimitKind::kGrpTres, LimitKind::kGrpTresRunMins,
                LimitKind::kMaxTres, LimitKind::kMaxTresMins, LimitKind::kMaxTresPerNode,
                LimitKind::kMinTres, LimitKind::kMaxTresPerAccount, LimitKind::kMaxTresPerUser,
                LimitKind::kMaxTresRunMinsPerAccount, LimitKind::kMaxTresRunMins},
               qos.other_limits);
  }

  // Small values, so that jobs fit exactly now and then.
  void DrawOthers(const std::vector<LimitKind>& kinds, std::vector<LimitValue>& limits) {
    for (const LimitKind kind : kinds) {
      if (!OneIn(8)) continue;
      const LimitMeasure measure = RuleOf(kind).measure;
      if (measure == LimitMeasure::kJobs) {
        limits.push_back({kind, "", double(Below(6))});
      } else if (measure == LimitMeasure::kWall) {
        limits.push_back({kind, "", 60.0 * Below(200)});
      } else {
        const bool timed = measure == LimitMeasure::kTresSeconds;
        for (const char* tres : {"billing", "cpu", "gres/gpu", "mem", "node"}) {
          if (!OneIn(4)) continue;
          limits.push_back({kind, tres, timed ? Of<double>({60, 600, 3600}) : double(Below(9))});
        }
      }
    }
  }

  void DrawAssociations(SmallSite& site) {
    if (OneIn(2)) {
      Association own = site.association("physics", "ann");
      own.id = 7;
      own.partition = "fast";
      site.associations.push_back(own);
    }
    for (Association& association : site.associations) {
      if (OneIn(3)) association.priority = Below(3) * 50;
      if (OneIn(4)) association.default_qos = Of<std::string>({"normal", "low", "", "gone"});
      if (OneIn(5)) association.qos = {{"normal", "low"}};
      if (OneIn(12)) association.qos = {{"high"}};
      if (OneIn(8)) association.qos = std::vector<std::string>();
      if (OneIn(4)) association.limits.max_jobs_accrue = Below(6);
      if (OneIn(5)) association.limits.grp_jobs_accrue = Below(12);
      if (OneIn(8)) DrawLimits(association.limits.grp_tres_mins, association.limits.grp_wall);
      if (OneIn(3)) {
        DrawOthers(
            {LimitKind::kGrpJobs, LimitKind::kMaxJobs, LimitKind::kMaxWall, LimitKind::kGrpTres,
             LimitKind::kGrpTresRunMins, LimitKind::kMaxTres, LimitKind::kMaxTresMins,
             LimitKind::kMaxTresPerNode, LimitKind::kMaxTresRunMins},
            association.limits.others);
      }
    }
    DrawUsageForLimits(site);
    site.usage = {{"physics/ann", Below(3) * 100.0},
                  {"physics/bob", Below(3) * 100.0},
                  {"chemistry/cat", Below(3) * 100.0}};
  }

  // Small whole minutes, so that jobs fit exactly now and then.
  void DrawLimits(TresMap& tres_mins, std::optional<absl::Duration>& wall) {
    for (const char* tres : {"billing", "cpu", "gres/gpu", "license/matlab", "mem", "node"}) {
      if (OneIn(4)) tres_mins[tres] = Of<double>({0, 60, 600, 3600, 20000});
    }
    if (OneIn(3)) wall = absl::Minutes(Below(400));
  }

  void DrawUsageForLimits(SmallSite& site) {
    SnapshotSource& source = site.source;
    const auto column = [&] {
      std::vector<double> values;
      for (size_t i = 0; i < site.associations.size(); ++i) values.push_back(60.0 * Below(500));
      return values;
    };
    if (OneIn(2)) source.own_wall_seconds = column();
    for (const char* tres : {"cpu", "license/matlab", "mem"}) {
      if (OneIn(2)) source.own_tres_usage[tres] = column();
    }
    for (size_t i = OneIn(3) ? source.qos.size() : 0; i < source.qos.size(); ++i) {
      source.qos_usage.push_back(
          {60.0 * Below(500), {{"cpu", 60.0 * Below(500)}}, 60.0 * Below(90)});
    }
    if (OneIn(3)) source.computed_at -= absl::Hours(Below(3));
    ResetRule reset;
    if (OneIn(4)) {
      reset.period = ResetPeriod::kInterval;
      reset.anchor = kNow - absl::Hours(5);
      reset.interval = absl::Minutes(90);
    }
    const std::vector<HalfLifeChange> timeline = {{absl::InfinitePast(), absl::Hours(1)}};
    if (OneIn(2)) source.decay = std::make_shared<const UsageDecay>(timeline, reset);
    for (const char* job : {"1", "2", "9", "a1", "b7"}) {
      if (OneIn(2)) source.recorded_until[job] = kNow - absl::Minutes(Below(200));
    }
  }

  void DrawTimes(Job& job) {
    const auto time = [this] { return kNow + absl::Minutes(30 * (Below(9) - 7)); };
    job.submit_time.reset();
    if (!OneIn(8)) job.submit_time = kNow - absl::Minutes(30 * Below(4));
    if (OneIn(4)) job.eligible_time = time();
    if (OneIn(4)) job.accrue_time = time();
    if (OneIn(2)) job.time_limit = absl::Seconds(45 * Below(300));
    if (OneIn(2)) job.start_time = kNow - absl::Minutes(Below(300));
  }

  void DrawSize(Job& job) {
    job.nodes = Below(6);
    if (OneIn(2)) job.cpus = Below(40);
    for (const absl::string_view tres : {"CPU", "mem", "node", "billing", "license/matlab"}) {
      if (OneIn(4)) job.tres.emplace_back(tres, Below(50));
    }
  }

  void DrawState(Job& job) {
    if (OneIn(10)) job.state = OneIn(2) ? JobState::kRunning : JobState::kSuspended;
    if (OneIn(12)) job.hold = OneIn(2) ? Hold::kUser : Hold::kAdmin;
    job.dependency_unmet = OneIn(15);
    if (OneIn(3)) job.nice = Below(2000) - 1000;
    if (OneIn(20)) job.nice = OneIn(2) ? 2147483645 : -2147483645;
    if (OneIn(6)) job.site_factor = Below(2000) - 1000;
    if (OneIn(15)) job.admin_priority = Below(3) * 5;
    if (OneIn(5)) job.previous_priority = Below(5000);
    for (int n = OneIn(5) ? 1 + Below(3) : 0; n > 0; --n) {
      job.pair_priorities.push_back({Of<absl::string_view>({"main", "fast", "long", ""}),
                                     Of<absl::string_view>({"normal", "high", "low", ""}),
                                     static_cast<uint32_t>(Below(9000))});
    }
    if (OneIn(6)) job.preemptor = OneIn(2);
    if (OneIn(8)) job.reservation = "r";
    if (OneIn(40)) job.violation = "tres: got -1, want at least 0";
  }

  std::mt19937_64 random_;
  std::deque<std::string> texts_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_DRAW_H_
