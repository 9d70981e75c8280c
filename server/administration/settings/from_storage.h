// Converts stored rows to the terms of Slurm's files.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_FROM_STORAGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_FROM_STORAGE_H_

#include "engine/slurm/dump/dump_options.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "storage/configuration/association_store.h"

namespace priorityd::administration {

// Without parent_account and the user's cluster-wide attributes. The inverse of ToStorage, except
// id and parent_id.
slurm::DumpAssociation FromStorage(const storage::Association& row);

slurm::DumpLineKind KindOf(const storage::Association& row);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_FROM_STORAGE_H_
