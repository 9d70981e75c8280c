// The `#SBATCH` lines of a batch script as options of sbatch.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SCRIPT_SCRIPT_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SCRIPT_SCRIPT_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::script {

struct ScriptOption {
  std::string name;   // The long one: `nodes` of -N.
  std::string value;  // Empty without one.
  int line = 0;       // In the file, from 1.
};

// The options in their order, up to the first command of the script, as sbatch reads them: long
// ones (also cut short), short ones, `=` or a blank before the value, quotes, and comments after
// them. INVALID_ARGUMENT `NAME line 4: ...` for an option that sbatch does not have, a missing or
// superfluous value, an open quote, another word, and a first line without `#!`.
absl::StatusOr<std::vector<ScriptOption>> ReadScriptOptions(const std::string& name,
                                                            absl::string_view content);

}  // namespace priorityd::script

#endif  // PRIORITYD_CLIENT_PRIOCTL_SCRIPT_SCRIPT_OPTIONS_H_
