#include "engine/explanation/factor_range.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::explanation {
namespace {

// The smallest and the largest of some values; 0 without values.
class Extent {
 public:
  void Add(double value) {
    lowest_ = any_ ? std::min(lowest_, value) : value;
    highest_ = any_ ? std::max(highest_, value) : value;
    any_ = true;
  }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  bool any_ = false;
  double lowest_ = 0;
  double highest_ = 0;
};

Extent Between(double a, double b) {
  Extent extent;
  extent.Add(a);
  extent.Add(b);
  return extent;
}

FactorRange MakeRange(std::string name, double weight, const Extent& factor) {
  const Extent contribution = Between(priority::Contribution(weight, factor.lowest()),
                                      priority::Contribution(weight, factor.highest()));
  return {std::move(name),        weight, factor.lowest(), factor.highest(), contribution.lowest(),
          contribution.highest(), {}};
}

// Without site and nice.
std::vector<FactorRange> MakeRanges(const priority::FactorScale& scale,
                                    absl::Span<const Extent> factors) {
  const priority::Policy& policy = scale.policy();
  const std::pair<const char*, double> named[] = {{"age", policy.weight_age},
                                                  {"assoc", policy.weight_assoc},
                                                  {"fair_share", policy.weight_fair_share},
                                                  {"job_size", policy.weight_job_size},
                                                  {"partition", policy.weight_partition},
                                                  {"qos", policy.weight_qos}};
  std::vector<FactorRange> ranges;
  for (const auto& [name, weight] : named) {
    ranges.push_back(MakeRange(name, weight, factors[ranges.size()]));
  }
  for (size_t i = 0; i < scale.tres_count(); ++i) {
    ranges.push_back(MakeRange(absl::StrCat("tres/", scale.tres_name(i)), scale.tres_weight(i),
                               factors[ranges.size()]));
  }
  return ranges;
}

// In the order of the ranges.
std::vector<double> InOrder(const priority::PriorityFactors& factors) {
  std::vector<double> values = {factors.age,      factors.assoc,     factors.fair_share,
                                factors.job_size, factors.partition, factors.qos};
  values.insert(values.end(), factors.tres.begin(), factors.tres.end());
  values.push_back(factors.site);
  values.push_back(factors.nice);
  return values;
}

template <typename Factor>
Extent OverUsers(const priority::AssociationTree& tree, const Factor& factor) {
  Extent extent;
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    if (tree.is_user(i)) extent.Add(factor(i));
  }
  return extent;
}

template <typename Factor>
Extent OverAll(size_t count, const Factor& factor) {
  Extent extent;
  for (size_t i = 0; i < count; ++i) extent.Add(factor(static_cast<int>(i)));
  return extent;
}

double LargestTotal(const priority::FactorScale& scale, size_t tres) {
  const int partitions = static_cast<int>(scale.snapshot().partitions().size());
  double largest = 0;
  for (int partition = partitions == 0 ? -1 : 0; partition < partitions; ++partition) {
    largest = std::max(largest, scale.TresTotal(tres, partition));
  }
  return largest;
}

void FillOverturns(std::vector<FactorRange>& ranges) {
  for (FactorRange& range : ranges) {
    for (const FactorRange& other : ranges) {
      if (other.range() > 0 && other.range() < range.range()) range.overturns.push_back(other.name);
    }
  }
}

}  // namespace

std::vector<FactorRange> PossibleRanges(const priority::Snapshot& snapshot) {
  const priority::FactorScale scale(snapshot);
  const priority::Policy& policy = snapshot.policy();
  const priority::AssociationTree& tree = snapshot.tree();
  const bool sizes = snapshot.cluster().nodes > 0 && snapshot.cluster().cpus > 0;
  std::vector<Extent> factors = {
      Between(0, policy.max_age < priority::kUnlimitedAge ? 1 : 0),
      OverUsers(tree, [&](priority::AssociationIndex i) { return scale.AssocFactor(i); }),
      OverUsers(tree, [&](priority::AssociationIndex i) { return scale.FairShareFactor(i); }),
      Between(0, sizes ? 1 : 0),
      OverAll(snapshot.partitions().size(), [&](int i) { return scale.PartitionFactor(i); }),
      OverAll(snapshot.qos().size(), [&](int i) { return scale.QosFactor(i); })};
  for (size_t i = 0; i < scale.tres_count(); ++i) {
    const double total = LargestTotal(scale, i);
    factors.push_back(Between(0, policy.no_normal_tres || total == 0 ? total : 1));
  }
  std::vector<FactorRange> ranges = MakeRanges(scale, factors);
  FillOverturns(ranges);
  return ranges;
}

FactorRanges RangesOnQueue(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                           absl::Time as_of) {
  FactorRanges result;
  if (snapshot.policy().priority_type == priority::PriorityType::kBasic) return result;
  const priority::ScoredQueue queue(snapshot, jobs, as_of);
  const priority::StartOrder order(snapshot, queue.table(), queue.priorities(), as_of);
  std::vector<Extent> factors(queue.scale().tres_count() + 8);
  for (size_t row = 0; row < queue.table().rows(); ++row) {
    const bool set = (queue.table().flags[row] & priority::JobTable::kAdminPriority) != 0;
    if (set || !order.Ranked(row)) continue;
    priority::JobRow filled;
    queue.FillRow(row, /*with_factors=*/true, filled);
    const std::vector<double> values = InOrder(*filled.factors);
    for (size_t i = 0; i < values.size(); ++i) factors[i].Add(values[i]);
    ++result.rows;
  }
  if (result.rows == 0) {
    result.ranges = PossibleRanges(snapshot);
    return result;
  }
  result.ranges = MakeRanges(queue.scale(), factors);
  result.ranges.push_back(MakeRange("site", 1, factors[factors.size() - 2]));
  result.ranges.push_back(MakeRange("nice", -1, factors.back()));
  FillOverturns(result.ranges);
  return result;
}

}  // namespace priorityd::explanation
