// The bound on the work of searching victims.
#ifndef PRIORITYD_ENGINE_PLAN_VICTIM_WORK_H_
#define PRIORITYD_ENGINE_PLAN_VICTIM_WORK_H_

#include <cstdint>

namespace priorityd::plan {

// The work that the searches of one request may still do, in nodes of candidates; about ten
// milliseconds for each kMostOfSearch. A search with less than it needs is cut short.
struct VictimWork {
  static constexpr int64_t kMostOfSearch = 1'000'000;

  int64_t left = 10 * kMostOfSearch;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_VICTIM_WORK_H_
