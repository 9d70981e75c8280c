#include "engine/priority/limits/limit_values.h"

#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace priorityd::priority {
namespace {

void AddUsageLimits(const TresMap& tres_mins, const std::optional<absl::Duration>& wall,
                    std::vector<LimitValue>* values) {
  for (const auto& [tres, minutes] : tres_mins) {
    values->push_back({LimitKind::kGrpTresMins, tres, minutes});
  }
  if (wall.has_value()) {
    values->push_back({LimitKind::kGrpWall, "", absl::ToDoubleSeconds(*wall)});
  }
}

void AddMaxSubmit(const std::optional<uint32_t>& jobs, std::vector<LimitValue>* values) {
  if (jobs.has_value()) values->push_back({LimitKind::kMaxSubmitJobs, "", double(*jobs)});
}

}  // namespace

std::vector<LimitValue> AllOf(const AssociationLimits& limits) {
  std::vector<LimitValue> values = limits.others;
  AddUsageLimits(limits.grp_tres_mins, limits.grp_wall, &values);
  AddMaxSubmit(limits.max_submit_jobs, &values);
  return values;
}

std::vector<LimitValue> AllOf(const Qos& qos) {
  std::vector<LimitValue> values = qos.other_limits;
  AddUsageLimits(qos.grp_tres_mins, qos.grp_wall, &values);
  AddMaxSubmit(qos.max_submit_jobs_per_user, &values);
  return values;
}

}  // namespace priorityd::priority
