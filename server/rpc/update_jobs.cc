#include "server/rpc/update_jobs.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "server/rpc/convert_queue.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status UpdateJobs(queue::TrackedQueues& queues, const v1::UpdateJobsRequest& request,
                        absl::Time now, v1::UpdateJobsResponse* response) {
  const UpsertBatch upserts(request);
  std::vector<absl::string_view> removals;
  removals.reserve(request.removals_size());
  for (const std::string& job_id : request.removals()) removals.emplace_back(job_id);
  const auto answer = queues.Update(request.cluster(),
                                    {.source = request.source(),
                                     .removals = removals,
                                     .upserts = upserts.jobs(),
                                     .full_sync = request.full_sync()},
                                    now);
  if (!answer.ok()) return answer.status();
  for (int i = 0; i < request.upserts_size(); ++i) {
    v1::JobUpdateResult* result = response->add_upserts();
    result->set_job_id(request.upserts(i).job_id());
    ToProto(answer->upserts[i], result);
  }
  for (int i = 0; i < request.removals_size(); ++i) {
    v1::JobUpdateResult* result = response->add_removals();
    result->set_job_id(request.removals(i));
    ToProto(answer->removals[i], result);
  }
  response->set_removed_by_sync(answer->removed_by_sync);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
