// Converts the raw inputs of a job into factors, for one snapshot.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_FACTOR_SCALE_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_FACTOR_SCALE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/tres_reader.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// The factors of docs/semantics.md, section 6, before they are multiplied by their weights.
// Partitions and QOS are indices, -1 = none (factor 0). Immutable; `snapshot` must outlive it.
class FactorScale {
 public:
  explicit FactorScale(const Snapshot& snapshot);

  const Snapshot& snapshot() const { return snapshot_; }
  const Policy& policy() const { return snapshot_.policy(); }

  // 0..1. `wait_us`: microseconds of accrued age, -infinity for a job that does not accrue. With
  // PriorityMaxAge=0 the factor is 1 as soon as the job accrues.
  double AgeFactor(double wait_us) const {
    if (wait_us >= max_age_us_) return 1;
    return wait_us > 0 ? wait_us / max_age_us_ : 0;
  }
  double AssocFactor(AssociationIndex association) const;
  double FairShareFactor(AssociationIndex association) const;
  double PartitionFactor(int partition) const { return partition_factors_[partition + 1]; }
  double QosFactor(int qos) const { return qos_factors_[qos + 1]; }
  // PartitionFactor and QosFactor times their weights.
  double PartitionContribution(int partition) const {
    return partition_contributions_[partition + 1];
  }
  double QosContribution(int qos) const { return qos_contributions_[qos + 1]; }
  // 0..1; the same for all pairs of a job. For a job without a time limit the largest MaxTime of
  // `partitions` counts.
  double SizeFactor(const Job& job, absl::Span<const int> partitions) const;

  // The TRES that PriorityWeightTRES names, in the order of their names.
  size_t tres_count() const { return tres_names_.size(); }
  absl::Span<const std::string> tres_names() const { return tres_names_; }
  absl::string_view tres_name(size_t i) const { return tres_names_[i]; }
  double tres_weight(size_t i) const { return tres_weights_[i]; }
  // The total by which the count of TRES i is divided: the partition's; for global TRES, and
  // without a partition (-1), the cluster's.
  double TresTotal(size_t i, int partition) const {
    return tres_totals_[(partition + 1) * tres_count() + i];
  }
  // count / TresTotal; under NO_NORMAL_TRES the count itself. Can exceed 1.
  double TresFactor(size_t i, int partition, double count) const;

 private:
  double TotalOf(const std::string& tres, int partition) const;

  const Snapshot& snapshot_;
  double max_age_us_ = 0;
  std::vector<double> partition_factors_;  // By index + 1, like the next three.
  std::vector<double> qos_factors_;
  std::vector<double> partition_contributions_;
  std::vector<double> qos_contributions_;
  std::vector<std::string> tres_names_;
  std::vector<double> tres_weights_;
  std::vector<double> tres_totals_;  // [(partition + 1) * tres_count + i].
};

// The billing count of jobs, truncated as in Slurm. Reuses its memory from job to job.
// Thread-compatible.
class JobBilling {
 public:
  explicit JobBilling(const Snapshot& snapshot)
      : snapshot_(snapshot), rates_(snapshot.billing_rates()), tres_(rates_.tres()) {}

  // The TRES `billing` of the job if it names one, else its TRES weighted by the partition's
  // TRESBillingWeights (-1 = no partition: its CPUs), with the partition's default memory.
  double Count(const Job& job, int partition);

 private:
  const Snapshot& snapshot_;
  const BillingRates& rates_;
  TresReader tres_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_FACTOR_SCALE_H_
