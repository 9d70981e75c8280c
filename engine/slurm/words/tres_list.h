// Lists of TRES in Slurm's files. Errors are INVALID_ARGUMENT, `got "x", want y`; names become
// canonical (see tres.h). A list has at most errors::kMaxTresOfCluster names.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_TRES_LIST_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_TRES_LIST_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/tres.h"

namespace priorityd::slurm {

// PriorityWeightTRES: `CPU=1000,Mem=-4.5G`, finite numbers per base unit. A suffix K M G T P,
// perhaps with a B behind it, means per that many units; the base unit of mem and bb/* is MB, so
// 0.25G is 0.25/1024 per MB. A duplicate name is an error, here and below. An empty text is an
// empty list.
absl::StatusOr<priority::TresMap> ParseTresWeights(absl::string_view text);

// TRESBillingWeights: `CPU=1.0,Mem=0.25G,GRES/gpu=2.0`, as above, at least 0.
absl::StatusOr<priority::TresMap> ParseBillingWeights(absl::string_view text);

// GrpTRESMins: `billing=100,mem=100000M,cpu=1.50M`, whole numbers of base units, or numbers with a
// suffix K M G T P, as ReadAmount, up to 2^53; the base unit of mem and bb/* is MB. -1 = no limit,
// left out.
absl::StatusOr<priority::TresMap> ParseTresLimits(absl::string_view text);

// Gres= of a node: `gpu:a100:4(S:0),gpu:v100:2,shm:no_consume:4G`, counts with K M G
// T P for powers of 1024, none = 1. Each counts as gres/NAME and, with a type, also
// as gres/NAME:TYPE. Empty or `(null)`: none.
absl::StatusOr<priority::TresMap> ParseGres(absl::string_view text);

// Licenses=: `matlab:10,fluent@server:5` (or with `;`) as license/NAME, none = 1; the counts of one
// name are added. Names that differ in case only, two licenses in Slurm, are INVALID_ARGUMENT.
absl::StatusOr<priority::TresMap> ParseLicenses(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_TRES_LIST_H_
