// Writes the text that ParseQosTable reads.
#ifndef PRIORITYD_SERVER_SLURM_QOS_TABLE_WRITER_H_
#define PRIORITYD_SERVER_SLURM_QOS_TABLE_WRITER_H_

#include <string>
#include <vector>

#include "server/slurm/qos_table.h"

namespace priorityd::slurm {

// The table as printed by `sacctmgr -P show qos`, with every column for which a row has a value;
// ParseQosTable returns equal rows. Line breaks and bars in values become blanks.
std::string WriteQosTable(const std::vector<QosRow>& rows);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_QOS_TABLE_WRITER_H_
