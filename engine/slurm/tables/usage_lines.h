// Reads lines of `account|user|partition|usage`: exact opening usage.
#ifndef PRIORITYD_ENGINE_SLURM_TABLES_USAGE_LINES_H_
#define PRIORITYD_ENGINE_SLURM_TABLES_USAGE_LINES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "engine/slurm/tables/opening_usage.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// User and partition may be empty, usage is a decimal number, read as the nearest
// double. Blank lines and lines that begin with `#` are skipped. INVALID_ARGUMENT
// carries a list of violations (see file_violations.h): not four cells, no account, a
// partition without a user, a usage that is not a finite number of at least 0, one
// association twice.
absl::StatusOr<std::vector<OpeningUsage>> ParseUsageLines(const SourceFile& file);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_TABLES_USAGE_LINES_H_
