// Reads lines of `account|user|partition|usage`: exact opening usage.
#ifndef PRIORITYD_SERVER_SLURM_USAGE_LINES_H_
#define PRIORITYD_SERVER_SLURM_USAGE_LINES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/opening_usage.h"

namespace priorityd::slurm {

// User and partition may be empty, usage is a decimal number, read as the nearest
// double. Blank lines and lines that begin with `#` are skipped. INVALID_ARGUMENT
// carries a list of violations (see file_violations.h): not four cells, no account, a
// partition without a user, a usage that is not a finite number of at least 0, one
// association twice.
absl::StatusOr<std::vector<OpeningUsage>> ParseUsageLines(const SourceFile& file);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_USAGE_LINES_H_
