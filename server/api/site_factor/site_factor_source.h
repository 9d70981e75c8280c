// The source of a tracked job's site factor, for ExplainPriority.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_SOURCE_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_SOURCE_H_

#include <cstdint>

#include "absl/time/time.h"
#include "priority/v1/explanation.pb.h"
#include "server/queue/state/site_factors.h"
#include "storage/jobs/job_store.h"

namespace priorityd::rpc {

// Fills in the source, including a sentence. `answered`: whether the job's factor comes from the
// service; `zone`: the time zone of the sentence.
void SetSiteFactorSource(const storage::SiteFactorSource& source, bool answered,
                         absl::TimeZone zone, ::priority::v1::ExplainPriorityResponse* response);

// Adds a sentence with the service's reason for a factor. `counts`: the factor that the job has
// now.
void AddSiteFactorReason(const queue::SiteFactor& reason, int64_t counts,
                         ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_SOURCE_H_
