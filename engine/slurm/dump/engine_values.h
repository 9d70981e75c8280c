// Converts QOS and associations from Slurm's files to the engine's types.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_ENGINE_VALUES_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_ENGINE_VALUES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/cluster.h"
#include "engine/slurm/dump/qos_table.h"
#include "engine/slurm/dump/sacctmgr_dump.h"

namespace priorityd::slurm {

// Whether priorityd implements a QOS flag (case-insensitive).
bool IsQosFlag(absl::string_view flag);

// Sets the fields of the flags; names are case-insensitive, unknown flags are skipped.
void SetQosFlags(absl::Span<const std::string> flags, priority::Qos* qos);

// Sets the limit of a column (`MaxTRESPU`, `cpu=4`), or LimitFactor, MinPrioThresh,
// PreemptExemptTime, PreemptMode (OFF is the policy's, as in slurmctld), GraceTime, or a limit on
// jobs that accrue. Ignores other columns and invalid values.
void SetQosLimit(absl::string_view column, absl::string_view value, priority::Qos* qos);

// Converts a whole row.
priority::Qos ToEngine(const QosRow& row);

// Converts a whole line, except `id` and `parent_id`, which it does not have.
priority::Association ToEngine(const DumpAssociation& line);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_ENGINE_VALUES_H_
