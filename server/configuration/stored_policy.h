// Interprets stored policy versions.
#ifndef PRIORITYD_SERVER_CONFIGURATION_STORED_POLICY_H_
#define PRIORITYD_SERVER_CONFIGURATION_STORED_POLICY_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/site/policy.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "storage/configuration/policy_store.h"

namespace priorityd::configuration {

// Parses the text; recent texts stay parsed (ParsedPolicies). Before the first policy, every
// parameter has its default. A word known only to a newer priorityd is logged and ignored: replicas
// of two versions share one database during an upgrade. INTERNAL for an invalid stored text.
absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> ParseStored(
    const std::optional<storage::PolicyVersion>& version);

// The resets of usage under `policy`, the parsed `version`.
priority::ResetRule ResetRuleOf(const priority::Policy& policy,
                                const std::optional<storage::PolicyVersion>& version);

// The engine's timeline. Before the first stored entry, `policy`'s half-life for all times.
std::vector<priority::HalfLifeChange> TimelineOf(const std::vector<storage::HalfLife>& half_lives,
                                                 const priority::Policy& policy);

// The entry that a recalculation at `time` under `policy` adds to the timeline; nullopt if the last
// entry still applies. The first entry applies to all the past; later ones from the later of `time`
// and `latest_usage`, the newest as_of of any usage row, since stored rows are valid under the
// previous timeline.
std::optional<storage::HalfLife> TimelineChange(const std::vector<storage::HalfLife>& half_lives,
                                                const priority::Policy& policy, absl::Time time,
                                                absl::Time latest_usage);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_STORED_POLICY_H_
