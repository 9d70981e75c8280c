#include "server/api/plans/suggest_preemption.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "engine/plan/preemption.h"
#include "engine/priority/jobs/job_id.h"
#include "server/api/plans/convert_plan.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The action on victims by PreemptMode.
std::string ModeOf(const priority::Policy& policy) {
  for (const absl::string_view word : absl::StrSplit(policy.preempt_mode, ',')) {
    if (word == "CANCEL" || word == "REQUEUE" || word == "SUSPEND") return std::string(word);
  }
  return "REQUEUE";
}

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
      priorityd::priority::Rank(queue.snapshot, jobs, {.as_of = queue.as_of, .best_only = true});
  std::vector<std::optional<uint32_t>> priorities(jobs.size());
  for (const auto& row : ranking.ranked) priorities[row.job] = row.priority;
  for (const auto& row : ranking.ineligible) priorities[row.job] = row.priority;
  return priorities;
}

// A waiting job and the running jobs.
class Preemption {
 public:
  // `exempt`: the minimum run time of victims; nullopt = as configured.
  Preemption(const PlannedQueue& queue, const DescribedCluster& described,
             std::optional<absl::Duration> exempt)
      : queue_(queue), described_(described), exempt_(exempt), priorities_(Priorities(queue)) {
    for (const priority::JobRow& row : queue.ranking.running) {
      running_.push_back(described.RunningOf(queue.jobs[row.job], row.partition, queue.as_of));
    }
  }

  // One of the job's rows.
  void Try(const priority::RankedRow& row) {
    const priority::Job& job = queue_.jobs[row.job];
    const std::vector<int> candidates = Candidates(row);
    preemptible_ = std::max(preemptible_, candidates.size());
    const plan::WaitingJob waiting = {.request = described_.RequestOf(job),
                                      .places = {described_.PlaceOf(job, row.partition)}};
    auto victims = plan::ChooseVictims(described_.cluster(), running_, waiting, candidates);
    if (!victims.has_value()) return;
    if (best_.has_value() && best_->running.size() <= victims->running.size()) return;
    best_ = std::move(victims);
    row_ = &row;
  }

  void Fill(const std::string& job_id, v1::SuggestPreemptionResponse* response) const {
    response->set_possible(best_.has_value());
    response->set_preemptible(static_cast<uint32_t>(preemptible_));
    if (!best_.has_value()) return response->set_message(WhyNot(job_id));
    if (row_->partition >= 0) {
      response->set_partition(queue_.snapshot.partitions()[row_->partition].name);
    }
    if (row_->qos >= 0) response->set_qos(queue_.snapshot.qos()[row_->qos].name);
    for (const int running : best_->running) Fill(running, response->add_victims());
    for (std::string& node : described_.NodeNames(best_->nodes)) {
      response->add_nodes(std::move(node));
    }
    response->set_fewest(best_->fewest);
    const std::string nodes = absl::StrJoin(response->nodes(), ",");
    std::vector<std::string> victims;
    for (const auto& victim : response->victims()) victims.push_back(victim.job_id());
    response->set_message(
        victims.empty()
            ? absl::StrCat("Job ", job_id, " fits on ", nodes, " and needs no preemption.")
            : absl::StrCat("Job ", job_id, " can start on ", nodes, " if it preempts ",
                           victims.size() == 1 ? "job " : "jobs ", absl::StrJoin(victims, ", "),
                           ", of ", preemptible_, " that it may."));
  }

 private:
  void Fill(int running, v1::PreemptionVictim* victim) const {
    const priority::JobRow& row = queue_.ranking.running[running];
    const priority::Job& job = queue_.jobs[row.job];
    victim->set_job_id(std::string(job.job_id));
    victim->set_user(std::string(job.user));
    victim->set_account(std::string(row.association == priority::kNoAssociation
                                        ? job.account
                                        : queue_.snapshot.tree().account(row.association)));
    if (row.partition >= 0) {
      victim->set_partition(queue_.snapshot.partitions()[row.partition].name);
    }
    if (row.qos >= 0) victim->set_qos(queue_.snapshot.qos()[row.qos].name);
    if (priorities_[running].has_value()) victim->set_priority(*priorities_[running]);
    victim->set_mode(ModeOf(queue_.snapshot.policy()));
  }

  // The order of victims that precedes their priority.
  uint32_t Tier(const priority::JobRow& row) const {
    const bool by_qos = queue_.snapshot.policy().preempt_by_qos;
    const int index = by_qos ? row.qos : row.partition;
    if (index < 0) return 0;
    return by_qos ? queue_.snapshot.qos()[index].priority
                  : queue_.snapshot.partitions()[index].priority_tier;
  }

  // The minimum run time before the job can be preempted.
  absl::Duration ExemptTime(const priority::JobRow& victim) const {
    if (exempt_.has_value()) return *exempt_;
    const priority::Policy& policy = queue_.snapshot.policy();
    // As in Slurm, only for modes in which the job loses its work.
    if (ModeOf(policy) == "SUSPEND") return absl::ZeroDuration();
    if (victim.qos < 0) return policy.preempt_exempt_time;
    return queue_.snapshot.qos()[victim.qos].preempt_exempt_time.value_or(
        policy.preempt_exempt_time);
  }

  bool MayPreempt(const priority::RankedRow& row, const priority::JobRow& victim) const {
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

  // The first victims come first.
  std::vector<int> Candidates(const priority::RankedRow& row) const {
    std::vector<int> candidates;
    const auto& running = queue_.ranking.running;
    for (size_t i = 0; i < running.size(); ++i) {
      if (MayPreempt(row, running[i])) candidates.push_back(static_cast<int>(i));
    }
    std::sort(candidates.begin(), candidates.end(), [&](int a, int b) { return GoesFirst(a, b); });
    return candidates;
  }

  bool GoesFirst(int a, int b) const {
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

  std::string WhyNot(const std::string& job_id) const {
    const priority::Policy& policy = queue_.snapshot.policy();
    if (!policy.preempt_by_qos && !policy.preempt_by_partition) {
      return absl::StrCat(
          "Job ", job_id,
          " does not fit now, and with PreemptType=preempt/none no job is preempted.");
    }
    return absl::StrCat("Job ", job_id, " would not fit without all ", preemptible_,
                        " jobs that it may preempt.");
  }

  const PlannedQueue& queue_;
  const DescribedCluster& described_;
  const std::optional<absl::Duration> exempt_;
  const std::vector<std::optional<uint32_t>> priorities_;  // By running row.
  std::vector<plan::RunningJob> running_;
  size_t preemptible_ = 0;
  std::optional<plan::Victims> best_;
  const priority::RankedRow* row_ = nullptr;
};

template <typename Row>
bool IsOf(const PlannedQueue& queue, const Row& row, const std::string& job_id) {
  return queue.jobs[row.job].job_id == absl::string_view(job_id.data(), job_id.size());
}

// Why an unranked job cannot preempt.
absl::Status TellUnranked(const PlannedQueue& queue, const std::string& job_id,
                          v1::SuggestPreemptionResponse* response) {
  for (const priority::IneligibleRow& row : queue.ranking.ineligible) {
    if (!IsOf(queue, row, job_id)) continue;
    response->set_message(
        absl::StrCat("Job ", job_id, " may not start, whichever jobs are preempted: ",
                     priority::ReasonName(queue.snapshot.limits(), row.why), "."));
    return absl::OkStatus();
  }
  for (const priority::JobRow& row : queue.ranking.running) {
    if (!IsOf(queue, row, job_id)) continue;
    return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                  "job_id: got ", job_id, ", which runs, want a job that waits")),
                              "JOB_RUNNING");
  }
  return absl::NotFoundError(absl::StrCat("job_id: got ", job_id, ", want a job of the queue"));
}

}  // namespace

absl::Status SuggestPreemption(const PlannedQueue& queue,
                               const v1::SuggestPreemptionRequest& request,
                               v1::SuggestPreemptionResponse* response) {
  rpc::ToProto(queue.snapshot, response->mutable_snapshot());
  rpc::ToProto(queue.as_of, response->mutable_as_of());
  const auto described =
      DescribedCluster::Make(queue.snapshot, request.description(), request.placements());
  if (!described.ok()) return described.status();
  std::vector<const priority::RankedRow*> rows;
  for (const priority::RankedRow& row : queue.ranking.ranked) {
    if (IsOf(queue, row, request.job_id())) rows.push_back(&row);
  }
  if (rows.empty()) return TellUnranked(queue, request.job_id(), response);
  std::optional<absl::Duration> exempt;
  if (request.has_preempt_exempt_time()) exempt = ToDuration(request.preempt_exempt_time());
  Preemption preemption(queue, *described, exempt);
  for (const priority::RankedRow* row : rows) preemption.Try(*row);
  preemption.Fill(request.job_id(), response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
