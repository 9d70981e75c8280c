// The two examples of how Palmetto's Slurm schedules
// (https://docs.rcd.clemson.edu/palmetto/about/job_scheduler/), as jobs.
#ifndef PRIORITYD_TESTS_CLIENT_EXAMPLES_BATCH_FRONTEND_PALMETTO_JOBS_H_
#define PRIORITYD_TESTS_CLIENT_EXAMPLES_BATCH_FRONTEND_PALMETTO_JOBS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/examples/batch_frontend/job.h"

namespace priorityd::batch_frontend::palmetto {

// On the day of the examples.
absl::Time At(int hour, int minute);

// The backfill example: two nodes of two CPUs, eight jobs that take all their time.
std::vector<Job> EightJobs();

// Where and when the page has them start; nodes A = 0, B = 1.
struct WantedStart {
  absl::Time time;
  int node;
  bool backfilled;
};
std::map<std::string, WantedStart> EightStarts();

}  // namespace priorityd::batch_frontend::palmetto

#endif  // PRIORITYD_TESTS_CLIENT_EXAMPLES_BATCH_FRONTEND_PALMETTO_JOBS_H_
