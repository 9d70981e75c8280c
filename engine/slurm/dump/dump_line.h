// Splits a line of a sacctmgr dump, and quotes values for one.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_DUMP_LINE_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_DUMP_LINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// An option of a line: the name as written, the value unquoted. For `QOS+=` and `QOS-=` each name
// in the value has the sign as prefix: `+high`.
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

// INVALID_ARGUMENT `got "x", want y`. Options must be unique; as in sacctmgr load, += and -= are
// allowed for lists of QOS only.
absl::StatusOr<DumpLine> SplitDumpLine(absl::string_view text);

// `value` in single quotes for a dump; line breaks and NUL become spaces, and a quote before `:`
// and an option becomes a backquote.
std::string DumpQuoted(absl::string_view value);

// The option of a Cluster, Account or User line that sacctmgr load accepts for `typed`,
// case-insensitive: its name, an older name, or an abbreviation of the length that sacctmgr
// requires; among several options the first in sacctmgr's order. Empty = none.
absl::string_view FindAssociationOption(absl::string_view typed);

// Whether sacctmgr has such an option of a QOS line (case-insensitive).
bool IsQosOption(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_DUMP_LINE_H_
