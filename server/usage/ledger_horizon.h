// Up to where a policy has the ledger rolled up.
#ifndef PRIORITYD_SERVER_USAGE_LEDGER_HORIZON_H_
#define PRIORITYD_SERVER_USAGE_LEDGER_HORIZON_H_

#include "absl/time/time.h"
#include "server/priority/policy.h"

namespace priorityd::usage {

// The beginning of the unit that lies policy.purge_job_after before that of `time`,
// in the policy's time zone: at any time in November, `12months` gives the first of
// November of the year before. So it moves once per unit, and what is kept is at
// least as old as asked for. InfinitePast() = records are kept for ever.
absl::Time LedgerHorizon(const priority::Policy& policy, absl::Time time);

// A time at which an hour of the policy's time zone begins.
absl::Time BeginningOfAnHour(const priority::Policy& policy, absl::Time time);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_HORIZON_H_
