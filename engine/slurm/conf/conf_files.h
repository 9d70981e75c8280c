// Reads slurm.conf with the files of its Include lines.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_CONF_FILES_H_
#define PRIORITYD_ENGINE_SLURM_CONF_CONF_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// Bounds; exceeding one is an error.
inline constexpr int64_t kMaxIncludes = 1000;            // Include lines followed.
inline constexpr int64_t kMaxIncludedBytes = 256 << 20;  // Of text, by them.

// Whether a file is the output of `scontrol show config`, by its heading. Each line of such a file
// is one `Key = value`, where the value is everything after the =; other lines and lines of its
// sections are ignored.
bool IsPrintedConf(absl::string_view content);

// Calls `use` for each logical line in reading order, with included files in the place of their
// Include lines; skips comments, blank lines and Include lines. A line that does not begin with
// key=value, and violations of Include lines, go to `violations`; a file that no line includes goes
// to `warnings`. Places point into `files`, of which the first is the main one. See ParseSlurmConf
// for the resolution of names. REQUIRES: files is not empty.
void ReadConfLines(absl::Span<const SourceFile> files, FileViolations& violations,
                   std::vector<std::string>& warnings,
                   absl::FunctionRef<void(const ConfLine&)> use);

// Returns the content of the file that an Include line names, with `%c` replaced.
using ReadIncluded = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& name)>;

// `main` and every file that it includes, in reading order and without duplicates, named as in the
// first Include line that names it. Fails with the first error of `read`, prefixed by the place of
// the Include line; other violations are left for ReadConfLines to find.
absl::StatusOr<std::vector<SourceFile>> GatherConfFiles(SourceFile main, ReadIncluded read);

// The text of `files[0]` with included files in the place of their Include lines. Names are
// resolved as in ReadConfLines. INVALID_ARGUMENT lists violations of Include lines (see
// file_violations.h). REQUIRES: files is not empty.
absl::StatusOr<std::string> JoinConfFiles(absl::Span<const SourceFile> files);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_CONF_FILES_H_
