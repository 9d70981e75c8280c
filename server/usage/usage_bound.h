// How much a usage record can be about: UsageHeadroom times what the cluster has.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_BOUND_H_
#define PRIORITYD_SERVER_USAGE_USAGE_BOUND_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/priority/capacity.h"
#include "server/usage/usage_submission.h"

namespace priorityd::usage {

// Of each TRES, and of billing, the headroom times the capacity; what the capacity does not know
// has no bound. Immutable.
class UsageBound {
 public:
  // Bounds nothing.
  UsageBound() = default;
  // `headroom` may be infinite: nothing is bounded.
  UsageBound(double headroom, priority::Capacity capacity)
      : headroom_(headroom), capacity_(std::move(capacity)) {}

  // The first amount of `record`, which has counts, that is above its bound. Where the record is
  // shorter than `least` its amounts are held against what the cluster produces in `least`: the
  // average of counters, which are read and rounded at other moments than they hold at.
  std::optional<Rejection> FindExcess(const UsageSubmission& record,
                                      absl::Duration least = absl::ZeroDuration()) const;

 private:
  // nullopt if `amount` is not above the bound, or `total` is 0 (not known).
  std::optional<std::string> Excess(double amount, double total, double scale) const;

  double headroom_ = 0;
  priority::Capacity capacity_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_BOUND_H_
