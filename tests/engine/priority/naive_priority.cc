#include "tests/engine/priority/naive_priority.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/priority/site/billing.h"
#include "tests/engine/priority/naive_limits.h"

namespace priorityd::priority {
namespace {

std::string Lower(absl::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

class NaivePriority {
 public:
  explicit NaivePriority(const NaiveJobs& queue) : queue_(queue), policy_(queue.snapshot.policy()) {
    LimitAccrual();
  }

  std::vector<NaiveTerm> Sum(const NaivePair& pair) const {
    const Job& job = queue_.jobs[pair.job];
    double tres_sum = 0;
    for (const auto& [tres, weight] : policy_.weight_tres) {
      tres_sum += weight * TresFactor(pair, tres);
    }
    std::vector<NaiveTerm> terms = {
        {"age", policy_.weight_age * Age(pair.job)},
        {"assoc", policy_.weight_assoc * Assoc(pair.job)},
        {"fair_share", policy_.weight_fair_share * queue_.FairShareOf(pair.job)},
        {"job_size", policy_.weight_job_size * Size(pair.job)},
        {"partition", policy_.weight_partition * PartitionFactor(pair)},
        {"qos", policy_.weight_qos * QosFactor(pair)},
        {"tres", tres_sum},
        {"site", static_cast<double>(job.site_factor)},
        {"nice", 0.0 - job.nice}};
    for (size_t i = 0; i < kReducedFactors; ++i) {
      if (terms[i].points > 0) terms[i].points *= PartOf(pair, static_cast<ReducedFactor>(i));
    }
    return terms;
  }

  std::vector<NaiveTerm> Terms(const NaivePair& pair) const {
    const Job& job = queue_.jobs[pair.job];
    std::vector<NaiveTerm> terms = Sum(pair);
    if (job.admin_priority) {
      for (NaiveTerm& term : terms) term.points = 0;
      terms.push_back({"admin_priority", double{1} * *job.admin_priority});
    } else {
      terms.push_back({"admin_priority", 0});
    }
    double raised = 0;
    if (!job.admin_priority && policy_.incr_only) {
      raised = std::max(0.0, Previous(pair) - double{1} * Computed(pair));
    }
    terms.push_back({"previous_priority", raised});
    double sum = 0;
    for (const NaiveTerm& term : Sum(pair)) sum += term.points;
    terms.push_back({"band", job.admin_priority ? 0 : std::min(0.0, BandOf(pair) - sum)});
    return terms;
  }

  std::optional<uint32_t> Priority(const NaivePair& pair) const {
    const Job& job = queue_.jobs[pair.job];
    if (policy_.priority_type == PriorityType::kBasic) return std::nullopt;
    if (job.state == JobState::kPending && job.hold != Hold::kNone) return 0;
    if (job.admin_priority) return *job.admin_priority;
    const uint32_t priority = Computed(pair);
    return policy_.incr_only ? std::max(priority, Previous(pair)) : priority;
  }

 private:
  // What the pair had before; 0 = nothing.
  uint32_t Previous(const NaivePair& pair) const {
    const Job& job = queue_.jobs[pair.job];
    uint32_t previous = job.previous_priority.value_or(0);
    for (const PairPriority& own : job.pair_priorities) {
      const std::string partition = pair.partition == nullptr ? "" : pair.partition->name;
      const std::string qos = pair.qos == nullptr ? "" : pair.qos->name;
      if (own.partition == partition && own.qos == qos) previous = std::max(previous, own.priority);
    }
    return previous;
  }

  uint32_t Computed(const NaivePair& pair) const {
    double sum = 0;
    for (const NaiveTerm& term : Sum(pair)) sum += term.points;
    sum = std::min(sum, BandOf(pair));
    uint32_t priority = 1;
    if (sum >= 4294967295.0) {
      priority = 4294967295u;
    } else if (sum > 1) {
      priority = static_cast<uint32_t>(sum);
    }
    return priority;
  }

  // --- Section 6: age ------------------------------------------------------------------

  absl::Time Submitted(const Job& job) const { return job.submit_time.value_or(queue_.as_of); }

  bool MayAccrue(size_t index) const {
    const Job& job = queue_.jobs[index];
    if (job.state != JobState::kPending) return true;
    if (job.hold != Hold::kNone || job.dependency_unmet) return false;
    if (job.admin_priority && *job.admin_priority == 0) return false;
    if (job.eligible_time && *job.eligible_time > queue_.as_of) return false;
    for (const NaivePair& pair : queue_.pairs[index]) {
      if (NaiveOverNodesOrTime(queue_, pair)) continue;
      if (pair.partition == nullptr) return true;
      if (!NaiveTooManyNodes(job, *pair.partition) && !NaiveTooLong(job, *pair.partition))
        return true;
    }
    return false;
  }

  void LimitAccrual() {
    if (!policy_.enforce.limits) return;
    std::vector<size_t> order;
    for (size_t job = 0; job < queue_.jobs.size(); ++job) {
      if (queue_.jobs[job].state == JobState::kPending && !queue_.pairs[job].empty() &&
          MayAccrue(job)) {
        order.push_back(job);
      }
    }
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      const absl::Time time_a = Submitted(queue_.jobs[a]);
      const absl::Time time_b = Submitted(queue_.jobs[b]);
      if (time_a != time_b) return time_a < time_b;
      return NaiveIdBefore(std::string(queue_.jobs[a].job_id), std::string(queue_.jobs[b].job_id));
    });
    std::map<int, uint32_t> own;
    std::map<int, uint32_t> below;
    std::map<std::string, uint32_t> of_qos;
    for (const size_t job : order) {
      std::optional<uint32_t> max_jobs;
      bool room = true;
      const Qos* qos = queue_.pairs[job][0].qos;
      const Qos none;
      if (qos == nullptr) qos = &none;
      const std::string user =
          qos->name + "/user/" + queue_.associations[queue_.association[job]].user;
      const std::string account =
          qos->name + "/account/" + queue_.associations[queue_.association[job]].account;
      const auto full = [&](const std::optional<uint32_t>& most, const std::string& whose) {
        return most && of_qos[whose] >= *most;
      };
      if (full(qos->grp_jobs_accrue, qos->name) || full(qos->max_jobs_accrue_per_user, user) ||
          full(qos->max_jobs_accrue_per_account, account)) {
        room = false;
      }
      for (const int i : queue_.Path(queue_.association[job])) {
        const AssociationLimits& limits = queue_.associations[i].limits;
        if (!max_jobs) max_jobs = limits.max_jobs_accrue;
        if (!qos->grp_jobs_accrue && limits.grp_jobs_accrue &&
            below[i] >= *limits.grp_jobs_accrue) {
          room = false;
        }
      }
      if (!qos->max_jobs_accrue_per_user && max_jobs && own[queue_.association[job]] >= *max_jobs)
        room = false;
      if (!room) {
        over_limit_.insert(job);
        continue;
      }
      for (const std::string& whose : {qos->name, user, account}) ++of_qos[whose];
      ++own[queue_.association[job]];
      for (const int i : queue_.Path(queue_.association[job])) ++below[i];
    }
  }

  double Age(size_t index) const {
    const Job& job = queue_.jobs[index];
    absl::Time since = Submitted(job);
    if (!policy_.accrue_always) {
      if (!MayAccrue(index) || over_limit_.count(index) != 0) return 0;
      if (job.eligible_time) since = *job.eligible_time;
      if (job.accrue_time) since = *job.accrue_time;
    }
    const double waited = absl::ToDoubleSeconds(queue_.as_of - since);
    const double max_age = absl::ToDoubleSeconds(policy_.max_age);
    if (max_age == 0) return waited >= 0 ? 1 : 0;
    return std::min(1.0, std::max(0.0, waited) / max_age);
  }

  // --- Section 6: the other factors ---------------------------------------------------

  static double Over(double value, double largest, bool raw) {
    if (raw) return value;
    return largest == 0 ? 0 : value / largest;
  }

  uint32_t AssocPriority(int association) const {
    for (const int i : queue_.Path(association)) {
      if (queue_.associations[i].priority) return *queue_.associations[i].priority;
    }
    return 0;
  }

  double Assoc(size_t job) const {
    uint32_t largest = 0;
    for (size_t i = 0; i < queue_.associations.size(); ++i) {
      largest = std::max(largest, AssocPriority(static_cast<int>(i)));
    }
    return Over(AssocPriority(queue_.association[job]), largest, policy_.no_normal_assoc);
  }

  double PartitionFactor(const NaivePair& pair) const {
    uint32_t largest = 0;
    for (const Partition& p : queue_.snapshot.partitions()) {
      largest = std::max(largest, p.priority_job_factor);
    }
    if (pair.partition == nullptr) return 0;
    return Over(pair.partition->priority_job_factor, largest, policy_.no_normal_part);
  }

  double QosFactor(const NaivePair& pair) const {
    uint32_t largest = 0;
    for (const Qos& q : queue_.snapshot.qos()) largest = std::max(largest, q.priority);
    if (pair.qos == nullptr) return 0;
    return Over(std::min(pair.qos->priority, DemotedTo(queue_.association[pair.job])), largest,
                policy_.no_normal_qos);
  }

  // The used up grants with a consequence on the path of an association.
  std::vector<GrantStanding> UsedUp(int association, GrantConsequence consequence) const {
    std::vector<GrantStanding> found;
    for (const int i : queue_.Path(association)) {
      const Association& owner = queue_.associations[i];
      for (const GrantStanding& grant : queue_.snapshot.grants()) {
        const bool is_owner =
            grant.user == owner.user && std::find(grant.accounts.begin(), grant.accounts.end(),
                                                  owner.account) != grant.accounts.end();
        const bool left = grant.used < grant.available * (1 - 1e-9);
        if (grant.consequence == consequence && is_owner && !left) found.push_back(grant);
      }
    }
    return found;
  }

  // The lowest priority of the QOS to which used up grants above the association demote.
  uint32_t DemotedTo(int association) const {
    uint32_t lowest = UINT32_MAX;
    for (const GrantStanding& grant : UsedUp(association, GrantConsequence::kDemote)) {
      const int qos = queue_.snapshot.FindQos(grant.demoted_qos);
      lowest = std::min(lowest, qos < 0 ? 0 : queue_.snapshot.qos()[qos].priority);
    }
    return lowest;
  }

  double PartOf(const NaivePair& pair, ReducedFactor factor) const {
    double part = 1;
    for (const auto& grant : UsedUp(queue_.association[pair.job], GrantConsequence::kReduce)) {
      const bool reduces =
          grant.measure.factor == factor || grant.measure.factor == ReducedFactor::kAll;
      if (reduces) part = std::min(part, grant.measure.most);
    }
    return part;
  }

  double BandOf(const NaivePair& pair) const {
    double band = 4294967295.0;
    for (const auto& grant : UsedUp(queue_.association[pair.job], GrantConsequence::kBand)) {
      band = std::min(band, grant.measure.most);
    }
    return band;
  }

  static std::optional<double> Given(const Job& job, const std::string& tres) {
    for (const auto& [name, count] : job.tres) {
      if (Lower(name) == tres) return count;
    }
    return std::nullopt;
  }

  double Minutes(size_t index) const {
    const Job& job = queue_.jobs[index];
    absl::Duration limit = absl::ZeroDuration();
    if (job.time_limit) {
      limit = *job.time_limit;
    } else {
      for (const NaivePair& pair : queue_.pairs[index]) {
        limit = std::max(
            limit, pair.partition == nullptr ? absl::InfiniteDuration() : pair.partition->max_time);
      }
    }
    if (limit == absl::InfiniteDuration()) return 4294967295.0;
    return std::max(1.0, std::ceil(absl::ToDoubleSeconds(limit) / 60));
  }

  double Size(size_t index) const {
    const Job& job = queue_.jobs[index];
    const double all_nodes = queue_.snapshot.cluster().nodes;
    const double all_cpus = queue_.snapshot.cluster().cpus;
    if (all_nodes == 0 || all_cpus == 0) return 0;
    const double n = NaiveNodes(job);
    const double c = job.cpus > 0 ? job.cpus : Given(job, "cpu").value_or(0);
    double size = 0;
    if (policy_.small_relative_to_time) {
      size = std::max(n * all_cpus / all_nodes, c) / Minutes(index) / all_cpus;
      if (policy_.favor_small) size = 1 - size;
    } else if (policy_.favor_small) {
      size = std::max(0.0, all_nodes - n) / all_nodes;
      if (c > 0) size = (size + std::max(0.0, all_cpus - c) / all_cpus) / 2;
    } else {
      size = n / all_nodes;
      if (c > 0) size = (size + c / all_cpus) / 2;
    }
    return std::min(1.0, std::max(0.0, size));
  }

  TresMap AllTres(const Job& job) const {
    TresMap tres = {{"cpu", job.cpus}, {"node", NaiveNodes(job)}};
    for (const auto& [name, count] : job.tres) {
      if (Lower(name) != "billing") tres[Lower(name)] = count;
    }
    return tres;
  }

  double TresFactor(const NaivePair& pair, const std::string& tres) const {
    const Job& job = queue_.jobs[pair.job];
    const Cluster& cluster = queue_.snapshot.cluster();
    const TresMap weights = pair.partition == nullptr ? TresMap() : pair.partition->billing_weights;
    const BillingRule rule = BillingRuleFor(policy_, weights);
    TresMap totals = pair.partition == nullptr ? cluster.tres : pair.partition->tres;
    if (pair.partition == nullptr) totals["cpu"] = cluster.cpus;
    totals["node"] = pair.partition == nullptr ? cluster.nodes : pair.partition->nodes;
    totals["billing"] = std::trunc(Billing(rule, weights, totals));
    TresMap counts = AllTres(job);
    counts["billing"] =
        Given(job, "billing").value_or(std::trunc(Billing(rule, weights, AllTres(job))));
    double total = totals[tres];
    if (tres.rfind("license/", 0) == 0) {
      const auto found = cluster.tres.find(tres);
      total = found == cluster.tres.end() ? 0 : found->second;
    }
    return policy_.no_normal_tres ? counts[tres] : total == 0 ? 0 : counts[tres] / total;
  }

  const NaiveJobs& queue_;
  const Policy& policy_;
  std::set<size_t> over_limit_;
};

}  // namespace

void SetNaivePriorities(NaiveJobs& queue) {
  const NaivePriority priority(queue);
  for (std::vector<NaivePair>& pairs : queue.pairs) {
    for (NaivePair& pair : pairs) pair.priority = priority.Priority(pair);
  }
}

std::vector<NaiveTerm> NaiveTerms(const NaiveJobs& queue, const NaivePair& pair) {
  return NaivePriority(queue).Terms(pair);
}

bool NaiveIdBefore(const std::string& a, const std::string& b) {
  // Runs as (is a number, text without leading zeros if so).
  const auto runs = [](const std::string& id) {
    std::vector<std::pair<bool, std::string>> all;
    for (const char c : id) {
      const bool digit = c >= '0' && c <= '9';
      if (all.empty() || all.back().first != digit) all.emplace_back(digit, "");
      all.back().second += c;
    }
    for (auto& [digit, text] : all) {
      while (digit && !text.empty() && text.front() == '0') text.erase(text.begin());
    }
    return all;
  };
  const auto runs_a = runs(a);
  const auto runs_b = runs(b);
  for (size_t i = 0; i < std::min(runs_a.size(), runs_b.size()); ++i) {
    const auto& [digit_a, text_a] = runs_a[i];
    const auto& [digit_b, text_b] = runs_b[i];
    if (digit_a && digit_b && text_a.size() != text_b.size()) return text_a.size() < text_b.size();
    if (digit_a != digit_b) {
      // A zero that was stripped still is a digit.
      const std::string first_a = digit_a ? "0" : text_a;
      const std::string first_b = digit_b ? "0" : text_b;
      return first_a < first_b;
    }
    if (text_a != text_b) return text_a < text_b;
  }
  if (runs_a.size() != runs_b.size()) return runs_a.size() < runs_b.size();
  return a < b;
}

}  // namespace priorityd::priority
