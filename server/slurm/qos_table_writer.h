// Writes the text that ParseQosTable reads.
#ifndef PRIORITYD_SERVER_SLURM_QOS_TABLE_WRITER_H_
#define PRIORITYD_SERVER_SLURM_QOS_TABLE_WRITER_H_

#include <string>
#include <vector>

#include "server/slurm/qos_table.h"

namespace priorityd::slurm {

// As `sacctmgr -P show qos` with all columns that some row has a value of; ParseQosTable gives
// equal rows back. Line breaks and bars inside values become blanks.
std::string WriteQosTable(const std::vector<QosRow>& rows);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_QOS_TABLE_WRITER_H_
