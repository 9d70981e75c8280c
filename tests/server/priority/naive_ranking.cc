#include "tests/server/priority/naive_ranking.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

#include "server/priority/billing.h"

namespace priorityd {
namespace {

std::string Lower(absl::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// A job in one partition under one QOS.
struct Pair {
  size_t job = 0;
  size_t place = 0;  // Among the pairs that the job names.
  const Partition* partition = nullptr;
  const Qos* qos = nullptr;
  std::string reason;
  std::optional<uint32_t> priority;
};

const std::vector<std::string>& Reasons() {
  static const auto& reasons =
      *new std::vector<std::string>{"InvalidJob",         "InvalidAccount",     "InvalidQOS",
                                    "InvalidPartition",   "JobHeldUser",        "JobHeldAdmin",
                                    "Dependency",         "BeginTime",          "PartitionDown",
                                    "PartitionNodeLimit", "PartitionTimeLimit", "AccountNotAllowed",
                                    "QOSNotAllowed",      "QOSUsageThreshold",  ""};
  return reasons;
}

size_t Severity(const std::string& reason) {
  return std::find(Reasons().begin(), Reasons().end(), reason) - Reasons().begin();
}

bool Listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Wanted(absl::Span<const absl::string_view> names, absl::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

class NaiveRanker {
 public:
  NaiveRanker(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options)
      : snapshot_(snapshot), policy_(snapshot.policy()), jobs_(jobs), options_(options) {
    for (AssociationIndex i = 0; i < snapshot.tree().size(); ++i) {
      associations_.push_back(snapshot.tree().association(i));
    }
    for (size_t job = 0; job < jobs.size(); ++job) Resolve(job);
    LimitAccrual();
    for (std::vector<Pair>& pairs : pairs_) {
      for (Pair& pair : pairs) pair.priority = Priority(pair);
    }
  }

  NaiveRanking Answer() {
    NaiveRanking answer;
    AnswerRanked(answer);
    for (size_t job = 0; job < jobs_.size(); ++job) AnswerOther(job, answer);
    if (answer.ineligible.size() > options_.ineligible_limit) {
      answer.ineligible.resize(options_.ineligible_limit);
    }
    return answer;
  }

 private:
  // --- Section 2: how a job resolves ----------------------------------------------

  int FindAssociation(const Job& job) const {
    std::string account(job.account.empty() ? snapshot_.DefaultAccount(job.user) : job.account);
    std::string partition;
    if (!job.partitions.empty()) {
      partition = std::string(job.partitions[0]);
    } else if (const Partition* by_default = DefaultPartition()) {
      partition = by_default->name;
    }
    int without_partition = -1;
    for (size_t i = 0; i < associations_.size(); ++i) {
      const Association& a = associations_[i];
      if (a.user.empty() || a.user != job.user || a.account != account) continue;
      if (!a.partition.empty() && a.partition == partition) return static_cast<int>(i);
      if (a.partition.empty()) without_partition = static_cast<int>(i);
    }
    return without_partition;
  }

  const Partition* DefaultPartition() const {
    for (const Partition& partition : snapshot_.partitions()) {
      if (partition.is_default) return &partition;
    }
    return nullptr;
  }

  // From the association up to root.
  std::vector<int> Path(int association) const {
    std::vector<int> path;
    for (int i = association; i >= 0; i = snapshot_.tree().parent()[i]) path.push_back(i);
    return path;
  }

  std::vector<std::string> AllowedQos(int association) const {
    for (const int i : Path(association)) {
      if (associations_[i].qos.has_value()) return *associations_[i].qos;
    }
    return {};
  }

  std::vector<std::string> QosNames(const Job& job, int association) const {
    if (!job.qos.empty()) return {job.qos.begin(), job.qos.end()};
    for (const int i : Path(association)) {
      if (associations_[i].default_qos.has_value() && !associations_[i].default_qos->empty()) {
        return {*associations_[i].default_qos};
      }
      if (associations_[i].default_qos.has_value()) break;
    }
    return {""};
  }

  void Resolve(size_t index) {
    const Job& job = jobs_[index];
    pairs_.emplace_back();
    whole_.emplace_back();
    association_.push_back(-1);
    const bool again = !ids_.insert(std::string(job.job_id)).second;
    if (again || !job.fault.empty()) {
      whole_[index] = "InvalidJob";
      return;
    }
    const int association = FindAssociation(job);
    association_[index] = association;
    if (association < 0) {
      whole_[index] = "InvalidAccount";
      return;
    }
    std::set<std::pair<const Partition*, const Qos*>> known;
    std::vector<std::string> partitions(job.partitions.begin(), job.partitions.end());
    if (partitions.empty()) {
      partitions.push_back(DefaultPartition() == nullptr ? "" : DefaultPartition()->name);
    }
    size_t furthest = 0;
    for (const std::string& partition_name : partitions) {
      for (const std::string& qos_name : QosNames(job, association)) {
        Pair pair;
        pair.job = index;
        pair.place = pairs_[index].size();
        for (const Partition& p : snapshot_.partitions()) {
          if (p.name == partition_name) pair.partition = &p;
        }
        for (const Qos& q : snapshot_.qos()) {
          if (q.name == qos_name) pair.qos = &q;
        }
        const std::vector<std::string> allowed = AllowedQos(association);
        const bool bad_qos =
            !qos_name.empty() &&
            (pair.qos == nullptr || (!allowed.empty() && !Listed(allowed, qos_name)));
        if (bad_qos) {
          furthest = std::max(furthest, Severity("InvalidQOS"));
        } else if (!partition_name.empty() && pair.partition == nullptr) {
          furthest = std::max(furthest, Severity("InvalidPartition"));
        } else if (known.insert({pair.partition, pair.qos}).second) {
          pair.reason = ReasonOf(pair);
          pairs_[index].push_back(pair);
        }
      }
    }
    if (pairs_[index].empty()) whole_[index] = Reasons()[furthest];
  }

  // --- Section 6: not eligible -------------------------------------------------------

  static double Nodes(const Job& job) { return job.nodes == 0 ? 1 : job.nodes; }

  static bool TooManyNodes(const Job& job, const Partition& p) {
    return (p.nodes > 0 && Nodes(job) > p.nodes) || (p.max_nodes && Nodes(job) > *p.max_nodes);
  }

  static bool TooLong(const Job& job, const Partition& p) {
    return job.time_limit && *job.time_limit > p.max_time;
  }

  bool AccountOrAncestorListed(const std::vector<std::string>& names, size_t job) const {
    for (const int i : Path(association_[job])) {
      if (Listed(names, associations_[i].account)) return true;
    }
    return false;
  }

  std::string ReasonOf(const Pair& pair) const {
    const Job& job = jobs_[pair.job];
    if (job.hold == Hold::kUser) return "JobHeldUser";
    if (job.hold == Hold::kAdmin) return "JobHeldAdmin";
    if (job.admin_priority && *job.admin_priority == 0) return "JobHeldAdmin";
    if (job.dependency_unmet) return "Dependency";
    if (job.eligible_time && *job.eligible_time > options_.as_of) return "BeginTime";
    const std::string qos = pair.qos == nullptr ? "" : pair.qos->name;
    if (const Partition* p = pair.partition) {
      if (!p->up) return "PartitionDown";
      if (TooManyNodes(job, *p)) return "PartitionNodeLimit";
      if (TooLong(job, *p)) return "PartitionTimeLimit";
      if (!p->allow_accounts.empty()) {
        if (!AccountOrAncestorListed(p->allow_accounts, pair.job)) return "AccountNotAllowed";
      } else if (AccountOrAncestorListed(p->deny_accounts, pair.job)) {
        return "AccountNotAllowed";
      }
      if (!p->allow_qos.empty() ? !Listed(p->allow_qos, qos) : Listed(p->deny_qos, qos)) {
        return "QOSNotAllowed";
      }
    }
    if (pair.qos != nullptr && pair.qos->enforce_usage_threshold && pair.qos->usage_threshold &&
        FairShareOf(pair.job) < *pair.qos->usage_threshold) {
      return "QOSUsageThreshold";
    }
    return "";
  }

  double FairShareOf(size_t job) const {
    return snapshot_.fair_share().fair_share[association_[job]];
  }

  // --- Section 6: age ------------------------------------------------------------------

  absl::Time Submitted(const Job& job) const { return job.submit_time.value_or(options_.as_of); }

  bool MayAccrue(size_t index) const {
    const Job& job = jobs_[index];
    if (job.state != JobState::kPending) return true;
    if (job.hold != Hold::kNone || job.dependency_unmet) return false;
    if (job.admin_priority && *job.admin_priority == 0) return false;
    if (job.eligible_time && *job.eligible_time > options_.as_of) return false;
    for (const Pair& pair : pairs_[index]) {
      if (pair.partition == nullptr) return true;
      if (!TooManyNodes(job, *pair.partition) && !TooLong(job, *pair.partition)) return true;
    }
    return false;
  }

  void LimitAccrual() {
    std::vector<size_t> order;
    for (size_t job = 0; job < jobs_.size(); ++job) {
      if (jobs_[job].state == JobState::kPending && !pairs_[job].empty() && MayAccrue(job)) {
        order.push_back(job);
      }
    }
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      const absl::Time time_a = Submitted(jobs_[a]);
      const absl::Time time_b = Submitted(jobs_[b]);
      if (time_a != time_b) return time_a < time_b;
      return NaiveIdBefore(std::string(jobs_[a].job_id), std::string(jobs_[b].job_id));
    });
    std::map<int, uint32_t> own;
    std::map<int, uint32_t> below;
    for (const size_t job : order) {
      std::optional<uint32_t> max_jobs;
      bool room = true;
      for (const int i : Path(association_[job])) {
        const AssociationLimits& limits = associations_[i].limits;
        if (!max_jobs) max_jobs = limits.max_jobs_accrue;
        if (limits.grp_jobs_accrue && below[i] >= *limits.grp_jobs_accrue) room = false;
      }
      if (max_jobs && own[association_[job]] >= *max_jobs) room = false;
      if (!room) {
        over_limit_.insert(job);
        continue;
      }
      ++own[association_[job]];
      for (const int i : Path(association_[job])) ++below[i];
    }
  }

  double Age(size_t index) const {
    const Job& job = jobs_[index];
    absl::Time since = Submitted(job);
    if (!policy_.accrue_always) {
      if (!MayAccrue(index) || over_limit_.count(index) != 0) return 0;
      if (job.eligible_time) since = *job.eligible_time;
      if (job.accrue_time) since = *job.accrue_time;
    }
    const double waited = absl::ToDoubleSeconds(options_.as_of - since);
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
    for (const int i : Path(association)) {
      if (associations_[i].priority) return *associations_[i].priority;
    }
    return 0;
  }

  double Assoc(size_t job) const {
    uint32_t largest = 0;
    for (size_t i = 0; i < associations_.size(); ++i) {
      largest = std::max(largest, AssocPriority(static_cast<int>(i)));
    }
    return Over(AssocPriority(association_[job]), largest, policy_.no_normal_assoc);
  }

  double PartitionFactor(const Pair& pair) const {
    uint32_t largest = 0;
    for (const Partition& p : snapshot_.partitions()) {
      largest = std::max(largest, p.priority_job_factor);
    }
    if (pair.partition == nullptr) return 0;
    return Over(pair.partition->priority_job_factor, largest, policy_.no_normal_part);
  }

  double QosFactor(const Pair& pair) const {
    uint32_t largest = 0;
    for (const Qos& q : snapshot_.qos()) largest = std::max(largest, q.priority);
    if (pair.qos == nullptr) return 0;
    return Over(pair.qos->priority, largest, policy_.no_normal_qos);
  }

  static std::optional<double> Given(const Job& job, const std::string& tres) {
    for (const auto& [name, count] : job.tres) {
      if (Lower(name) == tres) return count;
    }
    return std::nullopt;
  }

  double Minutes(size_t index) const {
    const Job& job = jobs_[index];
    absl::Duration limit = absl::ZeroDuration();
    if (job.time_limit) {
      limit = *job.time_limit;
    } else {
      for (const Pair& pair : pairs_[index]) {
        limit = std::max(
            limit, pair.partition == nullptr ? absl::InfiniteDuration() : pair.partition->max_time);
      }
    }
    if (limit == absl::InfiniteDuration()) return 4294967295.0;
    return std::max(1.0, std::ceil(absl::ToDoubleSeconds(limit) / 60));
  }

  double Size(size_t index) const {
    const Job& job = jobs_[index];
    const double all_nodes = snapshot_.cluster().nodes;
    const double all_cpus = snapshot_.cluster().cpus;
    if (all_nodes == 0 || all_cpus == 0) return 0;
    const double n = Nodes(job);
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
    TresMap tres = {{"cpu", job.cpus}, {"node", Nodes(job)}};
    for (const auto& [name, count] : job.tres) {
      if (Lower(name) != "billing") tres[Lower(name)] = count;
    }
    return tres;
  }

  double TresFactor(const Pair& pair, const std::string& tres) const {
    const Job& job = jobs_[pair.job];
    const Cluster& cluster = snapshot_.cluster();
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

  std::optional<uint32_t> Priority(const Pair& pair) const {
    const Job& job = jobs_[pair.job];
    if (policy_.priority_type == PriorityType::kBasic) return std::nullopt;
    if (job.state == JobState::kPending && job.hold != Hold::kNone) return 0;
    if (job.admin_priority) return *job.admin_priority;
    double sum = policy_.weight_age * Age(pair.job);
    sum += policy_.weight_assoc * Assoc(pair.job);
    sum += policy_.weight_fair_share * FairShareOf(pair.job);
    sum += policy_.weight_job_size * Size(pair.job);
    sum += policy_.weight_partition * PartitionFactor(pair);
    sum += policy_.weight_qos * QosFactor(pair);
    double tres_sum = 0;
    for (const auto& [tres, weight] : policy_.weight_tres) {
      tres_sum += weight * TresFactor(pair, tres);
    }
    sum += tres_sum;
    sum += static_cast<double>(job.site_factor);
    sum -= job.nice;
    uint32_t priority = 1;
    if (sum >= 4294967295.0) {
      priority = 4294967295u;
    } else if (sum > 1) {
      priority = static_cast<uint32_t>(sum);
    }
    if (policy_.incr_only && job.previous_priority) {
      priority = std::max(priority, *job.previous_priority);
    }
    return priority;
  }

  // --- Section 6: order -------------------------------------------------------------------

  bool CanPreempt(const Pair& pair) const {
    const Job& job = jobs_[pair.job];
    if (job.preemptor) return *job.preemptor;
    if (policy_.preempt_by_qos && pair.qos != nullptr && !pair.qos->preempt.empty()) return true;
    if (!policy_.preempt_by_partition || pair.partition == nullptr) return false;
    for (const Partition& p : snapshot_.partitions()) {
      if (p.preemptible && p.priority_tier < pair.partition->priority_tier) return true;
    }
    return false;
  }

  bool Before(const Pair& a, const Pair& b) const {
    const Job& job_a = jobs_[a.job];
    const Job& job_b = jobs_[b.job];
    if (CanPreempt(a) != CanPreempt(b)) return CanPreempt(a);
    if (job_a.has_reservation != job_b.has_reservation) return job_a.has_reservation;
    const uint32_t tier_a = a.partition == nullptr ? 0 : a.partition->priority_tier;
    const uint32_t tier_b = b.partition == nullptr ? 0 : b.partition->priority_tier;
    if (tier_a != tier_b) return tier_a > tier_b;
    if (a.priority != b.priority) return *a.priority > *b.priority;
    if (Submitted(job_a) != Submitted(job_b)) return Submitted(job_a) < Submitted(job_b);
    if (job_a.job_id != job_b.job_id) {
      return NaiveIdBefore(std::string(job_a.job_id), std::string(job_b.job_id));
    }
    return a.place < b.place;
  }

  // --- Answers ----------------------------------------------------------------------------

  bool JobWanted(size_t job) const {
    const std::string account = association_[job] < 0 ? std::string(jobs_[job].account)
                                                      : associations_[association_[job]].account;
    return Wanted(options_.accounts, account) && Wanted(options_.users, jobs_[job].user);
  }

  bool PairWanted(const Pair& pair) const {
    return JobWanted(pair.job) &&
           Wanted(options_.partitions, pair.partition == nullptr ? "" : pair.partition->name);
  }

  NaiveRow RowOf(const Pair& pair) const {
    NaiveRow row;
    row.job_id = std::string(jobs_[pair.job].job_id);
    if (pair.partition != nullptr) row.partition = pair.partition->name;
    if (pair.qos != nullptr) row.qos = pair.qos->name;
    row.reason = pair.reason;
    row.priority = pair.priority;
    return row;
  }

  void AnswerRanked(NaiveRanking& answer) const {
    std::vector<Pair> ranked;
    for (const std::vector<Pair>& pairs : pairs_) {
      for (const Pair& pair : pairs) {
        if (jobs_[pair.job].state == JobState::kPending && pair.reason.empty() &&
            PairWanted(pair)) {
          ranked.push_back(pair);
        }
      }
    }
    std::sort(ranked.begin(), ranked.end(),
              [this](const Pair& a, const Pair& b) { return Before(a, b); });
    std::set<size_t> seen;
    for (const Pair& pair : ranked) {
      NaiveRow row = RowOf(pair);
      row.best_of_job = seen.insert(pair.job).second;
      if (options_.best_only && !row.best_of_job) continue;
      ++answer.ranked_total;
      if (answer.ranked.size() < options_.limit) answer.ranked.push_back(row);
    }
  }

  void AnswerOther(size_t job, NaiveRanking& answer) const {
    const bool running = jobs_[job].state != JobState::kPending && whole_[job] != "InvalidJob";
    if (!whole_[job].empty()) {
      AnswerWhole(job, running, answer);
      return;
    }
    const Pair* shown = nullptr;
    bool startable = false;
    for (const Pair& pair : pairs_[job]) {
      startable = startable || pair.reason.empty();
      if (!PairWanted(pair)) continue;
      if (shown == nullptr || (!running && Severity(pair.reason) > Severity(shown->reason))) {
        shown = &pair;
      }
    }
    if (shown == nullptr || (!running && startable)) return;
    NaiveRow row = RowOf(*shown);
    if (running) {
      row.reason.clear();
      if (!policy_.calculate_running) row.priority.reset();
      answer.running.push_back(row);
    } else {
      ++answer.ineligible_total;
      answer.ineligible.push_back(row);
    }
  }

  // Of a job without any pair.
  void AnswerWhole(size_t job, bool running, NaiveRanking& answer) const {
    bool wanted = false;
    for (const absl::string_view name : jobs_[job].partitions) {
      wanted = wanted || Wanted(options_.partitions, name);
    }
    if (jobs_[job].partitions.empty()) {
      wanted = Wanted(options_.partitions,
                      DefaultPartition() == nullptr ? "" : DefaultPartition()->name);
    }
    if (!wanted || !JobWanted(job)) return;
    NaiveRow row;
    row.job_id = std::string(jobs_[job].job_id);
    if (running) {
      answer.running.push_back(row);
      return;
    }
    row.reason = whole_[job];
    ++answer.ineligible_total;
    answer.ineligible.push_back(row);
  }

  const Snapshot& snapshot_;
  const Policy& policy_;
  absl::Span<const Job> jobs_;
  const RankOptions& options_;
  std::vector<Association> associations_;
  std::set<std::string> ids_;
  // By job.
  std::vector<int> association_;
  std::vector<std::string> whole_;  // Why there is no pair.
  std::vector<std::vector<Pair>> pairs_;
  std::set<size_t> over_limit_;
};

}  // namespace

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

NaiveRanking NaiveRank(const Snapshot& snapshot, absl::Span<const Job> jobs,
                       const RankOptions& options) {
  return NaiveRanker(snapshot, jobs, options).Answer();
}

std::ostream& operator<<(std::ostream& out, const NaiveRow& row) {
  out << row.job_id << "@" << row.partition << "/" << row.qos << " " << row.reason << " ";
  if (row.priority) out << *row.priority;
  return out << (row.best_of_job ? " best" : "");
}

}  // namespace priorityd
