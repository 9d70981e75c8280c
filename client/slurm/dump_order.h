// A dump in the order in which slurmctld holds associations.
#ifndef PRIORITYD_CLIENT_SLURM_DUMP_ORDER_H_
#define PRIORITYD_CLIENT_SLURM_DUMP_ORDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace priorityd::slurm_frontend {

// The output of `sacctmgr dump`, with siblings in the order of their ids, which `associations` has
// (`sacctmgr -P show assoc format=id,account,user,partition`): a dump has them by name, and
// FairTreeTies=slurm uses the order of their creation. INVALID_ARGUMENT names the text and
// the line.
absl::StatusOr<std::string> InOrderOfIds(const std::string& dump, const std::string& associations);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_DUMP_ORDER_H_
