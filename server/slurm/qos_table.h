// Reads the output of `sacctmgr -P show qos format=...` (also of -p).
#ifndef PRIORITYD_SERVER_SLURM_QOS_TABLE_H_
#define PRIORITYD_SERVER_SLURM_QOS_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/priority/cluster.h"
#include "server/priority/tres.h"
#include "server/slurm/file_violations.h"

namespace priorityd::slurm {

// A QOS with its limits.
struct QosRow {
  // An empty cell is the default; a UsageFactor or UsageThres of -1 is unset.
  priority::Qos qos;
  priority::TresMap grp_tres_mins;                   // GrpTRESMins, TRES-minutes.
  std::optional<absl::Duration> grp_wall;            // GrpWall.
  std::optional<uint32_t> max_submit_jobs_per_user;  // MaxSubmitPU.
  std::vector<std::string> flags;                    // Flags, all of them, as written.
  // The non-empty cells of all other columns, by the column's name as written.
  std::vector<std::pair<std::string, std::string>> others;
};

// The table.
struct QosTable {
  std::vector<QosRow> rows;  // In the order of the lines.
  // The columns there were, by these names where they are of these: Name Priority
  // UsageFactor GrpTRESMins GrpWall MaxSubmitPU Flags UsageThres Preempt; else as
  // written.
  std::vector<std::string> columns;

  // Whether there was such a column (case-insensitive).
  bool HasColumn(absl::string_view name) const;
};

// Columns in any order; Name is required, the others are optional. INVALID_ARGUMENT
// carries a list of violations (see file_violations.h): no Name column, a column twice, a
// row with more or fewer cells, a QOS twice, an impossible value.
absl::StatusOr<QosTable> ParseQosTable(const SourceFile& file);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_QOS_TABLE_H_
