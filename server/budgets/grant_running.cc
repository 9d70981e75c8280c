#include "server/budgets/grant_running.h"

#include <string>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::budgets {

double GrantRunning::SecondsOf(const priority::GrantStanding& grant) {
  if (priority::IsPrice(grant.tres)) return MoneyOf(grant).seconds();
  const priority::TresTerms terms = priority::TresTermsOf(grant.tres);
  double seconds = 0;
  for (const priority::AssociationIndex i : owners_.Of(grant)) {
    const priority::TresMap& sums = running_.OfAssociation(snapshot_, i).run_seconds;
    seconds += priority::WeightedSum(terms, [&sums](const std::string& tres) {
      const auto found = sums.find(tres);
      return found == sums.end() ? 0 : found->second;
    });
  }
  return seconds;
}

grants::Amount GrantRunning::MoneyOf(const priority::GrantStanding& grant) {
  grants::Amount sum;
  for (const priority::AssociationIndex i : owners_.Of(grant)) {
    sum += money_.Of(grant.tres, snapshot_, i);
  }
  return sum;
}

}  // namespace priorityd::budgets
