// Converts limits from sacctmgr's words to the engine's types.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_LIMIT_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_LIMIT_WORDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/limit_kind.h"

namespace priorityd::slurm {

// Adds the limit of an association's option (`MaxTRESPerJob`, `cpu=4,mem=2G`) to `limits`; false if
// the option is not a limit on starting jobs. -1 = no limit. INVALID_ARGUMENT `got "x", want y`.
absl::StatusOr<bool> AddAssociationLimit(absl::string_view name, absl::string_view value,
                                         std::vector<priority::LimitValue>* limits);

// The same for a column of a QOS: `MaxTRESPU`, `MaxWall`.
absl::StatusOr<bool> AddQosLimit(absl::string_view name, absl::string_view value,
                                 std::vector<priority::LimitValue>* limits);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_LIMIT_WORDS_H_
