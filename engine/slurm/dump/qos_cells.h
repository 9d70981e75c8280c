// Reads the cells of a QOS in a table or a dump.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_QOS_CELLS_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_QOS_CELLS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/dump/qos_table.h"

namespace priorityd::slurm {

// The name in QosTable::columns of a column or option (UsageThreshold is UsageThres,
// MaxSubmitJobsPerUser is MaxSubmitPU, ...); unknown names are unchanged.
std::string QosColumnName(absl::string_view name);

// Sets a cell in `row`; a cell of an unknown column goes to `others`, an empty one is ignored.
// INVALID_ARGUMENT `got "x", want y`.
absl::Status ReadQosCell(absl::string_view column_name, absl::string_view cell, QosRow& row);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_QOS_CELLS_H_
