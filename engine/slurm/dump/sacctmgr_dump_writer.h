// Writes the text that `sacctmgr load` and ParseSacctmgrDump read.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_SACCTMGR_DUMP_WRITER_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_SACCTMGR_DUMP_WRITER_H_

#include <string>

#include "engine/slurm/dump/sacctmgr_dump.h"

namespace priorityd::slurm {

// The dump as text that sacctmgr can load; ParseSacctmgrDump returns an equal dump. Line breaks in
// values become spaces. The associations may be in any order in which parents come before children.
std::string WriteSacctmgrDump(const SacctmgrDump& dump);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_SACCTMGR_DUMP_WRITER_H_
