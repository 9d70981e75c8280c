// Lower bounds on the start of requests, learned from earlier searches.
#ifndef PRIORITYD_ENGINE_PLAN_START_BOUNDS_H_
#define PRIORITYD_ENGINE_PLAN_START_BOUNDS_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "engine/plan/cluster.h"

namespace priorityd::plan {

// Equal for requests that differ only in the number of nodes and the duration.
std::vector<int64_t> KindOfNodes(const Request& request, const Place& place);

// For requests for the same kind of nodes. As long as no resources are released, a request for more
// nodes or a longer time starts no earlier than a smaller one did.
class StartBounds {
 public:
  // The best known bound; InfinitePast() = none.
  absl::Time Of(int nodes, absl::Duration duration) const;
  // Records that such a request cannot start before `bound`.
  void Note(int nodes, absl::Duration duration, absl::Time bound);

 private:
  struct Tried {
    int nodes;
    absl::Duration duration;
    absl::Time bound;
  };
  // Whether `other` implies the bound of `tried`.
  static bool IsImplied(const Tried& tried, const Tried& other);

  std::vector<Tried> tried_;  // A few; none is implied by another.
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_START_BOUNDS_H_
