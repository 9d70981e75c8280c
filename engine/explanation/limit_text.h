// A sentence for a limit that a job exceeds.
#ifndef PRIORITYD_ENGINE_EXPLANATION_LIMIT_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_LIMIT_TEXT_H_

#include <string>

#include "engine/priority/limits/reason.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// For a job of the association: `account chem may run 64 CPUs (GrpTRES cpu=64): 60 run, this job
// requests 8`. Limits on usage give the sum: `account hpcstaff: GrpTRESMins billing=100: 80 used +
// 25 for this job = 105`. Times are in minutes.
std::string LimitText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                      const priority::ExceededLimit& exceeded);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_LIMIT_TEXT_H_
