// The source of a tracked job's site factor, for ExplainPriority.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_SOURCE_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_SOURCE_H_

#include "absl/time/time.h"
#include "priority/v1/explanation.pb.h"
#include "storage/job_store.h"

namespace priorityd::rpc {

// Fills in the source, including a sentence. `answered`: whether the job's factor comes from the
// service; `zone`: the time zone of the sentence.
void SetSiteFactorSource(const storage::SiteFactorSource& source, bool answered,
                         absl::TimeZone zone, ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_SOURCE_H_
