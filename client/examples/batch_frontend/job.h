// A batch job of the frontend.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_JOB_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_JOB_H_

#include <map>
#include <string>

#include "absl/time/time.h"
#include "client/examples/batch_frontend/nodes.h"

namespace priorityd::batch_frontend {

struct Job {
  std::string id;       // Unique.
  std::string user;     // Submits it and is charged for it in its default account.
  std::string account;  // Empty = the user's default account.
  absl::Time submit_time;
  absl::Duration time_limit;  // The request; the longest run.
  absl::Duration run_time;    // The duration of the run. Not known before the end.
  NodeRequest request;
  std::string partition;               // Empty = the default one.
  std::map<std::string, double> tres;  // Besides CPUs and nodes, in all: gres/gpu:a100, ...
  bool interactive = false;            // Preemption cancels it instead of requeueing it.
};

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_JOB_H_
