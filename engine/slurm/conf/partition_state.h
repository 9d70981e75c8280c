// The State of a partition in Slurm's words.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_PARTITION_STATE_H_
#define PRIORITYD_ENGINE_SLURM_CONF_PARTITION_STATE_H_

#include "absl/strings/string_view.h"
#include "engine/priority/site/cluster.h"

namespace priorityd::slurm {

// UP, DOWN, DRAIN or INACTIVE.
absl::string_view PartitionState(const priority::Partition& partition);

// Sets the state from the word (case-insensitive); false, without a change, for an unknown word.
bool SetPartitionState(absl::string_view word, priority::Partition* partition);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_PARTITION_STATE_H_
