// The associations that used up grants demote.
#ifndef PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DEMOTIONS_H_
#define PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DEMOTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/grant_standings.h"

namespace priorityd::priority {

// The grant that demotes each association. Immutable; empty if default-constructed.
class Demotions {
 public:
  Demotions() = default;
  // Of `grants` those with the consequence kDemote that are used up demote their owners and
  // everything below them. Of several, the one with the lowest QOS priority does, a QOS that does
  // not exist counting as 0; of equal ones the nearest to the association, then the first.
  Demotions(const AssociationTree& tree, absl::Span<const Qos> qos, const GrantStandings& grants);

  // Whether no association is demoted.
  bool empty() const { return by_.empty(); }
  // The demoting grant, an index; -1 = none.
  int32_t GrantOf(AssociationIndex i) const { return by_.empty() ? -1 : by_[i].grant; }
  // The QOS of that grant, an index; -1 = it does not exist, or no grant demotes.
  int QosOf(AssociationIndex i) const { return by_.empty() ? -1 : by_[i].qos; }

 private:
  struct Demotion {
    int32_t grant = -1;
    int32_t qos = -1;
  };

  std::vector<Demotion> by_;  // By AssociationIndex; empty = no association is demoted.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DEMOTIONS_H_
