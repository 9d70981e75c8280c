#include "server/status/domain_standstill.h"

#include <algorithm>

#include "engine/priority/site/policy.h"

namespace priorityd::status {
namespace {

constexpr absl::Duration kShortestStandstill = absl::Minutes(1);
constexpr int kStillPeriods = 2;

}  // namespace

ClusterPace PaceOf(const priority::Snapshot& snapshot, absl::Time now) {
  const priority::Policy& policy = snapshot.policy();
  if (policy.clock == priority::ClockMode::kManual) return {.is_manual = true};
  const absl::Duration age = std::max(now - snapshot.computed_at(), absl::ZeroDuration());
  return {.period = policy.calc_period,
          .late_by = std::max(age - policy.calc_period, absl::ZeroDuration())};
}

Standstill StandstillOf(const ClusterPace& domain, bool member_is_manual) {
  if (member_is_manual) return Standstill::kNone;
  if (domain.is_manual) return Standstill::kManualClock;
  const absl::Duration still = std::max(kShortestStandstill, kStillPeriods * domain.period);
  return domain.late_by > still ? Standstill::kOverdue : Standstill::kNone;
}

}  // namespace priorityd::status
