#include "server/usage/usage_rates.h"

#include <string>

namespace priorityd::usage {
namespace {

using priority::AssociationIndex;
using Parents = absl::flat_hash_map<std::string, std::string>;  // Of accounts.

void AddRow(const UsageReportRow& row, priority::TresMap* sums) {
  for (const auto& [tres, seconds] : row.tres_seconds) (*sums)[tres] += seconds;
  (*sums)[""] += row.wall_seconds;
}

// The account, or the nearest one above that the tree has.
AssociationIndex NearestAccount(const priority::AssociationTree& tree, const Parents& parents,
                                const std::string& account) {
  AssociationIndex i = tree.FindAccount(account);
  for (auto of = parents.find(account); i == priority::kNoAssociation && of != parents.end();
       of = parents.find(of->second)) {
    i = tree.FindAccount(of->second);
  }
  return i;
}

}  // namespace

UsageRates::UsageRates(const priority::AssociationTree& tree, const UsageReport& report,
                       absl::Duration window)
    : tree_(tree), window_(absl::ToDoubleSeconds(window)), associations_(tree.size()) {
  Parents parents;
  for (const storage::AccountParent& of : report.accounts) parents[of.account] = of.parent_account;
  for (const UsageReportRow& row : report.rows) {
    AssociationIndex i = tree.FindId(row.association_id);
    if (i == priority::kNoAssociation) i = NearestAccount(tree, parents, row.account);
    for (; i != priority::kNoAssociation; i = tree.parent()[i]) AddRow(row, &associations_[i]);
    AddRow(row, &qos_[row.qos]);
  }
}

double UsageRates::OfAssociation(AssociationIndex i, const std::string& tres) const {
  return PerSecond(associations_[i], tres);
}

double UsageRates::OfQos(const std::string& qos, const std::string& tres) const {
  const auto found = qos_.find(qos);
  return found == qos_.end() ? 0 : PerSecond(found->second, tres);
}

double UsageRates::PerSecond(const priority::TresMap& sums, const std::string& tres) const {
  const auto found = sums.find(tres);
  return found == sums.end() ? 0 : found->second / window_;
}

}  // namespace priorityd::usage
