#include "tests/engine/priority/naive_ranking.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include "tests/engine/priority/naive_jobs.h"
#include "tests/engine/priority/naive_priority.h"

namespace priorityd::priority {
namespace {

bool Wanted(absl::Span<const absl::string_view> names, absl::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

class NaiveRanker {
 public:
  NaiveRanker(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options)
      : snapshot_(snapshot),
        policy_(snapshot.policy()),
        jobs_(jobs),
        options_(options),
        queue_(snapshot, jobs, options.as_of) {
    SetNaivePriorities(queue_);
  }

  NaiveAhead Ahead(size_t place) const {
    NaiveAhead ahead;
    const std::vector<NaivePair> ranked = Ranked();
    const std::vector<NaiveTerm> own = NaiveTerms(queue_, ranked[place]);
    for (size_t i = 0; i < place; ++i) {
      std::string rule = Rule(ranked[i], ranked[place]);
      if (rule == "priority") rule = MostAdding(NaiveTerms(queue_, ranked[i]), own, &ahead.close);
      ++ahead.rows[rule];
    }
    return ahead;
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
  absl::Time Submitted(const Job& job) const { return job.submit_time.value_or(options_.as_of); }

  // --- Section 6: order -------------------------------------------------------------------

  bool CanPreempt(const NaivePair& pair) const {
    const Job& job = jobs_[pair.job];
    if (job.preemptor) return *job.preemptor;
    if (policy_.preempt_by_qos && pair.qos != nullptr && !pair.qos->preempt.empty()) return true;
    if (!policy_.preempt_by_partition || pair.partition == nullptr) return false;
    for (const Partition& p : snapshot_.partitions()) {
      if (p.preemptible && p.priority_tier < pair.partition->priority_tier) return true;
    }
    return false;
  }

  static bool Reserved(const Job& job) { return !job.reservation.empty(); }

  bool Before(const NaivePair& a, const NaivePair& b) const {
    const Job& job_a = jobs_[a.job];
    const Job& job_b = jobs_[b.job];
    if (CanPreempt(a) != CanPreempt(b)) return CanPreempt(a);
    if (Reserved(job_a) != Reserved(job_b)) return Reserved(job_a);
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

  // The first difference of two that are not equal in order.
  std::string Rule(const NaivePair& a, const NaivePair& b) const {
    const Job& job_a = jobs_[a.job];
    const Job& job_b = jobs_[b.job];
    if (CanPreempt(a) != CanPreempt(b)) return "preemptor";
    if (Reserved(job_a) != Reserved(job_b)) return "reservation";
    const uint32_t tier_a = a.partition == nullptr ? 0 : a.partition->priority_tier;
    const uint32_t tier_b = b.partition == nullptr ? 0 : b.partition->priority_tier;
    if (tier_a != tier_b) return "priority_tier";
    if (a.priority != b.priority) return "priority";
    return Submitted(job_a) != Submitted(job_b) ? "submit_time" : "job_id";
  }

  static std::string MostAdding(const std::vector<NaiveTerm>& terms,
                                const std::vector<NaiveTerm>& own, bool* close) {
    std::vector<double> added;
    for (size_t i = 0; i < terms.size(); ++i) added.push_back(terms[i].points - own[i].points);
    const double most = *std::max_element(added.begin(), added.end());
    const double noise = 1e-6 * (1 + std::abs(most));
    const auto near = [&](double points) { return points > most - noise; };
    if (std::count_if(added.begin(), added.end(), near) > 1) *close = true;
    return terms[std::find(added.begin(), added.end(), most) - added.begin()].name;
  }

  // --- Answers ----------------------------------------------------------------------------

  bool JobWanted(size_t job) const {
    const std::string account = queue_.association[job] < 0
                                    ? std::string(jobs_[job].account)
                                    : queue_.associations[queue_.association[job]].account;
    return Wanted(options_.accounts, account) && Wanted(options_.users, jobs_[job].user);
  }

  bool PairWanted(const NaivePair& pair) const {
    return JobWanted(pair.job) &&
           Wanted(options_.partitions, pair.partition == nullptr ? "" : pair.partition->name);
  }

  NaiveRow RowOf(const NaivePair& pair) const {
    NaiveRow row;
    row.job_id = std::string(jobs_[pair.job].job_id);
    if (pair.partition != nullptr) row.partition = pair.partition->name;
    if (pair.qos != nullptr) row.qos = pair.qos->name;
    row.reason = pair.reason;
    row.priority = pair.priority;
    return row;
  }

  std::vector<NaivePair> Ranked() const {
    std::vector<NaivePair> ranked;
    for (const std::vector<NaivePair>& pairs : queue_.pairs) {
      for (const NaivePair& pair : pairs) {
        if (jobs_[pair.job].state == JobState::kPending && pair.reason.empty() &&
            PairWanted(pair)) {
          ranked.push_back(pair);
        }
      }
    }
    std::sort(ranked.begin(), ranked.end(),
              [this](const NaivePair& a, const NaivePair& b) { return Before(a, b); });
    return ranked;
  }

  void AnswerRanked(NaiveRanking& answer) const {
    std::set<size_t> seen;
    for (const NaivePair& pair : Ranked()) {
      NaiveRow row = RowOf(pair);
      row.best_of_job = seen.insert(pair.job).second;
      if (options_.best_only && !row.best_of_job) continue;
      ++answer.ranked_total;
      if (answer.ranked.size() < options_.limit) answer.ranked.push_back(row);
    }
  }

  void AnswerOther(size_t job, NaiveRanking& answer) const {
    const bool running =
        jobs_[job].state != JobState::kPending && queue_.whole[job] != "InvalidJob";
    if (!queue_.whole[job].empty()) {
      AnswerWhole(job, running, answer);
      return;
    }
    const NaivePair* shown = nullptr;
    bool startable = false;
    for (const NaivePair& pair : queue_.pairs[job]) {
      startable = startable || pair.reason.empty();
      if (!PairWanted(pair)) continue;
      if (shown == nullptr ||
          (!running && NaiveSeverity(pair.reason) > NaiveSeverity(shown->reason))) {
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
                      queue_.DefaultPartition() == nullptr ? "" : queue_.DefaultPartition()->name);
    }
    if (!wanted || !JobWanted(job)) return;
    NaiveRow row;
    row.job_id = std::string(jobs_[job].job_id);
    if (running) {
      answer.running.push_back(row);
      return;
    }
    row.reason = queue_.whole[job];
    ++answer.ineligible_total;
    answer.ineligible.push_back(row);
  }

  const Snapshot& snapshot_;
  const Policy& policy_;
  absl::Span<const Job> jobs_;
  const RankOptions& options_;
  NaiveJobs queue_;
};

}  // namespace

NaiveAhead NaiveRowsAhead(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of,
                          size_t place) {
  RankOptions options;
  options.as_of = as_of;
  return NaiveRanker(snapshot, jobs, options).Ahead(place);
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

}  // namespace priorityd::priority
