// The options of a plan by the policy.
#ifndef PRIORITYD_ENGINE_SCHEDULING_PLAN_OPTIONS_H_
#define PRIORITYD_ENGINE_SCHEDULING_PLAN_OPTIONS_H_

#include "engine/plan/plan.h"
#include "engine/priority/site/scheduling.h"

namespace priorityd::scheduling {

// Each option as the policy sets it, else as in Slurm. sched/builtin is the main loop alone.
plan::PlanOptions PlanOptionsOf(const priority::Scheduling& policy);

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_PLAN_OPTIONS_H_
