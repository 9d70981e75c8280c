// A limit that keeps a job back, in a sentence.
#ifndef PRIORITYD_SERVER_EXPLANATION_LIMIT_TEXT_H_
#define PRIORITYD_SERVER_EXPLANATION_LIMIT_TEXT_H_

#include <string>

#include "server/priority/reason.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

// Of a job of the association: `account chem may run 64 CPUs (GrpTRES cpu=64): 60 run, this job
// wants 8`. Limits on what has been used are told as a sum, `account hpcstaff: GrpTRESMins
// billing=100: 80 used + 25 for this job = 105`; times in minutes.
std::string LimitText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                      const priority::ExceededLimit& exceeded);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_LIMIT_TEXT_H_
