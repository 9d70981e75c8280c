// Writes the text that ParseQosTable reads.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_QOS_TABLE_WRITER_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_QOS_TABLE_WRITER_H_

#include <string>
#include <vector>

#include "engine/slurm/dump/qos_table.h"

namespace priorityd::slurm {

// The table as printed by `sacctmgr -P show qos`, with every column for which a row has a value;
// ParseQosTable returns equal rows. Line breaks and bars in values become blanks.
std::string WriteQosTable(const std::vector<QosRow>& rows);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_QOS_TABLE_WRITER_H_
