// Where a tracked job's site factor comes from, for ExplainPriority.
#ifndef PRIORITYD_SERVER_RPC_SITE_FACTOR_SOURCE_H_
#define PRIORITYD_SERVER_RPC_SITE_FACTOR_SOURCE_H_

#include "absl/time/time.h"
#include "priority/v1/explanation.pb.h"
#include "storage/job_store.h"

namespace priorityd::rpc {

// Fills in the source, also as a sentence. `answered`: whether the job's factor is the service's
// word; `zone` is that of the times in the sentence.
void SetSiteFactorSource(const storage::SiteFactorSource& source, bool answered,
                         absl::TimeZone zone, ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SITE_FACTOR_SOURCE_H_
