// Before which time requests cannot start, learned from others that were tried.
#ifndef PRIORITYD_SERVER_PLAN_START_BOUNDS_H_
#define PRIORITYD_SERVER_PLAN_START_BOUNDS_H_

#include <vector>

#include "absl/time/time.h"

namespace priorityd::plan {

// Of requests for the same kind of nodes. While nothing is given back, a request for more nodes, or
// for longer, starts no earlier than one for fewer, for less time, did.
class StartBounds {
 public:
  // InfinitePast() where nothing is known.
  absl::Time Of(int nodes, absl::Duration duration) const;
  // The request was tried, and cannot start before that time.
  void Note(int nodes, absl::Duration duration, absl::Time bound);

 private:
  struct Tried {
    int nodes;
    absl::Duration duration;
    absl::Time bound;
  };
  // Whether `tried` says no more than `other`.
  static bool IsImplied(const Tried& tried, const Tried& other);

  std::vector<Tried> tried_;  // None implied by another; a few.
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_START_BOUNDS_H_
