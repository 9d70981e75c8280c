#include "engine/scheduling/plan_options.h"

namespace priorityd::scheduling {

plan::PlanOptions PlanOptionsOf(const priority::Scheduling& policy) {
  plan::PlanOptions options;
  if (!policy.backfill) options.backfill = plan::Backfill::kNone;
  if (policy.max_job_test.has_value()) {
    options.max_job_test = static_cast<int>(*policy.max_job_test);
  }
  options.max_job_user = static_cast<int>(policy.max_job_user.value_or(0));
  options.max_job_assoc = static_cast<int>(policy.max_job_assoc.value_or(0));
  options.max_job_part = static_cast<int>(policy.max_job_part.value_or(0));
  options.window = policy.window.value_or(options.window);
  return options;
}

}  // namespace priorityd::scheduling
