// Billing TRES: what an allocation costs per second.
#ifndef PRIORITYD_SERVER_PRIORITY_BILLING_H_
#define PRIORITYD_SERVER_PRIORITY_BILLING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/cluster.h"
#include "server/priority/policy.h"
#include "server/priority/tres.h"

namespace priorityd::priority {

// How weighted TRES become one number.
enum class BillingRule {
  kCpu,          // No TRESBillingWeights: the CPU count.
  kSum,          // The sum of count * weight.
  kMaxTres,      // max(0, cpu, mem, node, gres/*) + sum of the global ones.
  kMaxTresGres,  // max(0, cpu, mem, node) + sum of gres/* + sum of the global ones.
};

// The rule for a partition with these weights under this policy.
BillingRule BillingRuleFor(const Policy& policy, const TresMap& billing_weights);

// `cpu`, `sum`, `max_tres`, `max_tres_gres`.
absl::string_view BillingRuleName(BillingRule rule);

// One TRES of the arithmetic.
struct BillingTerm {
  std::string tres;
  double count = 0;
  double weight = 0;
  double value = 0;      // count * weight.
  bool counted = false;  // Whether the value went into the result.
};

// The billing TRES of an allocation (semantics of Slurm 25.11's "Fair-share
// Factor"), before the QOS's UsageFactor. Not truncated. `terms`, if not null,
// gets the arithmetic, one term per weight, in TRES name order.
double Billing(BillingRule rule, const TresMap& billing_weights, const TresMap& tres,
               std::vector<BillingTerm>* terms = nullptr);

// Billing for many jobs of a site, whose weights are looked up once. Immutable.
class BillingRates {
 public:
  BillingRates() = default;
  BillingRates(const Policy& policy, absl::Span<const Partition> partitions);

  // The TRES that Of needs counts of, by canonical name.
  absl::Span<const std::string> tres() const { return tres_; }
  // Billing of what stands in the order of tres(), by the weights of a partition (index; -1 = none:
  // CPUs).
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

#endif  // PRIORITYD_SERVER_PRIORITY_BILLING_H_
