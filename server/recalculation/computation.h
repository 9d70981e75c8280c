// What a recalculation computes, without reading or writing anything.
#ifndef PRIORITYD_SERVER_RECALCULATION_COMPUTATION_H_
#define PRIORITYD_SERVER_RECALCULATION_COMPUTATION_H_

#include <memory>

#include "server/priority/snapshot.h"
#include "server/recalculation/recalculation_input.h"

namespace priorityd::recalculation {

// The snapshot at input.time, of the generation after the newest: usage decayed,
// rolled up, and made into fair-share.
std::shared_ptr<const priority::Snapshot> Compute(const RecalculationInput& input);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_COMPUTATION_H_
