// What one recalculation starts from.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/priority/usage_decay.h"
#include "server/slurm/slurm_conf.h"
#include "storage/cluster_state.h"
#include "storage/database.h"
#include "storage/policy_store.h"

namespace priorityd::recalculation {

// The time to recalculate for.
struct RecalculationTime {
  absl::Time now;  // The real clock.
  // On a manual clock; unset = the time of the last recalculation.
  std::optional<absl::Time> as_of;
};

struct RecalculationInput {
  // As of one moment, but no usage row holds later than `time`: usage from then
  // on is taken out.
  storage::ClusterState state;
  slurm::SlurmConf conf;  // What state.policy says.
  std::optional<storage::PolicyVersion> first_policy;
  absl::Time time;  // T, whole microseconds.
  // See ReadRecordedUntil.
  absl::flat_hash_map<std::string, absl::Time> recorded_until;
};

// How usage decays up to input.time. A change of half-life that this
// recalculation brings holds from then on at the earliest, so it is not in it.
UsageDecay DecayOf(const RecalculationInput& input);

// Errors of Recalculate.
absl::StatusOr<RecalculationInput> ReadInput(storage::Database& database,
                                             const std::string& cluster,
                                             const RecalculationTime& time);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_
