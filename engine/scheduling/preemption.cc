#include "engine/scheduling/preemption.h"

#include <algorithm>
#include <tuple>
#include <utility>

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

std::string PreemptModeOf(const priority::Policy& policy, const priority::Job& victim) {
  for (const absl::string_view word : absl::StrSplit(policy.preempt_mode, ',')) {
    if (word == "CANCEL" || word == "SUSPEND") return std::string(word);
  }
  return victim.requeue.value_or(policy.job_requeue) ? "REQUEUE" : "CANCEL";
}

Preemption::Preemption(const PlannedQueue& queue, const DescribedCluster& cluster,
                       std::optional<absl::Duration> exempt)
    : queue_(queue), cluster_(cluster), exempt_(exempt), priorities_(Priorities(queue)) {
  for (const priority::JobRow& row : queue.ranking.running) {
    running_.push_back(cluster.RunningOf(queue.jobs[row.job], row.partition, queue.as_of));
  }
}

void Preemption::Try(const priority::RankedRow& row) {
  const priority::Job& job = queue_.jobs[row.job];
  const std::vector<int> candidates = Candidates(row);
  preemptible_ = std::max(preemptible_, candidates.size());
  const plan::WaitingJob waiting = {
      .request = cluster_.RequestOf(job, row.partition),
      .places = {cluster_.PlaceNow(job, row.partition, queue_.as_of)}};
  auto victims = plan::ChooseVictims(cluster_.cluster(), running_, waiting, candidates);
  if (!victims.has_value()) return;
  if (victims_.has_value() && victims_->running.size() <= victims->running.size()) return;
  victims_ = std::move(victims);
  row_ = &row;
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

absl::Duration Preemption::ExemptTime(const priority::JobRow& victim) const {
  if (exempt_.has_value()) return *exempt_;
  const priority::Policy& policy = queue_.snapshot.policy();
  // As in Slurm, only for modes in which the job loses its work.
  if (PreemptModeOf(policy, queue_.jobs[victim.job]) == "SUSPEND") return absl::ZeroDuration();
  if (victim.qos < 0) return policy.preempt_exempt_time;
  return queue_.snapshot.qos()[victim.qos].preempt_exempt_time.value_or(policy.preempt_exempt_time);
}

bool Preemption::MayPreempt(const priority::RankedRow& row, const priority::JobRow& victim) const {
  const priority::Policy& policy = queue_.snapshot.policy();
  const priority::Job& job = queue_.jobs[victim.job];
  if (job.state != priority::JobState::kRunning) return false;
  if (queue_.as_of - job.start_time.value_or(queue_.as_of) < ExemptTime(victim)) return false;
  if (!queue_.jobs[row.job].preemptor.value_or(true)) return false;
  if (policy.preempt_by_partition && row.partition >= 0 && victim.partition >= 0) {
    return queue_.snapshot.partitions()[victim.partition].preemptible && Tier(victim) < Tier(row);
  }
  if (!policy.preempt_by_qos || row.qos < 0 || victim.qos < 0 || policy.preempt_mode == "OFF") {
    return false;
  }
  const auto& preempt = queue_.snapshot.qos()[row.qos].preempt;
  const std::string& name = queue_.snapshot.qos()[victim.qos].name;
  return std::find(preempt.begin(), preempt.end(), name) != preempt.end();
}

std::vector<int> Preemption::Candidates(const priority::RankedRow& row) const {
  std::vector<int> candidates;
  const auto& running = queue_.ranking.running;
  for (size_t i = 0; i < running.size(); ++i) {
    if (MayPreempt(row, running[i])) candidates.push_back(static_cast<int>(i));
  }
  std::sort(candidates.begin(), candidates.end(), [&](int a, int b) { return GoesFirst(a, b); });
  return candidates;
}

bool Preemption::GoesFirst(int a, int b) const {
  const priority::JobRow& row_a = queue_.ranking.running[a];
  const priority::JobRow& row_b = queue_.ranking.running[b];
  const priority::Job& job_a = queue_.jobs[row_a.job];
  const priority::Job& job_b = queue_.jobs[row_b.job];
  const auto key_a = std::tuple(Tier(row_a), priorities_[a].value_or(0));
  const auto key_b = std::tuple(Tier(row_b), priorities_[b].value_or(0));
  if (key_a != key_b) return key_a < key_b;
  if (job_a.start_time != job_b.start_time) return job_a.start_time > job_b.start_time;
  return priority::CompareJobIds(job_a.job_id, job_b.job_id) > 0;
}

}  // namespace priorityd::scheduling
