// The fair-share of a usage domain, which its members' associations have instead of their own.
#ifndef PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DOMAIN_SHARES_H_
#define PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DOMAIN_SHARES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

// As of one snapshot of the domain. Immutable, thread-safe.
class DomainShares {
 public:
  // By index, of the associations without a partition; an empty user is the account itself.
  struct Columns {
    std::vector<std::string> accounts;
    std::vector<std::string> users;
    std::vector<double> fair_shares;  // 0..1.
  };

  // `generation`: of the domain's snapshot. REQUIRES: the columns have one size, and each
  // (account, user) occurs once.
  DomainShares(std::string domain, int64_t generation, Columns columns);
  DomainShares(const DomainShares&) = delete;
  DomainShares& operator=(const DomainShares&) = delete;

  const std::string& domain() const { return domain_; }
  int64_t generation() const { return generation_; }

  // nullopt if the domain has no such association.
  std::optional<double> Find(absl::string_view account, absl::string_view user) const;

  // Sets the fair-share of each association of a member's tree, whatever its partition; 0 for those
  // that the domain lacks. REQUIRES: fair_share->size() == tree.size().
  void Apply(const AssociationTree& tree, std::vector<double>* fair_share) const;

 private:
  const std::string domain_;
  const int64_t generation_;
  const Columns columns_;
  // Keys point to `columns_`.
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, double> by_name_;
};

// The shares of a domain's snapshot. A merged user has those of the surviving one.
DomainShares::Columns ShareColumnsOf(const AssociationTree& tree,
                                     const std::vector<double>& fair_share);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DOMAIN_SHARES_H_
