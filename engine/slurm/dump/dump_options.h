// The options of Cluster, Account and User lines.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_DUMP_OPTIONS_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_DUMP_OPTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/dump/sacctmgr_dump.h"

namespace priorityd::slurm {

// The kind of object that a line creates; some options apply to one kind only.
enum class DumpLineKind { kCluster, kAccount, kUser };

// Fairshare= of an association whose shares are `parent`.
inline constexpr uint32_t kParentShares = 2147483647;

// Sets an option in `line`; an option without a field goes to `other_options`. A QOS list is stored
// as written, with + and -. INVALID_ARGUMENT `got "x", want y` for an invalid value or an option
// that sacctmgr does not have.
absl::Status ReadDumpOption(const DumpOption& option, DumpLineKind kind, DumpAssociation& line);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_DUMP_OPTIONS_H_
