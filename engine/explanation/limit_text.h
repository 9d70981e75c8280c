// A sentence for a limit that a job exceeds.
#ifndef PRIORITYD_ENGINE_EXPLANATION_LIMIT_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_LIMIT_TEXT_H_

#include <string>

#include "engine/priority/limits/reason.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// For a job of the association: `account chem may run 64 CPUs (GrpTRES cpu=64): 60 run, this job
// requests 8`. Limits on usage give the sum: `account hpcstaff: GrpTRESMins billing=100: 80 used +
// 25 for this job = 105`. Grants are named: `grant q4 of account chem allows 2000 billing minutes
// until 2026-12-31T00:00:00+00:00, and all are used`. Times are in minutes.
std::string LimitText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                      const priority::ExceededLimit& exceeded);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_LIMIT_TEXT_H_
