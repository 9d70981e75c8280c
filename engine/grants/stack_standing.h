// The standing of all grants of one owner and TRES together.
#ifndef PRIORITYD_ENGINE_GRANTS_STACK_STANDING_H_
#define PRIORITYD_ENGINE_GRANTS_STACK_STANDING_H_

#include <cstddef>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/balance.h"
#include "engine/grants/grant.h"
#include "engine/priority/site/grant_standing.h"

namespace priorityd::grants {

struct StackStanding {
  size_t last = 0;  // Of the grants in force, the one that is used last.
  // Its name, and the figures of all; without owner, TRES and consequence.
  priority::GrantStanding standing;
};

// nullopt if no grant is in force at `time`. `present`: the last window up to `time` of a grant of
// the stack that is in force, by its index.
std::optional<StackStanding> StandingOf(absl::Span<const Grant> stack,
                                        absl::FunctionRef<const Balance&(size_t)> present,
                                        absl::Time time);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_STACK_STANDING_H_
