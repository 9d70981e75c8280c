// The penalties of used up grants for the jobs of associations, other than demotion and waiting.
#ifndef PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_PENALTIES_H_
#define PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_PENALTIES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/grant_standings.h"

namespace priorityd::priority {

// For the jobs of an association. Grants are indices, -1 = none.
struct Penalty {
  struct Part {
    double part = 1;  // Of the points of a factor, if they are above 0.
    int32_t grant = -1;

    double Of(double points) const { return points > 0 ? points * part : points; }
  };

  std::array<Part, kReducedFactors> parts;  // By ReducedFactor.
  double band = 4294967295;                 // The highest priority.
  int32_t band_grant = -1;
  std::vector<int32_t> capping;   // kCap; those of the topmost association first.
  std::vector<int32_t> refusing;  // kRefuse, in the same order.
  std::vector<int32_t> warning;   // kWarn, in the same order.

  const Part& Of(ReducedFactor factor) const { return parts[static_cast<size_t>(factor)]; }
  // Whether it lowers priorities.
  bool lowers() const;
};

// The penalty of each association. Immutable; empty if default-constructed.
class Penalties {
 public:
  Penalties() = default;
  // Of `grants` those with the consequences kReduce, kBand, kCap, kRefuse and kWarn that are used
  // up hold for their owners and everything below them. Of several, the smallest part of each
  // factor and the lowest band count; of equal ones that of the topmost association, then the
  // first.
  Penalties(const AssociationTree& tree, const GrantStandings& grants);

  // Whether any lowers priorities.
  bool lower() const { return lower_; }
  // Null = none.
  const Penalty* Of(AssociationIndex i) const {
    return by_.empty() || by_[i] < 0 ? nullptr : &penalties_[by_[i]];
  }

 private:
  std::vector<int32_t> by_;  // By AssociationIndex: into penalties_, -1 = none; empty = all none.
  std::vector<Penalty> penalties_;
  bool lower_ = false;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_PENALTIES_H_
