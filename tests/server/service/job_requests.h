// Requests that change the tracked queue of TestService's small site.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_JOB_REQUESTS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_JOB_REQUESTS_H_

#include <string>
#include <vector>

#include "priority/v1/queue.pb.h"

namespace priorityd::rpc {

// A pending job.
inline ::priority::v1::Job JobOf(const std::string& id, const std::string& user = "amy") {
  ::priority::v1::Job job;
  job.set_job_id(id);
  job.set_user(user);
  return job;
}

// Of source `test`.
inline ::priority::v1::UpdateJobsRequest Upserts(const std::vector<::priority::v1::Job>& jobs) {
  ::priority::v1::UpdateJobsRequest request;
  request.set_source("test");
  for (const ::priority::v1::Job& job : jobs) *request.add_upserts() = job;
  return request;
}

inline ::priority::v1::UpdateJobsRequest Removal(const std::string& id) {
  ::priority::v1::UpdateJobsRequest request;
  request.add_removals(id);
  return request;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_JOB_REQUESTS_H_
