#include "server/api/queue/convert_queue.h"

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "google/protobuf/util/field_mask_util.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using queue::JobEnd;
using queue::UpdateOutcome;

std::string Text(absl::string_view text) { return std::string(text); }

JobEnd EndOf(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_COMPLETED:
      return JobEnd::kCompleted;
    case v1::JOB_STATE_FAILED:
      return JobEnd::kFailed;
    case v1::JOB_STATE_TIMEOUT:
      return JobEnd::kTimeout;
    case v1::JOB_STATE_CANCELLED:
      return JobEnd::kCancelled;
    case v1::JOB_STATE_PREEMPTED:
      return JobEnd::kPreempted;
    case v1::JOB_STATE_NODE_FAIL:
      return JobEnd::kNodeFail;
    default:
      return JobEnd::kNone;
  }
}

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

v1::Hold HoldOf(priority::Hold hold) {
  switch (hold) {
    case priority::Hold::kNone:
      return v1::HOLD_UNSPECIFIED;
    case priority::Hold::kUser:
      return v1::HOLD_USER;
    case priority::Hold::kAdmin:
      return v1::HOLD_ADMIN;
  }
  return v1::HOLD_UNSPECIFIED;
}

void FillTimes(const queue::TrackedJob& tracked, v1::TrackedJob* proto) {
  const priority::Job& job = tracked.job;
  v1::Job* out = proto->mutable_job();
  if (job.submit_time.has_value()) ToProto(*job.submit_time, out->mutable_submit_time());
  if (job.eligible_time.has_value()) ToProto(*job.eligible_time, out->mutable_eligible_time());
  if (job.start_time.has_value()) ToProto(*job.start_time, out->mutable_start_time());
  if (job.time_limit.has_value()) ToProto(*job.time_limit, out->mutable_time_limit());
  if (!job.accrue_time.has_value()) return;
  if (job.accrual_stopped.has_value()) {
    ToProto(*job.accrual_stopped - *job.accrue_time, proto->mutable_accrued());
  } else {
    ToProto(*job.accrue_time, out->mutable_accrue_time());
  }
}

void FillNumbers(const priority::Job& job, v1::Job* out) {
  out->set_nodes(job.nodes);
  out->set_cpus(job.cpus);
  for (const auto& [name, count] : job.tres) (*out->mutable_tres())[Text(name)] = count;
  out->set_nice(job.nice);
  out->set_site_factor(job.site_factor);
  if (job.admin_priority.has_value()) out->set_admin_priority(*job.admin_priority);
  if (job.previous_priority.has_value()) out->set_previous_priority(*job.previous_priority);
  if (job.preemptor.has_value()) out->set_preemptor(*job.preemptor);
  if (job.array_tasks != 1) out->set_array_tasks(job.array_tasks);
}

void FillPairs(const priority::Job& job, v1::TrackedJob* proto) {
  for (const priority::PairPriority& pair : job.pair_priorities) {
    v1::PairPriority* added = proto->add_pair_priorities();
    added->set_partition(Text(pair.partition));
    added->set_qos(Text(pair.qos));
    added->set_priority(pair.priority);
  }
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
    : UpsertBatch(request, View(request.source())) {}

UpsertBatch::UpsertBatch(const v1::UpdateJobsRequest& request, absl::string_view source)
    : upserts_(Named(request)), inline_(upserts_, InlineQueue::Ended::kIsTaken) {
  jobs_.reserve(upserts_.size());
  for (int i = 0; i < upserts_.size(); ++i) {
    const v1::Job& proto = upserts_.Get(i);
    queue::TrackedJob& job = jobs_.emplace_back();
    job.job = inline_.jobs()[i];
    job.source = source;
    job.name = View(proto.name());
    job.reservation = View(proto.reservation());
    job.dependency = View(proto.dependency());
    job.array_task_ids = View(proto.array_task_ids());
    job.array_job_id = View(proto.array_job_id());
    if (proto.has_array_task_id()) job.array_task_id = proto.array_task_id();
    job.told_dependency_unmet = proto.dependency_unmet();
    job.end = EndOf(proto.state());
    job.keeps_state = proto.state() == v1::JOB_STATE_UNSPECIFIED;
  }
}

void ToProto(const queue::UpdateResult& result, v1::JobUpdateResult* proto) {
  proto->set_outcome(OutcomeOf(result.outcome));
  proto->set_reason(result.reason);
  proto->set_field(result.field);
  proto->set_message(result.message);
}

v1::JobState ToProto(priority::JobState state) {
  switch (state) {
    case priority::JobState::kPending:
      return v1::JOB_STATE_PENDING;
    case priority::JobState::kRunning:
      return v1::JOB_STATE_RUNNING;
    case priority::JobState::kSuspended:
      return v1::JOB_STATE_SUSPENDED;
  }
  return v1::JOB_STATE_UNSPECIFIED;
}

void ToProto(const queue::TrackedJob& tracked, v1::TrackedJob* proto) {
  const priority::Job& job = tracked.job;
  v1::Job* out = proto->mutable_job();
  out->set_job_id(Text(job.job_id));
  out->set_user(Text(job.user));
  out->set_account(Text(job.account));
  for (const absl::string_view partition : job.partitions) out->add_partitions(Text(partition));
  for (const absl::string_view qos : job.qos) out->add_qos(Text(qos));
  out->set_state(ToProto(job.state));
  out->set_hold(HoldOf(job.hold));
  out->set_dependency_unmet(job.dependency_unmet);
  out->set_dependency(Text(tracked.dependency));
  out->set_reservation(Text(tracked.reservation));
  out->set_name(Text(tracked.name));
  out->set_array_task_ids(Text(tracked.array_task_ids));
  out->set_array_job_id(Text(tracked.array_job_id));
  if (tracked.array_task_id.has_value()) out->set_array_task_id(*tracked.array_task_id);
  FillTimes(tracked, proto);
  FillNumbers(job, out);
  FillPairs(job, proto);
  proto->set_source(Text(tracked.source));
}

}  // namespace priorityd::rpc
