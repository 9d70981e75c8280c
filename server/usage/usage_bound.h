// The maximum amounts of a usage record: UsageHeadroom times the cluster's capacity.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_BOUND_H_
#define PRIORITYD_SERVER_USAGE_USAGE_BOUND_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/capacity.h"
#include "server/usage/usage_submission.h"

namespace priorityd::usage {

// For each TRES and for billing, the headroom times the capacity; TRES of unknown capacity have no
// bound. Immutable.
class UsageBound {
 public:
  // Has no bounds.
  UsageBound() = default;
  // `headroom` may be infinite: then there are no bounds.
  UsageBound(double headroom, priority::Capacity capacity)
      : headroom_(headroom), capacity_(std::move(capacity)) {}

  // The first amount of `record`, which has counts, above its bound. A record shorter than `least`
  // is compared with the cluster's output in `least`, since averages of counters are imprecise:
  // counters are rounded and read after their update.
  std::optional<Rejection> FindExcess(const UsageSubmission& record,
                                      absl::Duration least = absl::ZeroDuration()) const;

 private:
  // nullopt if `amount` is not above the bound, or `total` is 0 (unknown).
  std::optional<std::string> Excess(double amount, double total, double scale) const;

  double headroom_ = 0;
  priority::Capacity capacity_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_BOUND_H_
