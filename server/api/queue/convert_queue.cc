#include "server/api/queue/convert_queue.h"

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/util/field_mask_util.h"
#include "server/messages/view.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using queue::UpdateOutcome;

v1::UpdateOutcome OutcomeOf(UpdateOutcome outcome) {
  switch (outcome) {
    case UpdateOutcome::kUpserted:
      return v1::UPDATE_OUTCOME_UPSERTED;
    case UpdateOutcome::kUnchanged:
      return v1::UPDATE_OUTCOME_UNCHANGED;
    case UpdateOutcome::kRemoved:
      return v1::UPDATE_OUTCOME_REMOVED;
    case UpdateOutcome::kRefused:
      return v1::UPDATE_OUTCOME_REFUSED;
    case UpdateOutcome::kInvalid:
      return v1::UPDATE_OUTCOME_INVALID;
    case UpdateOutcome::kNotFound:
      return v1::UPDATE_OUTCOME_NOT_FOUND;
  }
  return v1::UPDATE_OUTCOME_UNSPECIFIED;
}

const configuration::AliasMap& NoAliases() {
  static const auto* const none = new configuration::AliasMap();
  return *none;
}

}  // namespace

queue::JobFields FieldsOf(const v1::UpdateJobsRequest& request) {
  queue::JobFields fields;
  for (const std::string& path : request.update_mask().paths())
    fields.Add(View(path)).IgnoreError();
  return fields;
}

const UpsertBatch::Jobs& UpsertBatch::Named(const v1::UpdateJobsRequest& request) {
  const queue::JobFields fields = FieldsOf(request);
  if (fields.empty()) return request.upserts();
  const google::protobuf::util::FieldMaskUtil::MergeOptions kWhole;
  named_.Reserve(request.upserts_size());
  for (const v1::Job& job : request.upserts()) {
    v1::Job* named = named_.Add();
    google::protobuf::util::FieldMaskUtil::MergeMessageTo(job, request.update_mask(), kWhole,
                                                          named);
    named->set_job_id(job.job_id());
    // A job needs a user; if the request names none, the job keeps its user.
    if (!fields.Has("user")) named->set_user("-");
  }
  return named_;
}

UpsertBatch::UpsertBatch(const v1::UpdateJobsRequest& request)
    : UpsertBatch(request, View(request.source()), NoAliases()) {}

UpsertBatch::UpsertBatch(const v1::UpdateJobsRequest& request, absl::string_view source,
                         const configuration::AliasMap& aliases) {
  const queue::JobFields fields = FieldsOf(request);
  const bool has_users = fields.empty() || fields.Has("user");
  const Jobs& upserts = Named(request);
  jobs_.reserve(upserts.size());
  for (const v1::Job& proto : upserts) {
    queue::TrackedJob& job = jobs_.emplace_back();
    reader_.Read(proto, &job);
    job.source = source;
    if (has_users) job.job.user = aliases.Resolve(source, job.job.user);
    job.keeps_state = proto.state() == v1::JOB_STATE_UNSPECIFIED;
  }
}

void ToProto(const queue::UpdateResult& result, v1::JobUpdateResult* proto) {
  proto->set_outcome(OutcomeOf(result.outcome));
  proto->set_reason(result.reason);
  proto->set_field(result.field);
  proto->set_message(result.message);
}

}  // namespace priorityd::rpc
