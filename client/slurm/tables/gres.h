// Generic resources in the form of Slurm before TRES: `gpu:2`, `gpu:tesla:2(IDX:0-1),shm:1`.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_GRES_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_GRES_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::tables {

// By TRES, such as `gres/gpu`. A resource with a type counts under `gres/gpu:tesla` too.
using GresCounts = std::map<std::string, double>;

// The counts of a whole job, as the column AllocGRES has them. INVALID_ARGUMENT `got "x", want y`.
absl::StatusOr<GresCounts> ReadAllocatedGres(absl::string_view text);

// The counts of a whole job on so many nodes, from a text with those of one node, as the column
// ReqGRES has; nullopt = they depend on `nodes`, which is not known. INVALID_ARGUMENT as above.
absl::StatusOr<std::optional<GresCounts>> ReadRequestedGres(absl::string_view text,
                                                            std::optional<double> nodes);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_GRES_H_
