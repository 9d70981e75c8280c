// Converts the engine's Explanation to ExplainPriorityResponse.
#ifndef PRIORITYD_SERVER_API_EXPLANATION_CONVERT_EXPLANATION_H_
#define PRIORITYD_SERVER_API_EXPLANATION_CONVERT_EXPLANATION_H_

#include <vector>

#include "engine/explanation/explanation.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/explanation.pb.h"

namespace priorityd::rpc {

// Fills everything except as_of. `job`: the explained job.
void ToProto(const priority::Snapshot& snapshot, const priority::Job& job,
             const explanation::Explanation& explanation,
             ::priority::v1::ExplainPriorityResponse* response);

// The billing of a job per second, term by term.
void ToProto(priority::BillingRule rule, const std::vector<priority::BillingTerm>& terms,
             double billing, double usage_factor, ::priority::v1::BillingExplanation* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_EXPLANATION_CONVERT_EXPLANATION_H_
