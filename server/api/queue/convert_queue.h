// Converts the tracked queue's jobs and results from and to the API.
#ifndef PRIORITYD_SERVER_API_QUEUE_CONVERT_QUEUE_H_
#define PRIORITYD_SERVER_API_QUEUE_CONVERT_QUEUE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "priority/v1/queue.pb.h"
#include "server/api/shared/convert_job.h"
#include "server/configuration/alias_map.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::rpc {

// The fields named in a request; empty = its upserts are whole jobs. REQUIRES: they are valid.
queue::JobFields FieldsOf(const ::priority::v1::UpdateJobsRequest& request);

// The upserts of a request, which must outlive this. With fields, only these and the job_id of each
// job are read.
class UpsertBatch {
 public:
  explicit UpsertBatch(const ::priority::v1::UpdateJobsRequest& request);
  // Uses this source instead of the request's, and the users that its names are aliases of; both
  // must outlive this.
  UpsertBatch(const ::priority::v1::UpdateJobsRequest& request, absl::string_view source,
              const configuration::AliasMap& aliases);

  absl::Span<const queue::TrackedJob> jobs() const { return jobs_; }

 private:
  using Jobs = google::protobuf::RepeatedPtrField<::priority::v1::Job>;

  // The input of `reader_`: the request's jobs, or `named_`.
  const Jobs& Named(const ::priority::v1::UpdateJobsRequest& request);

  Jobs named_;
  JobReader reader_;
  std::vector<queue::TrackedJob> jobs_;
};

// Everything except job_id.
void ToProto(const queue::UpdateResult& result, ::priority::v1::JobUpdateResult* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_QUEUE_CONVERT_QUEUE_H_
