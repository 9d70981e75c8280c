#include "engine/priority/snapshot/demotions.h"

#include <string>

#include "absl/algorithm/container.h"
#include "engine/priority/limits/grant_owners.h"

namespace priorityd::priority {
namespace {

int FindByName(absl::Span<const Qos> qos, const std::string& name) {
  const auto found = absl::c_find_if(qos, [&](const auto& one) { return one.name == name; });
  return found == qos.end() ? -1 : static_cast<int>(found - qos.begin());
}

}  // namespace

Demotions::Demotions(const AssociationTree& tree, absl::Span<const Qos> qos,
                     const GrantStandings& grants) {
  const auto priority_of = [qos](const Demotion& demotion) {
    return demotion.qos < 0 ? 0 : qos[demotion.qos].priority;
  };
  GrantOwners owners(tree);
  for (size_t i = 0; i < grants.size(); ++i) {
    if (grants[i].consequence != GrantConsequence::kDemote || !IsUsedUp(grants[i])) continue;
    const Demotion demotion{static_cast<int32_t>(i), FindByName(qos, grants[i].demoted_qos)};
    for (const AssociationIndex owner : owners.Of(grants[i])) {
      by_.resize(tree.size());
      Demotion& present = by_[owner];
      if (present.grant < 0 || priority_of(demotion) < priority_of(present)) present = demotion;
    }
  }
  // A parent precedes its children, so its demotion is already that of the whole path above them.
  for (AssociationIndex i = 1; i < static_cast<AssociationIndex>(by_.size()); ++i) {
    const Demotion& above = by_[tree.parent()[i]];
    if (above.grant < 0) continue;
    if (by_[i].grant < 0 || priority_of(above) < priority_of(by_[i])) by_[i] = above;
  }
}

}  // namespace priorityd::priority
