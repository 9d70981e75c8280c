// What Slurm's files say of QOS and associations, as the engine takes it.
#ifndef PRIORITYD_SERVER_SLURM_ENGINE_VALUES_H_
#define PRIORITYD_SERVER_SLURM_ENGINE_VALUES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/association_tree.h"
#include "server/priority/cluster.h"
#include "server/slurm/qos_table.h"
#include "server/slurm/sacctmgr_dump.h"

namespace priorityd::slurm {

// Whether a flag of a QOS is acted on (case-insensitive).
bool IsQosFlag(absl::string_view flag);

// Sets the fields that flags stand for; the names in any case, others are skipped.
void SetQosFlags(absl::Span<const std::string> flags, priority::Qos* qos);

// Sets what a column limits (`MaxTRESPU`, `cpu=4`) or, of LimitFactor, MinPrioThresh,
// PreemptExemptTime and the counts of jobs that accrue, says; what is none of these, or cannot be
// read, sets nothing.
void SetQosLimit(absl::string_view column, absl::string_view value, priority::Qos* qos);

// All that a row says.
priority::Qos ToEngine(const QosRow& row);

// All that a line says, but for `id` and `parent_id`, which it does not.
priority::Association ToEngine(const DumpAssociation& line);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_ENGINE_VALUES_H_
