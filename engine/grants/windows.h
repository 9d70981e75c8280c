// The windows of a grant.
#ifndef PRIORITYD_ENGINE_GRANTS_WINDOWS_H_
#define PRIORITYD_ENGINE_GRANTS_WINDOWS_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "engine/grants/grant.h"

namespace priorityd::grants {

// From `begin` to before `end`.
struct Window {
  absl::Time begin;
  absl::Time end;  // After `begin`; perhaps InfiniteFuture().

  friend bool operator==(const Window&, const Window&) = default;
};

// The windows that begin at or before `now`, consecutive, oldest first; of a rolling grant its
// days, each as a window. Midnight is the first moment of a day, also where a change of the clocks
// skips or repeats 00:00.
std::vector<Window> WindowsOf(const Grant& grant, const absl::TimeZone& zone, absl::Time now);

// The window, or day, that begins where `window` ends; none if the grant ends there.
std::optional<Window> NextWindow(const Grant& grant, const absl::TimeZone& zone,
                                 const Window& window);

// The window of a rolling grant at `now`, or its last one if it has ended; none before it begins.
// REQUIRES: kRolling.
std::optional<Window> RollingWindow(const Grant& grant, const absl::TimeZone& zone, absl::Time now);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_WINDOWS_H_
