// Billing TRES: what an allocation costs per second.
#ifndef PRIORITYD_SERVER_PRIORITY_BILLING_H_
#define PRIORITYD_SERVER_PRIORITY_BILLING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
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

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_BILLING_H_
