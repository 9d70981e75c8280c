// Stored rows in the terms of Slurm's files.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_FROM_STORAGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_FROM_STORAGE_H_

#include "server/slurm/dump_options.h"
#include "server/slurm/sacctmgr_dump.h"
#include "storage/association_store.h"

namespace priorityd::administration {

// Without parent_account and what holds for the user in all of the cluster. ToStorage makes the
// same row of it, but for id and parent_id.
slurm::DumpAssociation FromStorage(const storage::Association& row);

slurm::DumpLineKind KindOf(const storage::Association& row);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_FROM_STORAGE_H_
