// The interface to a site's service for site factors.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTOR_SERVICE_H_
#define PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTOR_SERVICE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/queue/state/site_factors.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::site_factor {

// A query for the site factors of some jobs.
struct Question {
  std::string cluster;
  absl::Time as_of;
  std::string parameters;  // The service's part of PrioritySiteFactorParameters.
  absl::Duration timeout;
  std::vector<queue::TrackedJob> jobs;
  bool explains = false;  // For a reader: the answer has reasons, and changes no job.
};

// The service's answer, not validated.
using Answer = absl::StatusOr<std::vector<queue::SiteFactor>>;

// A connection to the service. Thread-safe.
class SiteFactorService {
 public:
  virtual ~SiteFactorService() = default;

  // Calls `done` once, on any thread, at the latest after the timeout. The question need not
  // outlive this call.
  virtual void Ask(const Question& question, std::function<void(Answer)> done) = 0;

  // Ends running and later calls with CANCELLED.
  virtual void Cancel() = 0;
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTOR_SERVICE_H_
