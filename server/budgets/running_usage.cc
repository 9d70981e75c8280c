#include "server/budgets/running_usage.h"

#include <algorithm>
#include <utility>

#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/limits/limits.h"

namespace priorityd::budgets {
namespace {

using priority::AssociationIndex;
using priority::LimitKind;
using priority::Snapshot;

bool LimitsUsage(const std::vector<priority::LimitValue>& limits) {
  return std::any_of(limits.begin(), limits.end(), [](const priority::LimitValue& limit) {
    return limit.kind == LimitKind::kGrpTresRunMins || limit.kind == LimitKind::kMaxTresRunMins ||
           limit.kind == LimitKind::kMaxTresRunMinsPerAccount;
  });
}

// Whether the snapshot contains the end of recorded usage by job.
bool KnowsRecorded(const Snapshot& snapshot) {
  const auto is_own = [](const priority::GrantStanding& grant) { return grant.domain.empty(); };
  if (std::any_of(snapshot.grants().begin(), snapshot.grants().end(), is_own)) return true;
  for (const priority::Qos& qos : snapshot.qos()) {
    if (!qos.grp_tres_mins.empty() || qos.grp_wall.has_value() || LimitsUsage(qos.other_limits)) {
      return true;
    }
  }
  const priority::AssociationTree& tree = snapshot.tree();
  for (AssociationIndex i = 0; tree.has_limits() && i < tree.size(); ++i) {
    const priority::AssociationLimits& limits = tree.limits(i);
    if (!limits.grp_tres_mins.empty() || limits.grp_wall.has_value() ||
        LimitsUsage(limits.others)) {
      return true;
    }
  }
  return false;
}

std::optional<absl::Duration> MaxWallOf(const priority::Limits& limits,
                                        const priority::Limits::Chain& chain) {
  for (const int32_t i : chain.first) {
    if (limits.limits()[i].kind == LimitKind::kMaxWall) {
      return absl::Seconds(limits.limits()[i].limit);
    }
  }
  return std::nullopt;
}

void AddTo(const priority::TresMap& from, double times, priority::TresMap& to) {
  for (const auto& [name, count] : from) {
    if (count != 0) to[name] += count * times;
  }
}

void AddTo(const JobSums& from, JobSums& to) {
  to.running += from.running;
  to.wall_seconds += from.wall_seconds;
  AddTo(from.tres, 1, to.tres);
  AddTo(from.run_seconds, 1, to.run_seconds);
}

// Sums up jobs.
class Sums {
 public:
  Sums(const Snapshot& snapshot, absl::flat_hash_map<AssociationIndex, JobSums>* associations,
       std::vector<JobSums>* qos)
      : snapshot_(snapshot), billing_(snapshot), associations_(*associations), qos_(*qos) {
    qos_.resize(snapshot.qos().size());
  }

  void AddSubmitted(const queue::JobChunk& chunk) {
    for (uint32_t i = 0; i < chunk.table().jobs(); ++i) {
      const uint32_t row = chunk.table().first_row[i];
      if (row == chunk.table().first_row[i + 1]) continue;
      ForEachQos(chunk.table().partition[row], chunk.table().qos[row],
                 [&](JobSums& sums) { sums.submitted += chunk.tasks(i); });
    }
  }

  void Add(const RunningJob& of) {
    tres_.clear();
    priority::FillTres(of.job, tres_, snapshot_.job_defaults(of.partition));
    tres_["billing"] = billing_.Count(of.job, of.partition);
    const double seconds =
        absl::ToDoubleSeconds(of.left) * (of.qos < 0 ? 1 : snapshot_.qos()[of.qos].usage_factor);
    if (of.association != priority::kNoAssociation) {
      AddTo(of.job, seconds, associations_[of.association]);
    }
    ForEachQos(of.partition, of.qos, [&](JobSums& sums) { AddTo(of.job, seconds, sums); });
  }

  // Adds the sums of each association to its ancestors.
  void RollUp() {
    std::vector<std::pair<AssociationIndex, JobSums>> own(associations_.begin(),
                                                          associations_.end());
    const absl::Span<const AssociationIndex> parents = snapshot_.tree().parent();
    for (const auto& [association, sums] : own) {
      for (AssociationIndex i = parents[association]; i != priority::kNoAssociation;
           i = parents[i]) {
        AddTo(sums, associations_[i]);
      }
    }
  }

 private:
  void AddTo(const priority::Job& job, double seconds, JobSums& sums) const {
    sums.running += job.array_tasks;
    sums.wall_seconds += seconds;
    budgets::AddTo(tres_, 1, sums.tres);
    budgets::AddTo(tres_, seconds, sums.run_seconds);
  }
  static void AddTo(const JobSums& from, JobSums& to) { budgets::AddTo(from, to); }

  // The QOS whose limits count a job: its own one and that of its partition.
  void ForEachQos(int partition, int qos, absl::FunctionRef<void(JobSums& sums)> take) const {
    const priority::QosOrder order = snapshot_.limits().OrderOf(partition, qos);
    for (const int one : {order.first, order.second}) {
      if (one >= 0) take(qos_[one]);
    }
  }

  const Snapshot& snapshot_;
  priority::JobBilling billing_;
  absl::flat_hash_map<AssociationIndex, JobSums>& associations_;
  std::vector<JobSums>& qos_;
  priority::TresMap tres_;  // Of the current job.
};

// Sets the times of `of`.
void SetTimes(const Snapshot& snapshot, bool knows_recorded, RunningJob* of) {
  const priority::Job& job = of->job;
  absl::Duration limit = TimeLimitOf(snapshot, job, of->association, of->partition, of->qos);
  of->from = snapshot.computed_at();
  if (job.start_time.has_value()) {
    if (knows_recorded) of->from = snapshot.RecordedUntil(job.job_id);
    of->from = std::max(of->from, *job.start_time);
    limit -= of->from - *job.start_time;
  }
  of->left = std::clamp(limit, absl::ZeroDuration(), absl::Seconds(kLongestSeconds));
}

const JobSums& Nothing() {
  static const JobSums* const nothing = new JobSums;
  return *nothing;
}

}  // namespace

RunningUsage::RunningUsage(std::shared_ptr<const queue::QueueState> state)
    : state_(std::move(state)) {
  Sums sums(state_->snapshot(), &associations_, &qos_);
  for (const auto& chunk : state_->chunks()) sums.AddSubmitted(*chunk);
  ForEachJob([&sums](const RunningJob& job) { sums.Add(job); });
  sums.RollUp();
}

void RunningUsage::ForEachJob(absl::FunctionRef<void(const RunningJob& job)> take) const {
  if (state_ == nullptr) return;
  const bool knows_recorded = KnowsRecorded(state_->snapshot());
  for (const auto& chunk : state_->chunks()) {
    if (chunk->digest().summary().counts.running_jobs == 0) continue;
    const priority::JobTable& table = chunk->table();
    for (uint32_t i = 0; i < table.jobs(); ++i) {
      const uint32_t row = table.first_row[i];
      const bool has_rows = row < table.first_row[i + 1];
      if (has_rows && !table.Running(row)) continue;
      const queue::TrackedJob tracked = chunk->job(i);
      if (tracked.job.state == priority::JobState::kPending || tracked.ended()) continue;
      RunningJob of{.job = tracked.job,
                    .association = table.association[i],
                    .partition = has_rows ? table.partition[row] : -1,
                    .qos = has_rows ? table.qos[row] : -1,
                    .from = {},
                    .left = {}};
      SetTimes(state_->snapshot(), knows_recorded, &of);
      take(of);
    }
  }
}

const JobSums& RunningUsage::OfAssociation(const Snapshot& snapshot, AssociationIndex i) const {
  if (state_ == nullptr) return Nothing();
  if (&snapshot != &state_->snapshot()) {
    i = state_->snapshot().tree().FindId(snapshot.tree().id()[i]);
  }
  const auto found = associations_.find(i);
  return found == associations_.end() ? Nothing() : found->second;
}

const JobSums& RunningUsage::OfQos(const Snapshot& snapshot, int qos) const {
  if (state_ == nullptr) return Nothing();
  if (&snapshot != &state_->snapshot()) {
    qos = state_->snapshot().FindQos(snapshot.qos()[qos].name);
  }
  return qos < 0 ? Nothing() : qos_[qos];
}

double RunningUsage::RunSeconds(const Snapshot& snapshot, const Budget& budget) const {
  const JobSums& sums =
      budget.of_qos() ? OfQos(snapshot, budget.qos) : OfAssociation(snapshot, budget.association);
  if (budget.tres.empty()) return sums.wall_seconds;
  const auto found = sums.run_seconds.find(budget.tres);
  return found == sums.run_seconds.end() ? 0 : found->second;
}

absl::Duration TimeLimitOf(const Snapshot& snapshot, const priority::Job& job,
                           AssociationIndex association, int partition, int qos) {
  if (job.time_limit.has_value()) return *job.time_limit;
  const priority::Limits& limits = snapshot.limits();
  std::optional<absl::Duration> wall;
  if (!limits.empty() && association != priority::kNoAssociation) {
    wall = MaxWallOf(limits, limits.OfQos(limits.OrderOf(partition, qos)).chain);
    if (!wall.has_value()) wall = MaxWallOf(limits, limits.OfAssociation(association));
  }
  if (partition < 0) return wall.value_or(absl::InfiniteDuration());
  const priority::Partition& defaults = snapshot.partitions()[partition];
  if (wall.has_value()) return std::min(*wall, defaults.max_time);
  return defaults.default_time.value_or(defaults.max_time);
}

}  // namespace priorityd::budgets
