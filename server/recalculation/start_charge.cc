#include "server/recalculation/start_charge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/site/tres.h"
#include "server/budgets/running_usage.h"

namespace priorityd::recalculation {
namespace {

// As for the cost of a job.
constexpr absl::Duration kWithoutLimit = absl::Hours(1);

// Points into `started`.
priority::Job JobOf(const storage::StartedJob& started) {
  priority::Job job;
  job.job_id = started.job_id;
  job.user = started.user;
  job.account = started.account;
  job.partitions.assign(started.partitions.begin(), started.partitions.end());
  job.qos.assign(started.qos.begin(), started.qos.end());
  job.state = priority::JobState::kRunning;
  job.start_time = started.start_time;
  job.nodes = static_cast<uint32_t>(started.nodes);
  job.cpus = started.cpus;
  for (const storage::NamedAmount& tres : started.tres) {
    job.tres.emplace_back(tres.name, tres.amount);
  }
  if (started.time_limit_us.has_value()) {
    job.time_limit = absl::Microseconds(*started.time_limit_us);
  }
  return job;
}

// Adds up what jobs reserve.
class Reserves {
 public:
  Reserves(const priority::Snapshot& snapshot, const usage::RowDecay& decay)
      : snapshot_(snapshot), decay_(decay), resolver_(snapshot), own_(snapshot.tree().size()) {}

  void Add(const StartedRun& run) {
    const priority::Job job = JobOf(run.job);
    const priority::ResolvedJob resolved = resolver_.Resolve(job);
    if (resolved.reason != priority::Reason::kNone) return;
    const int partition = resolved.partitions.front();
    const int qos = resolved.qos.front();
    const absl::Duration limit =
        budgets::TimeLimitOf(snapshot_, job, resolved.association, partition, qos);
    const double rate = RateOf(job, partition) * (qos < 0 ? 1 : snapshot_.qos()[qos].usage_factor);
    own_[resolved.association] +=
        Reserve(rate, limit, job, run.recorded_until, resolved.association);
  }

  std::vector<double> Take() && {
    const bool any = std::any_of(own_.begin(), own_.end(), [](double sum) { return sum > 0; });
    return any ? std::move(own_) : std::vector<double>();
  }

 private:
  // The billing TRES, as a record of the job would have them.
  double RateOf(const priority::Job& job, int partition) {
    if (const auto given = priority::GivenBilling(job)) return *given;
    tres_.clear();
    priority::FillTres(job, tres_, snapshot_.job_defaults(partition));
    return priority::Billing(
        snapshot_.billing_rule(partition),
        partition < 0 ? priority::TresMap() : snapshot_.partitions()[partition].billing_weights,
        tres_);
  }

  double Reserve(double rate, absl::Duration limit, const priority::Job& job,
                 absl::Time recorded_until, priority::AssociationIndex association) const {
    const absl::Time now = snapshot_.computed_at();
    const absl::Time start = job.start_time.value_or(now);
    const absl::Time from = std::max(start, recorded_until);
    const absl::Time past_end = std::min(now, start + limit);
    const absl::Duration expected = limit == absl::InfiniteDuration()
                                        ? kWithoutLimit
                                        : limit * (snapshot_.policy().charge_at_start / 100);
    const absl::Duration ahead = start + expected - std::max(now, from);
    const priority::UsageDecay& decay = decay_.OfAssociation(snapshot_.tree().id()[association]);
    double reserve = rate * std::max(0.0, absl::ToDoubleSeconds(ahead));
    if (from < past_end) reserve += decay.Interval(rate, from, past_end, now);
    return std::isfinite(reserve) ? reserve : 0;
  }

  const priority::Snapshot& snapshot_;
  const usage::RowDecay& decay_;
  priority::JobResolver resolver_;
  priority::TresMap tres_;  // Of the current job.
  std::vector<double> own_;
};

}  // namespace

std::vector<double> ReservesOf(const priority::Snapshot& snapshot,
                               const std::vector<StartedRun>& runs, const usage::RowDecay& decay) {
  Reserves reserves(snapshot, decay);
  for (const StartedRun& run : runs) reserves.Add(run);
  return std::move(reserves).Take();
}

std::vector<storage::SnapshotReserve> ToReserveRows(const priority::Snapshot& snapshot) {
  std::vector<storage::SnapshotReserve> rows;
  const std::vector<double>& own = snapshot.own_reserve();
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] > 0) rows.push_back({snapshot.tree().id()[i], own[i]});
  }
  return rows;
}

std::vector<double> FromReserveRows(const std::vector<storage::SnapshotReserve>& rows,
                                    const priority::AssociationTree& tree) {
  std::vector<double> own;
  if (!rows.empty()) own.resize(tree.size());
  for (const storage::SnapshotReserve& row : rows) {
    const priority::AssociationIndex i = tree.FindId(row.association_id);
    if (i != priority::kNoAssociation) own[i] = row.billing_seconds;
  }
  return own;
}

}  // namespace priorityd::recalculation
