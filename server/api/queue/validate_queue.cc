#include "server/api/queue/validate_queue.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/messages/request_violations.h"
#include "server/queue/state/job_fields.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMaxPaths = 64;
constexpr int kMaxLeasedJobs = 1000;

void CheckMask(const v1::UpdateJobsRequest& request, RequestViolations* violations) {
  if (!request.has_update_mask()) return;
  const auto& paths = request.update_mask().paths();
  violations->CheckCount("update_mask.paths", paths.size(), kMaxPaths);
  queue::JobFields fields;
  for (int i = 0; i < std::min(paths.size(), kMaxPaths); ++i) {
    absl::Status added = fields.Add(paths[i]);
    if (added.ok()) continue;
    violations->Add(absl::StrCat("update_mask.paths[", i, "]"), std::string(added.message()));
  }
  if (request.full_sync()) {
    violations->Add("update_mask", "got one with full_sync, want one of the two");
  }
  if (paths.empty() && request.upserts_size() > 0) {
    violations->Add("update_mask", "got one without paths, want names of fields, or no mask");
  }
}

// A lease changes nothing else.
void CheckLease(const v1::UpdateJobsRequest& request, RequestViolations* violations) {
  violations->CheckText("from", request.from());
  violations->CheckText("until", request.until());
  if (request.until().empty()) {
    if (!request.from().empty()) {
      violations->Add("from", "got a begin without an end, want until too");
    }
    return;
  }
  const auto& paths = request.update_mask().paths();
  if (paths.size() != 1 || paths[0] != "nice") {
    violations->Add("update_mask", "got other fields with until, want nice alone");
  }
  if (request.removals_size() > 0) violations->Add("removals", "got some with until, want none");
  if (request.upserts_size() > kMaxLeasedJobs) {
    violations->Add("upserts", absl::StrCat("got ", request.upserts_size(),
                                            " with until, want at most ", kMaxLeasedJobs));
  }
}

}  // namespace

absl::Status Validate(const v1::UpdateJobsRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckClusterName("source", request.source());
  violations.CheckText("on_behalf_of", request.on_behalf_of());
  violations.CheckCount("upserts", request.upserts_size(), limits.max_jobs);
  violations.CheckCount("removals", request.removals_size(), limits.max_jobs);
  CheckMask(request, &violations);
  CheckLease(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::TopJobsRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("on_behalf_of", request.on_behalf_of());
  violations.CheckCount("job_ids", request.job_ids_size(), limits.max_jobs);
  violations.CheckTexts("job_ids", request.job_ids());
  if (request.job_ids().empty()) violations.Add("job_ids", "got none, want jobs of one user");
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListJobsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckPage(request);
  violations.CheckTexts("job_ids", request.job_ids());
  violations.CheckTexts("users", request.users());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("partitions", request.partitions());
  violations.CheckTexts("qos", request.qos());
  violations.CheckTexts("sources", request.sources());
  if (!v1::JobOrder_IsValid(request.order())) {
    violations.Add("order", absl::StrCat("got ", static_cast<int>(request.order()),
                                         ", want JOB_ORDER_JOB_ID or JOB_ORDER_SUBMIT_TIME"));
  }
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
