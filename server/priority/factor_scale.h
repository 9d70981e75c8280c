// What turns the raw inputs of the factors into factors, for one snapshot.
#ifndef PRIORITYD_SERVER_PRIORITY_FACTOR_SCALE_H_
#define PRIORITYD_SERVER_PRIORITY_FACTOR_SCALE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/billing.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"
#include "server/priority/tres_reader.h"

namespace priorityd::priority {

// The factors of docs/semantics.md, section 6, before their weights. Partitions
// and QOS by index, -1 = none (factor 0). Immutable; `snapshot` must outlive it.
class FactorScale {
 public:
  explicit FactorScale(const Snapshot& snapshot);

  const Snapshot& snapshot() const { return snapshot_; }
  const Policy& policy() const { return snapshot_.policy(); }

  // `wait_us` in microseconds, -infinity for a job that does not accrue. With
  // PriorityMaxAge 0 the factor is 1 from the moment the job accrues.
  double AgeFactor(double wait_us) const {
    if (wait_us >= max_age_us_) return 1;
    return wait_us > 0 ? wait_us / max_age_us_ : 0;
  }
  double AssocFactor(AssociationIndex association) const;
  double FairShareFactor(AssociationIndex association) const;
  double PartitionFactor(int partition) const { return partition_factors_[partition + 1]; }
  double QosFactor(int qos) const { return qos_factors_[qos + 1]; }
  // The two above times their weights.
  double PartitionContribution(int partition) const {
    return partition_contributions_[partition + 1];
  }
  double QosContribution(int qos) const { return qos_contributions_[qos + 1]; }
  // The same for all pairs: without a time limit the largest MaxTime of
  // `partitions` counts.
  double SizeFactor(const Job& job, absl::Span<const int> partitions) const;

  // The TRES that have a weight, in name order.
  size_t tres_count() const { return tres_names_.size(); }
  absl::Span<const std::string> tres_names() const { return tres_names_; }
  absl::string_view tres_name(size_t i) const { return tres_names_[i]; }
  double tres_weight(size_t i) const { return tres_weights_[i]; }
  // The total that the count of TRES i is measured against: the partition's;
  // the cluster's for the global TRES, and without a partition for all.
  double TresTotal(size_t i, int partition) const {
    return tres_totals_[(partition + 1) * tres_count() + i];
  }
  // count / TresTotal, or the count itself under NO_NORMAL_TRES. May exceed 1.
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

// What jobs cost: the billing count of a pair, truncated as in Slurm. Reuses
// its memory from job to job. Thread-compatible.
class JobBilling {
 public:
  explicit JobBilling(const Snapshot& snapshot)
      : rates_(snapshot.billing_rates()), tres_(rates_.tres()) {}

  // The job's own `billing` if it has one, else its TRES priced by the
  // partition's TRESBillingWeights (-1: its CPUs).
  double Count(const Job& job, int partition);

 private:
  const BillingRates& rates_;
  TresReader tres_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_FACTOR_SCALE_H_
