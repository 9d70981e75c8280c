#include "server/api/explanation/validate_explanation.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status Validate(const v1::ExplainPriorityRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.source_case() == v1::ExplainPriorityRequest::SOURCE_NOT_SET) {
    violations.Add("source", "got none, want jobs or tracked");
  }
  violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  violations.CheckText("job_id", request.job_id());
  violations.CheckText("partition", request.partition());
  violations.CheckText("qos", request.qos());
  violations.CheckText("compare_to.job_id", request.compare_to().job_id());
  violations.CheckText("compare_to.partition", request.compare_to().partition());
  violations.CheckText("compare_to.qos", request.compare_to().qos());
  if (request.has_tracked() && request.job_id().empty()) {
    violations.Add("job_id", "got none, want a tracked job");
  }
  if (request.has_jobs() && request.job_id().empty() && request.jobs().jobs_size() > 1) {
    violations.Add("job_id",
                   absl::StrCat("got none, want one of the ", request.jobs().jobs_size(), " jobs"));
  }
  if (request.has_compare_to()) {
    const std::string& job_id = request.compare_to().job_id();
    if (job_id.empty()) {
      violations.Add("compare_to.job_id", "got none, want another of the jobs");
    } else if (job_id == request.job_id()) {
      violations.Add("compare_to.job_id", "got the job itself, want another of the jobs");
    }
  }
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
