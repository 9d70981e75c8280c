#include "engine/priority/site/billing.h"

#include <algorithm>

namespace priorityd::priority {
namespace {

double CountOf(const TresMap& tres, absl::string_view name) {
  const auto it = tres.find(name);
  return it == tres.end() ? 0 : it->second;
}

// Whether TRES of `scope` count only with the largest of their values under `rule`; all others
// are summed.
bool Competes(BillingRule rule, TresScope scope) {
  switch (rule) {
    case BillingRule::kMaxTres:
      return scope == TresScope::kNodeBound || scope == TresScope::kGres;
    case BillingRule::kMaxTresGres:
      return scope == TresScope::kNodeBound;
    case BillingRule::kCpu:
    case BillingRule::kSum:
      return false;
  }
  return false;
}

double BillCpus(const TresMap& tres, std::vector<BillingTerm>* terms) {
  const double cpus = CountOf(tres, "cpu");
  if (terms != nullptr) terms->push_back({"cpu", cpus, 1, cpus, true});
  return cpus;
}

}  // namespace

BillingRule BillingRuleFor(const Policy& policy, const TresMap& billing_weights) {
  if (billing_weights.empty()) return BillingRule::kCpu;
  if (policy.max_tres_gres) return BillingRule::kMaxTresGres;
  if (policy.max_tres) return BillingRule::kMaxTres;
  return BillingRule::kSum;
}

absl::string_view BillingRuleName(BillingRule rule) {
  switch (rule) {
    case BillingRule::kCpu:
      return "cpu";
    case BillingRule::kSum:
      return "sum";
    case BillingRule::kMaxTres:
      return "max_tres";
    case BillingRule::kMaxTresGres:
      return "max_tres_gres";
  }
  return "";
}

double Billing(BillingRule rule, const TresMap& billing_weights, const TresMap& tres,
               std::vector<BillingTerm>* terms) {
  if (rule == BillingRule::kCpu) return BillCpus(tres, terms);
  double sum = 0;
  double largest = 0;
  // The term that is the largest so far; npos while that is 0.
  size_t largest_term = std::string::npos;
  for (const auto& [name, weight] : billing_weights) {
    const TresScope scope = TresScopeOf(name);
    if (scope == TresScope::kBilling) continue;
    const double count = CountOf(tres, name);
    const double value = count * weight;
    const bool competes = Competes(rule, scope);
    if (!competes) sum += value;
    if (terms != nullptr) terms->push_back({name, count, weight, value, !competes});
    if (competes && value > largest) {
      largest = value;
      if (terms != nullptr) largest_term = terms->size() - 1;
    }
  }
  if (largest_term != std::string::npos) (*terms)[largest_term].counted = true;
  return largest + sum;
}

BillingRates::BillingRates(const Policy& policy, absl::Span<const Partition> partitions) {
  for (const Partition& partition : partitions) {
    terms_.push_back(TermsOf(policy, partition.billing_weights));
  }
}

BillingRates::Terms BillingRates::TermsOf(const Policy& policy, const TresMap& weights) {
  const BillingRule rule = BillingRuleFor(policy, weights);
  if (rule == BillingRule::kCpu) return terms_.front();
  Terms terms;
  for (const auto& [name, weight] : weights) {
    const TresScope scope = TresScopeOf(name);
    if (scope == TresScope::kBilling) continue;
    terms.push_back({IndexOf(name), weight, Competes(rule, scope)});
  }
  return terms;
}

int32_t BillingRates::IndexOf(const std::string& tres) {
  const auto found = std::find(tres_.begin(), tres_.end(), tres);
  const auto index = static_cast<int32_t>(found - tres_.begin());
  if (found == tres_.end()) tres_.push_back(tres);
  return index;
}

double BillingRates::Of(int partition, absl::Span<const double> counts) const {
  double sum = 0;
  double largest = 0;
  for (const Term& term : terms_[partition + 1]) {
    const double value = counts[term.tres] * term.weight;
    if (term.competes) {
      largest = std::max(largest, value);
    } else {
      sum += value;
    }
  }
  return largest + sum;
}

}  // namespace priorityd::priority
