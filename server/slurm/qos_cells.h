// The cells of a QOS, in a table or in a dump.
#ifndef PRIORITYD_SERVER_SLURM_QOS_CELLS_H_
#define PRIORITYD_SERVER_SLURM_QOS_CELLS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/slurm/qos_table.h"

namespace priorityd::slurm {

// The name of QosTable::columns for a column or option (UsageThreshold is
// UsageThres, MaxSubmitJobsPerUser is MaxSubmitPU, ...); an unknown one as it is.
std::string QosColumnName(absl::string_view name);

// Puts what a cell says into `row`; a cell of no known column goes to `others`, an
// empty one says nothing. INVALID_ARGUMENT `got "x", want y`.
absl::Status ReadQosCell(absl::string_view column_name, absl::string_view cell, QosRow& row);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_QOS_CELLS_H_
