// Limits as sacctmgr writes them, for the engine.
#ifndef PRIORITYD_SERVER_SLURM_LIMIT_WORDS_H_
#define PRIORITYD_SERVER_SLURM_LIMIT_WORDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/priority/limit_kind.h"

namespace priorityd::slurm {

// Adds what an option of an association (`MaxTRESPerJob`, `cpu=4,mem=2G`) limits to `limits`; false
// where it is no limit that keeps jobs back. A value of -1 is no limit. INVALID_ARGUMENT
// `got "x", want y`.
absl::StatusOr<bool> AddAssociationLimit(absl::string_view name, absl::string_view value,
                                         std::vector<priority::LimitValue>* limits);

// The same of a column of a QOS: `MaxTRESPU`, `MaxWall`.
absl::StatusOr<bool> AddQosLimit(absl::string_view name, absl::string_view value,
                                 std::vector<priority::LimitValue>* limits);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_LIMIT_WORDS_H_
