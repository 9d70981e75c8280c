// Input of the limits on usage (GrpTRESMins, GrpWall) besides the associations' usage.
#ifndef PRIORITYD_SERVER_RECALCULATION_LIMIT_INPUTS_H_
#define PRIORITYD_SERVER_RECALCULATION_LIMIT_INPUTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/limits/limits.h"
#include "server/recalculation/job_ends.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/database/transaction.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::recalculation {

// Stored usage of the existing QOS, in the order of state.qos, decayed to `time`; usage of QOS with
// NoDecay is only reset, never decayed. A row of a time after `time` counts undecayed.
std::vector<priority::QosUsage> QosUsageAt(absl::Time time, const storage::ClusterState& state,
                                           const priority::UsageDecay& decay);

// Whether any association or QOS has a limit on usage.
bool LimitsUsage(const std::vector<storage::Association>& associations,
                 const std::vector<storage::Qos>& qos);

// By job_id: the time until which jobs that may be running have been charged, the latest end among
// their records. Jobs whose last record ended more than a week before the newest record are
// considered ended; usage after `time` is ignored. Only limits on usage need this. `ends`, new or
// updated here before, avoids reading the whole ledger again.
absl::StatusOr<absl::flat_hash_map<std::string, absl::Time>> ReadRecordedUntil(
    storage::Transaction& transaction, const storage::ClusterState& state, absl::Time time,
    JobEnds* ends);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LIMIT_INPUTS_H_
