// Advice for a job that cannot start.
#ifndef PRIORITYD_ENGINE_EXPLANATION_ADVICE_H_
#define PRIORITYD_ENGINE_EXPLANATION_ADVICE_H_

#include <string>

#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// The change that the user of the job can make, or the event for which it waits, as a sentence;
// empty for Reason::kNone. Arguments as of ReasonText.
std::string AdviceText(const priority::Snapshot& snapshot, const priority::Job& job,
                       const priority::JobRow& row, const priority::Ineligibility& why);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_ADVICE_H_
