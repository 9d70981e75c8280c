// Names of clusters, accounts, users, partitions and QOS.
#ifndef PRIORITYD_SERVER_SLURM_NAME_H_
#define PRIORITYD_SERVER_SLURM_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// INVALID_ARGUMENT says how long the name is and may be: errors::kMaxNameBytes.
absl::Status CheckName(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_NAME_H_
