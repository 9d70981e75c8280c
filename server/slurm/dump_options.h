// The options of Cluster, Account and User lines.
#ifndef PRIORITYD_SERVER_SLURM_DUMP_OPTIONS_H_
#define PRIORITYD_SERVER_SLURM_DUMP_OPTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "server/slurm/dump_line.h"
#include "server/slurm/sacctmgr_dump.h"

namespace priorityd::slurm {

// What a line makes; some options mean something on one kind only.
enum class DumpLineKind { kCluster, kAccount, kUser };

// Fairshare= of an association whose shares are `parent`.
inline constexpr uint32_t kParentShares = 2147483647;

// Puts what an option says into `line`; one that the struct has no field for goes to
// `other_options`. A QOS list is taken as written, with its + and -. INVALID_ARGUMENT
// `got "x", want y` for an impossible value or an option unknown to sacctmgr.
absl::Status ReadDumpOption(const DumpOption& option, DumpLineKind kind, DumpAssociation& line);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_DUMP_OPTIONS_H_
