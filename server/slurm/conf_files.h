// Reads slurm.conf with the files that it Includes.
#ifndef PRIORITYD_SERVER_SLURM_CONF_FILES_H_
#define PRIORITYD_SERVER_SLURM_CONF_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/slurm/conf_lines.h"
#include "server/slurm/file_violations.h"

namespace priorityd::slurm {

// Bounds; beyond them an error.
inline constexpr int64_t kMaxIncludes = 1000;            // Include lines followed.
inline constexpr int64_t kMaxIncludedBytes = 256 << 20;  // Of text, by them.

// Whether a file is what `scontrol show config` printed, by its heading. Of such a file a line is
// one `Key = value`, the value being all behind the =; other lines, and those of its sections, are
// none.
bool IsPrintedConf(absl::string_view content);

// Calls `use` with each logical line in reading order, included files in the place of
// their Include lines; comments, blank lines and Include lines are left out. A line
// that does not begin with key=value goes to `violations`, as do violations of Include lines; a
// file that no line includes goes to `warnings`. Places point into `files`, of which
// the first is the main one. See ParseSlurmConf for how names are resolved.
// REQUIRES: files is not empty.
void ReadConfLines(absl::Span<const SourceFile> files, FileViolations& violations,
                   std::vector<std::string>& warnings,
                   absl::FunctionRef<void(const ConfLine&)> use);

// The content of the file that an Include line names, `%c` replaced.
using ReadIncluded = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& name)>;

// `main` and every file that it Includes, in reading order, each once and called as the
// first Include line that names it does. Fails as `read` first did, with the place of the
// Include line before its message; other violations are left for ReadConfLines to find.
absl::StatusOr<std::vector<SourceFile>> GatherConfFiles(SourceFile main, ReadIncluded read);

// The text of `files[0]` with the files that it Includes in the place of those lines. Names
// are resolved as by ReadConfLines; INVALID_ARGUMENT lists violations of Include lines
// (see file_violations.h).
// REQUIRES: files is not empty.
absl::StatusOr<std::string> JoinConfFiles(absl::Span<const SourceFile> files);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_CONF_FILES_H_
