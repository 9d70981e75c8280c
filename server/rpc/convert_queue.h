// The tracked queue's jobs and results, to and from proto.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_QUEUE_H_
#define PRIORITYD_SERVER_RPC_CONVERT_QUEUE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "priority/v1/queue.pb.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_job.h"
#include "server/rpc/convert_job.h"

namespace priorityd::rpc {

// The fields that a request names; empty = its upserts are whole jobs. REQUIRES: they are valid.
queue::JobFields FieldsOf(const ::priority::v1::UpdateJobsRequest& request);

// The upserts of a request: views into it; it must outlive this. With fields, of a job nothing but
// these and its job_id is looked at.
class UpsertBatch {
 public:
  explicit UpsertBatch(const ::priority::v1::UpdateJobsRequest& request);
  // With another source than the request's.
  UpsertBatch(const ::priority::v1::UpdateJobsRequest& request, absl::string_view source);

  absl::Span<const queue::TrackedJob> jobs() const { return jobs_; }

 private:
  using Jobs = google::protobuf::RepeatedPtrField<::priority::v1::Job>;

  // What `inline_` reads: those of the request, or `named_`.
  const Jobs& Named(const ::priority::v1::UpdateJobsRequest& request);

  Jobs named_;
  const Jobs& upserts_;
  InlineQueue inline_;
  std::vector<queue::TrackedJob> jobs_;
};

// All but job_id.
void ToProto(const queue::UpdateResult& result, ::priority::v1::JobUpdateResult* proto);

void ToProto(const queue::TrackedJob& job, ::priority::v1::TrackedJob* proto);

// How `proto` says a job goes; of a job that has not ended.
::priority::v1::JobState ToProto(priority::JobState state);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_QUEUE_H_
