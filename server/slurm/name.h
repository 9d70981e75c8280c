// Names of clusters, accounts, users, partitions and QOS.
#ifndef PRIORITYD_SERVER_SLURM_NAME_H_
#define PRIORITYD_SERVER_SLURM_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// So that one row of an index holds a few of them.
inline constexpr size_t kMaxNameBytes = 255;

// INVALID_ARGUMENT says how long the name is and may be.
absl::Status CheckName(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_NAME_H_
