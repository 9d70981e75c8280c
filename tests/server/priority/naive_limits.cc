#include "tests/server/priority/naive_limits.h"

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "server/priority/billing.h"

namespace priorityd::priority {
namespace {

std::map<std::string, double> CountsOf(const NaiveJobs& queue, const Job& job,
                                       const Partition* partition) {
  std::map<std::string, double> counts;
  counts["node"] = NaiveNodes(job);
  counts["cpu"] = job.cpus;
  for (const auto& [name, count] : job.tres) counts[absl::AsciiStrToLower(name)] = count;
  if (counts.count("billing") == 0) {
    const TresMap weights = partition == nullptr ? TresMap() : partition->billing_weights;
    counts["billing"] = std::trunc(Billing(BillingRuleFor(queue.snapshot.policy(), weights),
                                           weights, TresMap(counts.begin(), counts.end())));
  }
  return counts;
}

double Limit(const Job& job, const Partition* partition) {
  if (job.time_limit) return absl::ToDoubleSeconds(*job.time_limit);
  if (partition == nullptr) return INFINITY;
  return absl::ToDoubleSeconds(partition->default_time.value_or(partition->max_time));
}

// TRES-seconds of `tres`, or seconds where it is empty.
double Demand(const NaiveJobs& queue, const Job& job, const Partition* partition,
              const std::string& tres, double seconds) {
  if (tres.empty()) return seconds;
  const double count = CountsOf(queue, job, partition)[tres];
  return count == 0 ? 0 : count * seconds;
}

// What the running jobs that `counts` lets through may still use.
template <typename Counts>
double Running(const NaiveJobs& queue, const std::string& tres, const Counts& counts) {
  double sum = 0;
  for (size_t i = 0; i < queue.jobs.size(); ++i) {
    const Job& job = queue.jobs[i];
    if (job.state == JobState::kPending || queue.association[i] < 0) continue;
    const NaivePair first = queue.pairs[i].empty() ? NaivePair() : queue.pairs[i][0];
    if (!counts(i, first)) continue;
    double left = Limit(job, first.partition);
    const absl::Time recorded = queue.snapshot.RecordedUntil(job.job_id);
    if (job.start_time && recorded > *job.start_time) {
      left -= absl::ToDoubleSeconds(recorded - *job.start_time);
    }
    sum += Demand(queue, job, first.partition, tres, std::max(0.0, left));
  }
  return sum;
}

bool Exceeds(double sum, double limit) { return sum > limit + 1e-9 * limit; }

double Kept(const NaiveJobs& queue, bool no_decay) {
  const UsageDecay* decay = queue.snapshot.decay();
  const absl::Time from = queue.snapshot.computed_at();
  if (decay == nullptr || queue.as_of <= from) return 1;
  if (LastReset(decay->reset(), queue.as_of) > from) return 0;
  // The random sites' half-life is an hour.
  return no_decay ? 1 : std::exp2(-absl::ToDoubleHours(queue.as_of - from));
}

bool AssociationExceeds(const NaiveJobs& queue, const NaivePair& pair, int account,
                        const std::string& tres, double limit) {
  const Snapshot& snapshot = queue.snapshot;
  double used = 0;
  if (tres == "billing") {
    used = snapshot.fair_share().usage[account];
  } else if (tres.empty()) {
    used = snapshot.wall_seconds().empty() ? 0 : snapshot.wall_seconds()[account];
  } else if (snapshot.tres_usage().contains(tres)) {
    used = snapshot.tres_usage().at(tres)[account];
  }
  const double running = Running(queue, tres, [&](size_t job, const NaivePair&) {
    for (const int i : queue.Path(queue.association[job])) {
      if (i == account) return true;
    }
    return false;
  });
  const Job& job = queue.jobs[pair.job];
  const double wanted = Demand(queue, job, pair.partition, tres, Limit(job, pair.partition));
  return Exceeds(used * Kept(queue, false) + running + wanted, limit);
}

bool QosExceeds(const NaiveJobs& queue, const NaivePair& pair, const std::string& tres,
                double limit, const QosUsage& usage) {
  double used = tres.empty() ? usage.wall_seconds : 0;
  if (tres == "billing") used = usage.usage;
  if (usage.tres_seconds.contains(tres)) used = usage.tres_seconds.at(tres);
  const double running =
      Running(queue, tres, [&](size_t, const NaivePair& first) { return first.qos == pair.qos; });
  const Job& job = queue.jobs[pair.job];
  const double wanted = Demand(queue, job, pair.partition, tres, Limit(job, pair.partition));
  return Exceeds(used * Kept(queue, pair.qos->no_decay) + running + wanted, limit);
}

// In Slurm's words, by hand.
std::string Word(bool qos, const std::string& tres) {
  if (tres == "cpu") return qos ? "QOSGrpCPUMinutesLimit" : "AssocGrpCPUMinutesLimit";
  if (tres == "mem") return qos ? "QOSGrpMemoryMinutes" : "AssocGrpMemMinutes";
  const std::string what = tres == "node"       ? "Node"
                           : tres == "billing"  ? "Billing"
                           : tres == "gres/gpu" ? "GRES"
                                                : "License";
  return (qos ? "QOSGrp" : "AssocGrp") + what + "Minutes";
}

}  // namespace

std::string NaiveLimitReason(const NaiveJobs& queue, const NaivePair& pair) {
  const std::vector<int> path = queue.Path(queue.association[pair.job]);
  for (const int i : path) {
    for (const auto& [tres, minutes] : queue.associations[i].limits.grp_tres_mins) {
      if (AssociationExceeds(queue, pair, i, tres, minutes * 60)) return Word(false, tres);
    }
  }
  for (const int i : path) {
    const auto& wall = queue.associations[i].limits.grp_wall;
    if (wall && AssociationExceeds(queue, pair, i, "", absl::ToDoubleSeconds(*wall))) {
      return "AssocGrpWallLimit";
    }
  }
  if (pair.qos == nullptr) return "";
  QosUsage usage;
  const int index = queue.snapshot.FindQos(pair.qos->name);
  if (!queue.snapshot.qos_usage().empty()) usage = queue.snapshot.qos_usage()[index];
  for (const auto& [tres, minutes] : pair.qos->grp_tres_mins) {
    if (QosExceeds(queue, pair, tres, minutes * 60, usage)) return Word(true, tres);
  }
  const auto& wall = pair.qos->grp_wall;
  if (wall && QosExceeds(queue, pair, "", absl::ToDoubleSeconds(*wall), usage)) {
    return "QOSGrpWallLimit";
  }
  return "";
}

}  // namespace priorityd::priority
