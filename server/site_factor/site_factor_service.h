// A site's own service for site factors, as it is asked.
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

// Asks for the site factors of some jobs.
struct Question {
  std::string cluster;
  absl::Time as_of;
  std::string parameters;  // What is the service's of PrioritySiteFactorParameters.
  absl::Duration timeout;
  std::vector<queue::TrackedJob> jobs;
};

// As the service gave it; nothing of it is checked.
using Answer = absl::StatusOr<std::vector<queue::SiteFactor>>;

// One way to reach the service. Thread-safe.
class SiteFactorService {
 public:
  virtual ~SiteFactorService() = default;

  // Calls `done` once, on any thread, after the timeout at the latest. The question
  // may be gone as soon as this returns.
  virtual void Ask(const Question& question, std::function<void(Answer)> done) = 0;

  // Ends calls at work and later ones with CANCELLED.
  virtual void Cancel() = 0;
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTOR_SERVICE_H_
