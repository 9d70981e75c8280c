#include "server/usage/usage_bound.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/site/tres.h"
#include "server/usage/validation.h"

namespace priorityd::usage {

std::optional<std::string> UsageBound::Excess(double amount, double total, double scale) const {
  if (total == 0 || amount <= headroom_ * total * scale) return std::nullopt;
  return absl::StrCat("got ", amount, ", want at most ", headroom_ * total * scale,
                      " (UsageHeadroom ", headroom_, " times the ", total, " that the cluster has",
                      scale > 1 ? ", for a minute at least)" : ")");
}

std::optional<Rejection> UsageBound::FindExcess(const UsageSubmission& record,
                                                absl::Duration least) const {
  const absl::Duration length = *record.end_time - *record.start_time;
  const bool is_short = length < least && length > absl::ZeroDuration();
  const double scale = is_short ? absl::FDivDuration(least, length) : 1;
  for (const auto& [name, count] : record.tres) {
    const absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) continue;  // Such a name has no price.
    const bool is_billing = priority::TresScopeOf(*canonical) == priority::TresScope::kBilling;
    const double total = is_billing ? capacity_.billing : capacity_.TotalOf(*canonical);
    if (auto excess = Excess(count, total, scale)) {
      return Rejection{RejectionReason::kBeyondCapacity, TresField(name), *std::move(excess)};
    }
  }
  auto excess = Excess(record.billing.value_or(0), capacity_.billing, scale);
  if (!excess.has_value()) return std::nullopt;
  return Rejection{RejectionReason::kBeyondCapacity, "billing", *std::move(excess)};
}

}  // namespace priorityd::usage
