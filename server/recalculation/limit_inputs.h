// What the limits on usage (GrpTRESMins, GrpWall) read besides the usage of
// associations.
#ifndef PRIORITYD_SERVER_RECALCULATION_LIMIT_INPUTS_H_
#define PRIORITYD_SERVER_RECALCULATION_LIMIT_INPUTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/priority/limits.h"
#include "server/priority/usage_decay.h"
#include "server/recalculation/job_ends.h"
#include "storage/association_store.h"
#include "storage/cluster_state.h"
#include "storage/qos_store.h"
#include "storage/transaction.h"

namespace priorityd::recalculation {

// Stored usage of the living QOS, in the order of state.qos, decayed to `time`;
// that of QOS with NoDecay is but reset. A row that holds later than `time` counts
// as it is.
std::vector<priority::QosUsage> QosUsageAt(absl::Time time, const storage::ClusterState& state,
                                           const priority::UsageDecay& decay);

// Whether any association or QOS has a limit on usage.
bool LimitsUsage(const std::vector<storage::Association>& associations,
                 const std::vector<storage::Qos>& qos);

// By job_id: until when jobs that may be running are charged: the latest end
// among their records. Jobs whose last record ended more than a week before the
// newest of all are taken to have ended; what was used after `time` is not looked
// at. Limits on usage alone ask for it. `ends`, which are new or were brought up to date here
// before, save reading the ledger again.
absl::StatusOr<absl::flat_hash_map<std::string, absl::Time>> ReadRecordedUntil(
    storage::Transaction& transaction, const storage::ClusterState& state, absl::Time time,
    JobEnds* ends);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LIMIT_INPUTS_H_
