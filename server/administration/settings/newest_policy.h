// The text of the policy applied last.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_NEWEST_POLICY_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_NEWEST_POLICY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/slurm/words/file_violations.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Its files, or an empty slurm.conf where none was applied.
absl::StatusOr<std::vector<slurm::SourceFile>> NewestPolicyFiles(storage::Transaction& transaction,
                                                                 int32_t cluster_id);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_NEWEST_POLICY_H_
