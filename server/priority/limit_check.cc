#include "server/priority/limit_check.h"

#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "server/priority/job_demand.h"

namespace priorityd::priority {
namespace {

constexpr double kTolerance = 1e-9;

absl::Duration TimeLimitOf(const Snapshot& snapshot, const Job& job, int partition) {
  if (job.time_limit.has_value()) return *job.time_limit;
  if (partition < 0) return absl::InfiniteDuration();
  const Partition& defaults = snapshot.partitions()[partition];
  return defaults.default_time.value_or(defaults.max_time);
}

// What one job takes up over `seconds`.
class Demand {
 public:
  Demand(const UsageLimits& limits, const Job& job, int partition, double seconds,
         JobBilling& billing)
      : limits_(limits), job_(job), partition_(partition), seconds_(seconds), billing_(billing) {}

  // `tres` as in UsageLimit.
  double Of(int tres) {
    if (tres == UsageLimit::kWall) return seconds_;
    const double count = CountOf(limits_.tres()[tres]);
    return count == 0 ? 0 : count * seconds_;
  }

 private:
  double CountOf(const std::string& tres) {
    if (tres != "billing") return TresCountOf(job_, tres);
    if (priced_ < 0) priced_ = billing_.Count(job_, partition_);
    return priced_;
  }

  const UsageLimits& limits_;
  const Job& job_;
  int partition_;
  double seconds_;
  JobBilling& billing_;
  double priced_ = -1;  // The billing count; negative = not priced yet.
};

double SecondsLeft(const Snapshot& snapshot, const Job& job, int partition) {
  absl::Duration left = TimeLimitOf(snapshot, job, partition);
  if (job.start_time.has_value()) {
    const absl::Time until = std::max(snapshot.RecordedUntil(job.job_id), *job.start_time);
    left -= until - *job.start_time;
  }
  return std::max(0.0, absl::ToDoubleSeconds(left));
}

bool Concerned(const UsageLimits& limits, AssociationIndex association, int qos) {
  return !limits.OfAssociation(association).empty() || !limits.OfQos(qos).empty();
}

}  // namespace

LimitDemands::LimitDemands(const Snapshot& snapshot, absl::Span<const Job> jobs,
                           const JobTable& table) {
  const UsageLimits& limits = snapshot.usage_limits();
  if (limits.empty()) return;
  width_ = limits.tres().size() + 1;
  AddWanted(snapshot, jobs, table);
  AddRunning(snapshot, jobs, table);
  FindMost(snapshot, table);
}

void LimitDemands::AddWanted(const Snapshot& snapshot, absl::Span<const Job> jobs,
                             const JobTable& table) {
  const UsageLimits& limits = snapshot.usage_limits();
  JobBilling billing(snapshot);
  wanted_.resize(table.rows() * width_);
  for (size_t row = 0; row < table.rows(); ++row) {
    const uint32_t job = table.job[row];
    if (table.Running(row)) continue;
    if (!Concerned(limits, table.association[job], table.qos[row])) continue;
    const int partition = table.partition[row];
    const double seconds = absl::ToDoubleSeconds(TimeLimitOf(snapshot, jobs[job], partition));
    Demand demand(limits, jobs[job], partition, seconds, billing);
    for (size_t i = 0; i < width_; ++i) {
      wanted_[row * width_ + i] = demand.Of(static_cast<int>(i) + UsageLimit::kWall);
    }
  }
}

void LimitDemands::AddRunning(const Snapshot& snapshot, absl::Span<const Job> jobs,
                              const JobTable& table) {
  const UsageLimits& limits = snapshot.usage_limits();
  JobBilling billing(snapshot);
  running_.resize(limits.limits().size());
  for (uint32_t i = 0; i < jobs.size(); ++i) {
    const AssociationIndex association = table.association[i];
    if (jobs[i].state == JobState::kPending || association == kNoAssociation) continue;
    const uint32_t row = table.first_row[i];
    const bool resolved = row < table.first_row[i + 1];
    const int partition = resolved ? table.partition[row] : -1;
    const int qos = resolved ? table.qos[row] : -1;
    Demand demand(limits, jobs[i], partition, SecondsLeft(snapshot, jobs[i], partition), billing);
    for (const auto& chain : {limits.OfAssociation(association), limits.OfQos(qos)}) {
      for (const int32_t limit : chain) running_[limit] += demand.Of(limits.limits()[limit].tres);
    }
  }
}

void LimitDemands::FindMost(const Snapshot& snapshot, const JobTable& table) {
  const UsageLimits& limits = snapshot.usage_limits();
  absl::flat_hash_map<int32_t, double> most;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (table.Running(row) || table.reason[row] != Reason::kNone) continue;
    const AssociationIndex association = table.association[table.job[row]];
    for (const auto& chain : {limits.OfAssociation(association), limits.OfQos(table.qos[row])}) {
      for (const int32_t limit : chain) {
        const double wanted = Of(row, limits.limits()[limit]);
        double& so_far = most.emplace(limit, wanted).first->second;
        so_far = std::max(so_far, wanted);
      }
    }
  }
  for (const auto& [limit, wanted] : most) most_.push_back({limit, wanted});
}

LimitCheck::LimitCheck(const Snapshot& snapshot, absl::Span<const double> running, absl::Time as_of)
    : snapshot_(snapshot), limits_(snapshot.usage_limits()), running_(running) {
  if (limits_.empty()) return;
  if (const UsageDecay* decay = snapshot.decay(); decay != nullptr) {
    const absl::Time from = snapshot.computed_at();
    kept_ = decay->Carry(1, from, std::max(from, as_of));
    kept_by_no_decay_ = UsageDecay({}, decay->reset()).Carry(1, from, std::max(from, as_of));
  }
}

ExceededLimit LimitCheck::SumOf(int32_t index, double wanted) const {
  const UsageLimit& limit = limits_.limits()[index];
  const bool no_decay = limit.of_qos() && snapshot_.qos()[limit.qos].no_decay;
  ExceededLimit sum;
  sum.limit = &limit;
  sum.used = limit.used * (no_decay ? kept_by_no_decay_ : kept_);
  sum.running = running_[index];
  sum.wanted = wanted;
  return sum;
}

bool LimitCheck::Exceeded(const ExceededLimit& sum) {
  return sum.used + sum.running + sum.wanted > sum.limit->limit * (1 + kTolerance);
}

bool LimitCheck::AllFit(const LimitDemands& demands) const {
  return absl::c_none_of(demands.most(), [this](const LimitDemands::Most& most) {
    return Exceeded(SumOf(most.limit, most.wanted));
  });
}

std::optional<ExceededLimit> LimitCheck::FirstExceeded(const JobTable& table,
                                                       const LimitDemands& demands,
                                                       size_t row) const {
  const AssociationIndex association = table.association[table.job[row]];
  for (const auto& chain : {limits_.OfAssociation(association), limits_.OfQos(table.qos[row])}) {
    for (const int32_t index : chain) {
      const ExceededLimit sum = SumOf(index, demands.Of(row, limits_.limits()[index]));
      if (Exceeded(sum)) return sum;
    }
  }
  return std::nullopt;
}

Reason LimitCheck::ReasonAt(const JobTable& table, const LimitDemands& demands, size_t row) const {
  if (limits_.empty() || table.Running(row)) return Reason::kNone;
  if (table.reason[row] < Reason::kAssocGrpTresMinutes) return Reason::kNone;
  const auto exceeded = FirstExceeded(table, demands, row);
  return exceeded.has_value() ? ReasonOf(*exceeded->limit) : Reason::kNone;
}

void LimitCheck::Apply(const LimitDemands& demands, JobTable& table) const {
  for (size_t row = 0; row < table.rows() && !limits_.empty(); ++row) {
    table.reason[row] = std::min(table.reason[row], ReasonAt(table, demands, row));
  }
}

Reason LimitCheck::ReasonOf(const UsageLimit& limit) {
  if (limit.tres == UsageLimit::kWall) {
    return limit.of_qos() ? Reason::kQosGrpWall : Reason::kAssocGrpWall;
  }
  return limit.of_qos() ? Reason::kQosGrpTresMinutes : Reason::kAssocGrpTresMinutes;
}

}  // namespace priorityd::priority
