// A text for the reason why a job cannot start.
#ifndef PRIORITYD_ENGINE_EXPLANATION_REASON_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_REASON_TEXT_H_

#include <string>

#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// The reason as a clause with figures; empty for Reason::kNone. `row`: a row of `job`; `why`: its
// reason from ScoredQueue.
std::string ReasonText(const priority::Snapshot& snapshot, const priority::Job& job,
                       const priority::JobRow& row, const priority::Ineligibility& why);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_REASON_TEXT_H_
