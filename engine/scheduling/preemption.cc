#include "engine/scheduling/preemption.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/priority/jobs/job_id.h"

namespace priorityd::scheduling {
namespace {

// The priority that each running job would have if it waited, in its partition under its QOS.
std::vector<std::optional<uint32_t>> Priorities(const PlannedQueue& queue) {
  std::vector<priority::Job> jobs;
  for (const priority::JobRow& row : queue.ranking.running) {
    priority::Job job = queue.jobs[row.job];
    job.state = priority::JobState::kPending;
    job.partitions.clear();
    job.qos.clear();
    if (row.partition >= 0) {
      job.partitions.push_back(queue.snapshot.partitions()[row.partition].name);
    }
    if (row.qos >= 0) job.qos.push_back(queue.snapshot.qos()[row.qos].name);
    jobs.push_back(std::move(job));
  }
  const auto ranking =
      priority::Rank(queue.snapshot, jobs, {.as_of = queue.as_of, .best_only = true});
  std::vector<std::optional<uint32_t>> priorities(jobs.size());
  for (const auto& row : ranking.ranked) priorities[row.job] = row.priority;
  for (const auto& row : ranking.ineligible) priorities[row.job] = row.priority;
  return priorities;
}

}  // namespace

Preemption::Preemption(const PlannedQueue& queue, const DescribedCluster& cluster,
                       const PreemptionOptions& options)
    : queue_(queue), cluster_(cluster), options_(options), priorities_(Priorities(queue)) {
  for (const priority::JobRow& row : queue.ranking.running) {
    running_.push_back(cluster.RunningOf(queue.jobs[row.job], row.partition, queue.as_of));
  }
  occupancy_ = plan::Occupy(cluster.cluster(), running_);
}

void Preemption::Try(const priority::RankedRow& row) {
  const priority::Job& job = queue_.jobs[row.job];
  const std::vector<int> candidates = Candidates(row);
  preemptible_ = std::max(preemptible_, candidates.size());
  const plan::WaitingJob waiting = {
      .request = cluster_.RequestOf(job, row.partition),
      .places = {cluster_.PlaceNow(job, row.partition, queue_.as_of)}};
  if (!HasLicenses(waiting.places[0])) {
    needs_licenses_ = true;
    return;
  }
  auto victims = plan::ChooseVictims(cluster_.cluster(), running_, waiting, candidates, work_);
  if (!victims.has_value()) return;
  const size_t needed = victims->running.size();
  if (victims_.has_value() && needed_ <= needed) return;
  if (options_.whole_nodes) AddWholeNodes(candidates, &*victims);
  victims_ = std::move(victims);
  needed_ = needed;
  row_ = &row;
}

bool Preemption::HasLicenses(const plan::Place& place) const {
  if (queue_.snapshot.policy().reclaim_licenses) return true;
  return absl::c_all_of(place.pools, [&](const plan::PoolNeed& need) {
    return cluster_.IsPartitionCap(need.pool) || occupancy_.free_of_pool[need.pool] >= need.amount;
  });
}

void Preemption::AddWholeNodes(const std::vector<int>& candidates, plan::Victims* victims) const {
  if (victims->running.empty()) return;
  const absl::flat_hash_set<int> nodes(victims->nodes.begin(), victims->nodes.end());
  const absl::flat_hash_set<int> chosen(victims->running.begin(), victims->running.end());
  victims->running.clear();
  for (const int running : candidates) {
    const auto is_there = [&nodes](int node) { return nodes.contains(node); };
    if (chosen.contains(running) || absl::c_any_of(occupancy_.nodes[running], is_there)) {
      victims->running.push_back(running);
    }
  }
}

std::string Preemption::Sentence(absl::string_view job_id) const {
  if (!victims_.has_value()) return WhyNot(job_id);
  const std::string nodes = absl::StrJoin(cluster_.NodeNames(victims_->nodes), ",");
  if (victims_->running.empty()) {
    return absl::StrCat("Job ", job_id, " fits on ", nodes, " and needs no preemption.");
  }
  std::vector<absl::string_view> ids;
  for (const int running : victims_->running) {
    ids.push_back(queue_.jobs[queue_.ranking.running[running].job].job_id);
  }
  return absl::StrCat("Job ", job_id, " can start on ", nodes, " if it preempts ",
                      ids.size() == 1 ? "job " : "jobs ", absl::StrJoin(ids, ", "), ", of ",
                      preemptible_, " that it may.");
}

std::string Preemption::WhyNot(absl::string_view job_id) const {
  const priority::Policy& policy = queue_.snapshot.policy();
  if (!policy.preempt_by_qos && !policy.preempt_by_partition) {
    return absl::StrCat(
        "Job ", job_id,
        " does not fit now, and with PreemptType=preempt/none no job is preempted.");
  }
  if (needs_licenses_) {
    return absl::StrCat("Job ", job_id,
                        " needs licenses that are in use, and without "
                        "PreemptParameters=reclaim_licenses no job is preempted for them.");
  }
  return absl::StrCat("Job ", job_id, " would not fit without all ", preemptible_,
                      " jobs that it may preempt.");
}

uint32_t Preemption::Tier(const priority::JobRow& row) const {
  const bool by_qos = queue_.snapshot.policy().preempt_by_qos;
  const int index = by_qos ? row.qos : row.partition;
  if (index < 0) return 0;
  return by_qos ? queue_.snapshot.qos()[index].priority
                : queue_.snapshot.partitions()[index].priority_tier;
}

absl::string_view Preemption::ModeWords(const priority::JobRow& row) const {
  const priority::Policy& policy = queue_.snapshot.policy();
  absl::string_view own;
  if (policy.preempt_by_qos && row.qos >= 0) own = queue_.snapshot.qos()[row.qos].preempt_mode;
  if (policy.preempt_by_partition) {
    own = queue_.snapshot.partition_rules(row.partition).preempt_mode;
  }
  return own.empty() ? policy.preempt_mode : own;
}

std::string Preemption::ModeOf(int running) const {
  const priority::JobRow& row = queue_.ranking.running[running];
  for (const absl::string_view word : absl::StrSplit(ModeWords(row), ',')) {
    if (word == "CANCEL" || word == "SUSPEND") return std::string(word);
  }
  const priority::Job& job = queue_.jobs[row.job];
  const bool requeued = job.requeue.value_or(queue_.snapshot.policy().job_requeue);
  return requeued && !job.interactive ? "REQUEUE" : "CANCEL";
}

absl::Duration Preemption::GraceTimeOf(int running) const {
  const priority::JobRow& row = queue_.ranking.running[running];
  if (ModeOf(running) == "SUSPEND") return absl::ZeroDuration();
  if (queue_.snapshot.policy().preempt_by_partition) {
    return queue_.snapshot.partition_rules(row.partition).grace_time;
  }
  return row.qos < 0 ? absl::ZeroDuration() : queue_.snapshot.qos()[row.qos].grace_time;
}

absl::Duration Preemption::ExemptTime(int running) const {
  if (options_.exempt.has_value()) return *options_.exempt;
  const priority::JobRow& victim = queue_.ranking.running[running];
  const priority::Policy& policy = queue_.snapshot.policy();
  // As in Slurm, only for modes in which the job loses its work.
  if (ModeOf(running) == "SUSPEND") return absl::ZeroDuration();
  if (victim.qos < 0) return policy.preempt_exempt_time;
  return queue_.snapshot.qos()[victim.qos].preempt_exempt_time.value_or(policy.preempt_exempt_time);
}

bool Preemption::MayPreempt(const priority::RankedRow& row, int running) const {
  const priority::Policy& policy = queue_.snapshot.policy();
  const priority::JobRow& victim = queue_.ranking.running[running];
  const priority::Job& job = queue_.jobs[victim.job];
  if (job.state != priority::JobState::kRunning) return false;
  if (queue_.as_of - job.start_time.value_or(queue_.as_of) < ExemptTime(running)) return false;
  if (!queue_.jobs[row.job].preemptor.value_or(true)) return false;
  // As slurmctld: a job of exactly that priority can be preempted.
  if (policy.min_exempt_priority.has_value() && priorities_[running] > policy.min_exempt_priority) {
    return false;
  }
  if (policy.preempt_by_partition && row.partition >= 0 && victim.partition >= 0) {
    return PartitionAllows(row, running);
  }
  if (!policy.preempt_by_qos || row.qos < 0 || victim.qos < 0 || policy.preempt_mode == "OFF") {
    return false;
  }
  return QosAllows(row, running);
}

bool Preemption::PartitionAllows(const priority::RankedRow& row, int running) const {
  const priority::JobRow& victim = queue_.ranking.running[running];
  if (HasMode(row, "PRIORITY") && row.priority < priorities_[running]) return false;
  return queue_.snapshot.partitions()[victim.partition].preemptible && Tier(victim) < Tier(row);
}

bool Preemption::QosAllows(const priority::RankedRow& row, int running) const {
  const int qos = queue_.ranking.running[running].qos;
  if (row.qos == qos) return HasMode(row, "WITHIN") && row.priority > priorities_[running];
  const auto& preempt = queue_.snapshot.qos()[row.qos].preempt;
  if (!absl::c_linear_search(preempt, queue_.snapshot.qos()[qos].name)) return false;
  return !HasMode(row, "PRIORITY") || row.priority > priorities_[running];
}

bool Preemption::HasMode(const priority::RankedRow& row, absl::string_view word) const {
  const auto has = [word](absl::string_view mode) {
    return absl::c_linear_search(absl::StrSplit(mode, ','), word);
  };
  return has(ModeWords(row)) || has(queue_.snapshot.policy().preempt_mode);
}

std::vector<int> Preemption::Candidates(const priority::RankedRow& row) const {
  std::vector<int> candidates;
  const auto& running = queue_.ranking.running;
  for (size_t i = 0; i < running.size(); ++i) {
    const int number = static_cast<int>(i);
    if (MayPreempt(row, number)) candidates.push_back(number);
  }
  std::sort(candidates.begin(), candidates.end(), [&](int a, int b) { return GoesFirst(a, b); });
  return candidates;
}

bool Preemption::GoesFirst(int a, int b) const {
  const priority::JobRow& row_a = queue_.ranking.running[a];
  const priority::JobRow& row_b = queue_.ranking.running[b];
  const priority::Job& job_a = queue_.jobs[row_a.job];
  const priority::Job& job_b = queue_.jobs[row_b.job];
  if (queue_.snapshot.policy().youngest_first && job_a.start_time != job_b.start_time) {
    return job_a.start_time > job_b.start_time;
  }
  const auto key_a = std::tuple(Tier(row_a), priorities_[a].value_or(0));
  const auto key_b = std::tuple(Tier(row_b), priorities_[b].value_or(0));
  if (key_a != key_b) return key_a < key_b;
  if (job_a.start_time != job_b.start_time) return job_a.start_time > job_b.start_time;
  return priority::CompareJobIds(job_a.job_id, job_b.job_id) > 0;
}

}  // namespace priorityd::scheduling
