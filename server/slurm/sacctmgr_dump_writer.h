// Writes the text that `sacctmgr load` and ParseSacctmgrDump read.
#ifndef PRIORITYD_SERVER_SLURM_SACCTMGR_DUMP_WRITER_H_
#define PRIORITYD_SERVER_SLURM_SACCTMGR_DUMP_WRITER_H_

#include <string>

#include "server/slurm/sacctmgr_dump.h"

namespace priorityd::slurm {

// The dump as text, in the form that sacctmgr loads; ParseSacctmgrDump gives an
// equal dump back. Line breaks inside values become spaces. The associations may
// stand in any order in which a parent comes before its children.
std::string WriteSacctmgrDump(const SacctmgrDump& dump);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_SACCTMGR_DUMP_WRITER_H_
