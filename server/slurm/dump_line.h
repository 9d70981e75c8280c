// A line of a sacctmgr dump, taken apart, and how it is put together.
#ifndef PRIORITYD_SERVER_SLURM_DUMP_LINE_H_
#define PRIORITYD_SERVER_SLURM_DUMP_LINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// An option of a line: the name as written, the value unquoted. Of `QOS+=` and `QOS-=` the names
// have the sign before each of them: `+high`.
struct DumpOption {
  std::string name;
  std::string value;

  friend bool operator==(const DumpOption&, const DumpOption&) = default;
};

// `Kind - 'name':Option=value:Option='value'`.
struct DumpLine {
  std::string kind;  // As written.
  std::string name;
  std::vector<DumpOption> options;
};

// INVALID_ARGUMENT `got "x", want y`. An option may stand only once; += and -= are for lists of QOS
// alone, as sacctmgr load has it.
absl::StatusOr<DumpLine> SplitDumpLine(absl::string_view text);

// `value` in single quotes, for a dump; line breaks and NUL become spaces.
std::string DumpQuoted(absl::string_view value);

// The option of a Cluster, Account or User line that sacctmgr load takes for what was typed, in any
// case: its name, one of its older names, or so many of its first letters as sacctmgr asks for, of
// several options the first in sacctmgr's order. Empty = none.
absl::string_view FindAssociationOption(absl::string_view typed);

// Whether sacctmgr knows such an option of a QOS line (case-insensitive).
bool IsQosOption(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_DUMP_LINE_H_
