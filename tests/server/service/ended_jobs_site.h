// A site whose jobs are charged by their ends (UsageFromJobEnd), for tests of that.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_ENDED_JOBS_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_ENDED_JOBS_SITE_H_

#include <string>

#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {

// A run of a job of amy in account a, billed by its CPUs.
struct RunOfJob {
  std::string job_id;
  absl::Time start;
  absl::Time end;
  double cpus = 0;
};

inline v1::Job RunningJob(const RunOfJob& run) {
  v1::Job job = JobOf(run.job_id);
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_start_time() = ToTimestamp(run.start);
  job.set_nodes(1);
  job.set_cpus(run.cpus);
  return job;
}

inline v1::Job EndedJob(const RunOfJob& run, v1::JobState state = v1::JOB_STATE_COMPLETED) {
  v1::Job job = RunningJob(run);
  job.set_state(state);
  *job.mutable_end_time() = ToTimestamp(run.end);
  return job;
}

// What a collector reports of the same run.
inline v1::UsageRecord Collected(const std::string& record_id, const RunOfJob& run) {
  v1::UsageRecord record = Usage(record_id, run.start, run.end - run.start, run.cpus);
  record.set_source("collector");
  record.set_job_id(run.job_id);
  return record;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_ENDED_JOBS_SITE_H_
