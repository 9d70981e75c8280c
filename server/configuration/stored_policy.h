// A stored policy version and what follows from it.
#ifndef PRIORITYD_SERVER_CONFIGURATION_STORED_POLICY_H_
#define PRIORITYD_SERVER_CONFIGURATION_STORED_POLICY_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/priority/policy.h"
#include "server/priority/usage_decay.h"
#include "server/slurm/slurm_conf.h"
#include "storage/policy_store.h"

namespace priorityd::configuration {

// What the text says; the texts asked for last stay parsed (ParsedPolicies).
// Before the first policy every parameter has its default. A word that only a
// newer priorityd knows is logged and not in force: replicas of two versions stand on one
// database while one takes the place of the other. INTERNAL if a stored text can no longer
// be read at all.
absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> ParseStored(
    const std::optional<storage::PolicyVersion>& version);

// When usage is wiped out under `policy`, which is what `version` says.
priority::ResetRule ResetRuleOf(const priority::Policy& policy,
                                const std::optional<storage::PolicyVersion>& version);

// The engine's timeline. Before the first entry was written it is all of
// `policy`'s half-life.
std::vector<priority::HalfLifeChange> TimelineOf(const std::vector<storage::HalfLife>& half_lives,
                                                 const priority::Policy& policy);

// The entry that a recalculation at `time` under `policy` adds to the timeline;
// nullopt when the last one holds. The first entry holds for all the past, later
// ones from `time` or from `latest_usage`, the newest as_of of any usage row,
// whichever is later: rows hold at their as_of by the timeline as it was.
std::optional<storage::HalfLife> TimelineChange(const std::vector<storage::HalfLife>& half_lives,
                                                const priority::Policy& policy, absl::Time time,
                                                absl::Time latest_usage);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_STORED_POLICY_H_
