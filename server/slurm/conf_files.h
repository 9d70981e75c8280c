// Reads slurm.conf with its includes as one sequence of lines.
#ifndef PRIORITYD_SERVER_SLURM_CONF_FILES_H_
#define PRIORITYD_SERVER_SLURM_CONF_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "server/slurm/conf_lines.h"
#include "server/slurm/file_violations.h"

namespace priorityd::slurm {

// Bounds; beyond them an error.
inline constexpr int64_t kMaxIncludes = 1000;            // Include lines followed.
inline constexpr int64_t kMaxIncludedBytes = 256 << 20;  // Of text, by them.

// Calls `use` with each logical line in reading order, included files in the place of
// their Include lines; comments, blank lines and Include lines are left out. A line
// that does not begin with key=value goes to `violations`, as do violations of Include lines; a
// file that no line includes goes to `warnings`. Places point into `files`, of which
// the first is the main one. See ParseSlurmConf for how names are resolved.
// REQUIRES: files is not empty.
void ReadConfLines(absl::Span<const SourceFile> files, FileViolations& violations,
                   std::vector<std::string>& warnings,
                   absl::FunctionRef<void(const ConfLine&)> use);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_CONF_FILES_H_
