// The ledger's horizon, up to which a policy rolls up records.
#ifndef PRIORITYD_SERVER_USAGE_LEDGER_HORIZON_H_
#define PRIORITYD_SERVER_USAGE_LEDGER_HORIZON_H_

#include "absl/time/time.h"
#include "engine/priority/site/policy.h"

namespace priorityd::usage {

// The beginning of the unit that lies policy.purge_job_after before that of `time`, in the policy's
// time zone: at any time in November, `12months` gives the first of November of the year before.
// The horizon therefore moves once per unit, and records are kept at least as long as the policy
// demands. InfinitePast() = records are kept for ever.
absl::Time LedgerHorizon(const priority::Policy& policy, absl::Time time);

// The start of the hour of `time` in the policy's time zone.
absl::Time BeginningOfAnHour(const priority::Policy& policy, absl::Time time);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_HORIZON_H_
