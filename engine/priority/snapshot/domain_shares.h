// The fair-share of a usage domain, which its members' associations have instead of their own.
#ifndef PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DOMAIN_SHARES_H_
#define PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DOMAIN_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

// The names of a domain's associations without a partition, by their places. Immutable,
// thread-safe.
class DomainNames {
 public:
  // An empty user is the account itself. REQUIRES: the columns have one size, and each (account,
  // user) occurs once.
  DomainNames(std::vector<std::string> accounts, std::vector<std::string> users);
  DomainNames(const DomainNames&) = delete;
  DomainNames& operator=(const DomainNames&) = delete;

  const std::vector<std::string>& accounts() const { return accounts_; }
  const std::vector<std::string>& users() const { return users_; }
  size_t size() const { return accounts_.size(); }

  // nullopt if the domain has no such association. `likely`: the place to look at first, any
  // number.
  std::optional<size_t> Find(absl::string_view account, absl::string_view user,
                             size_t likely = 0) const;

  bool operator==(const DomainNames& other) const {
    return accounts_ == other.accounts_ && users_ == other.users_;
  }

 private:
  const std::vector<std::string> accounts_;
  const std::vector<std::string> users_;
  // Keys point to the columns.
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, size_t> places_;
};

// As of one snapshot of the domain. Immutable, thread-safe.
class DomainShares {
 public:
  // `generation`: of the domain's snapshot. `fair_shares`: 0..1, of each of the names. REQUIRES:
  // they have one size.
  DomainShares(std::string domain, int64_t generation, std::shared_ptr<const DomainNames> names,
               std::vector<double> fair_shares);
  DomainShares(const DomainShares&) = delete;
  DomainShares& operator=(const DomainShares&) = delete;

  const std::string& domain() const { return domain_; }
  int64_t generation() const { return generation_; }
  const std::shared_ptr<const DomainNames>& names() const { return names_; }
  const std::vector<double>& fair_shares() const { return fair_shares_; }

  // nullopt if the domain has no such association.
  std::optional<double> Find(absl::string_view account, absl::string_view user) const;

  // Sets the fair-share of each association of a member's tree, whatever its partition; 0 for those
  // that the domain lacks. REQUIRES: fair_share->size() == tree.size().
  void Apply(const AssociationTree& tree, std::vector<double>* fair_share) const;

 private:
  const std::string domain_;
  const int64_t generation_;
  const std::shared_ptr<const DomainNames> names_;
  const std::vector<double> fair_shares_;
};

// The names of which a domain with this tree has shares. A merged user has a place too.
std::shared_ptr<const DomainNames> DomainNamesOf(const AssociationTree& tree);

// The shares of a domain's snapshot, in the order of DomainNamesOf(tree). A merged user has those
// of the surviving one.
std::vector<double> DomainSharesOf(const AssociationTree& tree,
                                   const std::vector<double>& fair_share);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DOMAIN_SHARES_H_
