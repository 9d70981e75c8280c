// The associations that grants of usage hold for.
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_GRANT_OWNERS_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_GRANT_OWNERS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/grant_standings.h"

namespace priorityd::priority {

// Whether nothing is left: `used` reaches `available`, with the tolerance of limits.
bool IsUsedUp(const GrantStanding& grant);

// The settings by which grants hold jobs.
struct GrantEnforcement {
  bool safe = false;    // AccountingStorageEnforce=safe.
  bool priced = false;  // The cost of a job by price books is known.
};

// Whether it holds by what is used alone, also under `safe`: where what a job will use of it is not
// known, as of a usage domain, and of money without prices.
bool ComparesUsageAlone(const GrantStanding& grant, bool priced);

// Whether jobs may have to wait for it: for kBlock those that do not fit under `safe`, otherwise,
// and where it ComparesUsageAlone, all as soon as it is used up; for kCap those that do not fit
// then.
bool HoldsJobs(const GrantStanding& grant, const GrantEnforcement& enforced);

struct Limit;

// Sets the allowed and the used amounts of the limits of grants, by Limit::grant; one that does not
// HoldsJobs limits nothing.
void SetGrantLimits(const GrantStandings& grants, const GrantEnforcement& enforced,
                    absl::Span<Limit> limits);

// Finds the owners of grants in one tree, which must outlive it. Thread-compatible.
class GrantOwners {
 public:
  explicit GrantOwners(const AssociationTree& tree) : tree_(tree) {}

  // The accounts of the grant, or the associations of its user in exactly these accounts, of all
  // partitions; ascending. An account below another one of them is left out, as the other one
  // includes it; an account or a user that does not exist too. So the path from any association to
  // root meets at most one of them.
  std::vector<AssociationIndex> Of(const GrantStanding& grant);
  // By AssociationIndex: whether any of the grants holds for it.
  std::vector<bool> HeldByAny(absl::Span<const GrantStanding* const> grants);

 private:
  struct UserOfAccount {
    absl::string_view user;
    AssociationIndex association;
  };

  // The users of an account, by name, then in the order of the tree. Found once.
  const std::vector<UserOfAccount>& UsersOf(AssociationIndex account);
  std::vector<AssociationIndex> AccountsOf(const GrantStanding& grant) const;

  const AssociationTree& tree_;
  absl::flat_hash_map<AssociationIndex, std::vector<UserOfAccount>> users_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_GRANT_OWNERS_H_
