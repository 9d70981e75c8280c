#include "engine/plan/start_bounds.h"

#include <algorithm>

namespace priorityd::plan {
namespace {

// With more entries, searching them costs more than they save.
constexpr size_t kMaxTried = 64;

}  // namespace

std::vector<int64_t> KindOfNodes(const Request& request, const Place& place) {
  std::vector<int64_t> kind(request.per_node.begin(), request.per_node.end());
  kind.insert(kind.end(), place.types.begin(), place.types.end());
  for (const PoolNeed& need : place.pools) {
    kind.push_back(-1 - need.pool);
    kind.push_back(need.amount);
  }
  kind.push_back(absl::ToUnixMicros(place.opens));
  kind.push_back(absl::ToUnixMicros(place.closes));
  return kind;
}

absl::Time StartBounds::Of(int nodes, absl::Duration duration) const {
  absl::Time bound = absl::InfinitePast();
  for (const Tried& tried : tried_) {
    if (tried.nodes <= nodes && tried.duration <= duration) bound = std::max(bound, tried.bound);
  }
  return bound;
}

void StartBounds::Note(int nodes, absl::Duration duration, absl::Time bound) {
  const Tried tried = {nodes, duration, bound};
  for (const Tried& other : tried_) {
    if (IsImplied(tried, other)) return;
  }
  tried_.erase(std::remove_if(tried_.begin(), tried_.end(),
                              [&](const Tried& other) { return IsImplied(other, tried); }),
               tried_.end());
  if (tried_.size() == kMaxTried) tried_.erase(tried_.begin());
  tried_.push_back(tried);
}

bool StartBounds::IsImplied(const Tried& tried, const Tried& other) {
  return other.nodes <= tried.nodes && other.duration <= tried.duration &&
         other.bound >= tried.bound;
}

}  // namespace priorityd::plan
