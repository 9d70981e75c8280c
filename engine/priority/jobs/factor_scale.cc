#include "engine/priority/jobs/factor_scale.h"

#include <algorithm>
#include <cmath>

#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_size.h"
#include "engine/priority/site/billing.h"

namespace priorityd::priority {
namespace {

double Normalised(double value, double largest, bool raw) {
  if (raw) return value;
  return largest > 0 ? value / largest : 0;
}

std::vector<double> Weighted(double weight, const std::vector<double>& factors) {
  std::vector<double> contributions;
  contributions.reserve(factors.size());
  for (const double factor : factors) contributions.push_back(Contribution(weight, factor));
  return contributions;
}

double CountIn(const TresMap& tres, absl::string_view name) {
  const auto it = tres.find(name);
  return it == tres.end() ? 0 : it->second;
}

double ClusterTotal(const Cluster& cluster, absl::string_view tres) {
  if (tres == "node") return cluster.nodes;
  if (tres == "cpu") return cluster.cpus;
  return CountIn(cluster.tres, tres);
}

}  // namespace

FactorScale::FactorScale(const Snapshot& snapshot) : snapshot_(snapshot) {
  const Policy& policy = snapshot.policy();
  max_age_us_ = absl::ToDoubleMicroseconds(policy.max_age);
  partition_factors_.push_back(0);
  for (const auto& partition : snapshot.partitions()) {
    partition_factors_.push_back(Normalised(
        partition.priority_job_factor, snapshot.max_partition_factor(), policy.no_normal_part));
  }
  qos_factors_.push_back(0);
  for (const auto& qos : snapshot.qos()) {
    qos_factors_.push_back(
        Normalised(qos.priority, snapshot.max_qos_priority(), policy.no_normal_qos));
  }
  partition_contributions_ = Weighted(policy.weight_partition, partition_factors_);
  qos_contributions_ = Weighted(policy.weight_qos, qos_factors_);
  for (const auto& [name, weight] : policy.weight_tres) {
    tres_names_.push_back(name);
    tres_weights_.push_back(weight);
  }
  const int partitions = static_cast<int>(snapshot.partitions().size());
  for (int partition = -1; partition < partitions; ++partition) {
    for (const std::string& name : tres_names_) tres_totals_.push_back(TotalOf(name, partition));
  }
}

double FactorScale::TotalOf(const std::string& tres, int partition) const {
  const Cluster& cluster = snapshot_.cluster();
  if (partition < 0) return ClusterTotal(cluster, tres == "billing" ? "cpu" : tres);
  const auto& totals = snapshot_.partitions()[partition];
  if (tres == "node") return totals.nodes;
  if (tres == "billing") {
    return Bounded(std::trunc(
        Billing(snapshot_.billing_rule(partition), totals.billing_weights, totals.tres)));
  }
  return TresScopeOf(tres) == TresScope::kGlobal ? ClusterTotal(cluster, tres)
                                                 : CountIn(totals.tres, tres);
}

double FactorScale::AssocFactor(AssociationIndex association) const {
  return Normalised(snapshot_.tree().effective_priority()[association],
                    snapshot_.tree().max_priority(), policy().no_normal_assoc);
}

double FactorScale::FairShareFactor(AssociationIndex association) const {
  return snapshot_.fair_share().fair_share[association];
}

double FactorScale::SizeFactor(const Job& job, absl::Span<const int> partitions) const {
  JobSize size;
  size.nodes = NodesOf(job);
  size.cpus = CpusOf(job, snapshot_.job_defaults(partitions.empty() ? -1 : partitions[0]));
  if (policy().small_relative_to_time) {
    absl::Duration limit = job.time_limit.value_or(absl::ZeroDuration());
    if (!job.time_limit.has_value()) {
      for (const int partition : partitions) {
        limit = std::max(limit, partition < 0 ? absl::InfiniteDuration()
                                              : snapshot_.partitions()[partition].max_time);
      }
    }
    size.minutes = LimitMinutes(limit);
  }
  return JobSizeFactor(policy(), snapshot_.cluster(), size);
}

double FactorScale::TresFactor(size_t i, int partition, double count) const {
  if (policy().no_normal_tres) return count;
  const double total = TresTotal(i, partition);
  return total > 0 ? Bounded(count / total) : 0;
}

double JobBilling::Count(const Job& job, int partition) {
  if (const auto given = GivenBilling(job)) return *given;
  return Bounded(
      std::trunc(rates_.Of(partition, tres_.Read(job, snapshot_.job_defaults(partition)))));
}

}  // namespace priorityd::priority
