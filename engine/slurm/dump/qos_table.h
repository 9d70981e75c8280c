// Reads the output of `sacctmgr -P show qos format=...` (also of -p).
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_QOS_TABLE_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_QOS_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/file_violations.h"

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
  // The columns of the table: Name Priority UsageFactor GrpTRESMins GrpWall MaxSubmitPU Flags
  // UsageThres Preempt have these names, others are as written.
  std::vector<std::string> columns;
  // Flags that no Slurm has and mistyped columns, which were left out, as `qos.txt line 3: Flags:
  // got ...`.
  std::vector<std::string> losses;

  // Whether the table has the column (case-insensitive).
  bool HasColumn(absl::string_view name) const;
};

// The losses of the flags of a row of `place` that no Slurm has, which are removed.
std::vector<std::string> TakeFlagLosses(absl::string_view place, QosRow& row);

// The losses of columns, or options of a dump's line, that could have been meant as a word of a
// QOS, which are removed. Those with idle values only are no loss.
std::vector<std::string> TakeColumnLosses(absl::string_view place, QosRow& row);

// Columns may be in any order; only Name is required. INVALID_ARGUMENT has a list of violations
// (see file_violations.h): no Name column, a duplicate column or QOS, a row with more or fewer
// cells, an invalid value.
absl::StatusOr<QosTable> ParseQosTable(const SourceFile& file);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_QOS_TABLE_H_
