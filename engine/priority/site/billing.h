// Billing TRES: the cost of an allocation per second.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_BILLING_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_BILLING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

// The rule that combines weighted TRES into one number.
enum class BillingRule {
  kCpu,          // No TRESBillingWeights: the CPU count.
  kSum,          // The sum of count * weight.
  kMaxTres,      // max(0, cpu, mem, node, gres/*) + sum of the global ones.
  kMaxTresGres,  // max(0, cpu, mem, node) + sum of gres/* + sum of the global ones.
};

// The rule for a partition with these TRESBillingWeights under this policy.
BillingRule BillingRuleFor(const Policy& policy, const TresMap& billing_weights);

// The name in answers: `cpu`, `sum`, `max_tres`, `max_tres_gres`. Static storage.
absl::string_view BillingRuleName(BillingRule rule);

// The contribution of one TRES to a billing count.
struct BillingTerm {
  std::string tres;
  double count = 0;
  double weight = 0;
  double value = 0;      // count * weight.
  bool counted = false;  // Whether the value is part of the result.
};

// The billing TRES of an allocation as Slurm 25.11 computes it (priority_multifactor, "Fair-share
// Factor"), before the UsageFactor of the QOS. Not truncated. If `terms` is not null, it receives
// one term per weight, in the order of TRES names.
double Billing(BillingRule rule, const TresMap& billing_weights, const TresMap& tres,
               std::vector<BillingTerm>* terms = nullptr);

// Billing for the jobs of one site; weights are looked up once per partition. Immutable.
class BillingRates {
 public:
  BillingRates() = default;
  BillingRates(const Policy& policy, absl::Span<const Partition> partitions);

  // The canonical names of the TRES whose counts Of reads.
  absl::Span<const std::string> tres() const { return tres_; }
  // The billing TRES of `counts`, in the order of tres(), by the weights of a partition (index;
  // -1 = no partition: the CPU count).
  double Of(int partition, absl::Span<const double> counts) const;

 private:
  struct Term {
    int32_t tres;  // Index into tres_.
    double weight;
    bool competes;
  };
  using Terms = std::vector<Term>;

  Terms TermsOf(const Policy& policy, const TresMap& weights);
  int32_t IndexOf(const std::string& tres);

  std::vector<std::string> tres_ = {"cpu"};
  std::vector<Terms> terms_ = {{{0, 1, false}}};  // By partition + 1.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_BILLING_H_
