// The computation of a recalculation, without I/O.
#ifndef PRIORITYD_SERVER_RECALCULATION_COMPUTATION_H_
#define PRIORITYD_SERVER_RECALCULATION_COMPUTATION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/recalculation/recalculation_input.h"

namespace priorityd::recalculation {

// Computes the snapshot at input.time with the next generation: decays usage, rolls it up the tree
// and derives fair-share. INTERNAL names a grant of the domain that cannot be read.
absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Compute(const RecalculationInput& input);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_COMPUTATION_H_
