#include "server/api/usage/convert_usage.h"

#include <google/protobuf/timestamp.pb.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/api/usage/convert_job_accounting.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

absl::Time TimeOrInfinite(const google::protobuf::Timestamp& timestamp) {
  return IsValid(timestamp) ? ToTime(timestamp) : absl::InfiniteFuture();
}

usage::UsageCounters ToCounters(const v1::UsageCounters& proto) {
  usage::UsageCounters counters;
  for (const auto& [name, amount] : proto.tres_seconds()) {
    counters.tres_seconds.emplace_back(View(name), amount);
  }
  if (proto.has_billing_seconds()) counters.billing_seconds = proto.billing_seconds();
  return counters;
}

usage::UsageSubmission ToSubmission(const v1::UsageRecord& record) {
  usage::UsageSubmission submission;
  submission.source = View(record.source());
  submission.record_id = View(record.record_id());
  submission.job_id = View(record.job_id());
  submission.user = View(record.user());
  submission.account = View(record.account());
  submission.partition = View(record.partition());
  submission.qos = View(record.qos());
  if (record.has_start_time()) submission.start_time = TimeOrInfinite(record.start_time());
  if (record.has_end_time()) submission.end_time = TimeOrInfinite(record.end_time());
  for (const auto& [name, count] : record.tres()) submission.tres.emplace_back(View(name), count);
  if (record.has_billing()) submission.billing = record.billing();
  submission.replaces_record_id = View(record.replaces_record_id());
  if (record.has_counters()) submission.counters = ToCounters(record.counters());
  if (record.has_job()) {
    submission.job = std::make_shared<const storage::JobAccounting>(ToJobAccounting(record.job()));
  }
  return submission;
}

v1::RejectionReason ReasonToProto(usage::RejectionReason reason) {
  using usage::RejectionReason;
  switch (reason) {
    case RejectionReason::kMissingField:
      return v1::REJECTION_REASON_MISSING_FIELD;
    case RejectionReason::kUnknownAccount:
      return v1::REJECTION_REASON_UNKNOWN_ACCOUNT;
    case RejectionReason::kUnknownUser:
      return v1::REJECTION_REASON_UNKNOWN_USER;
    case RejectionReason::kUnknownQos:
      return v1::REJECTION_REASON_UNKNOWN_QOS;
    case RejectionReason::kUnknownPartition:
      return v1::REJECTION_REASON_UNKNOWN_PARTITION;
    case RejectionReason::kUnknownTres:
      return v1::REJECTION_REASON_UNKNOWN_TRES;
    case RejectionReason::kEndBeforeStart:
      return v1::REJECTION_REASON_END_BEFORE_START;
    case RejectionReason::kEndInFuture:
      return v1::REJECTION_REASON_END_IN_FUTURE;
    case RejectionReason::kOutOfRange:
      return v1::REJECTION_REASON_OUT_OF_RANGE;
    case RejectionReason::kNoAmount:
      return v1::REJECTION_REASON_NO_AMOUNT;
    case RejectionReason::kConflict:
      return v1::REJECTION_REASON_CONFLICT;
    case RejectionReason::kInvalidText:
      return v1::REJECTION_REASON_INVALID_TEXT;
    case RejectionReason::kUnknownRecord:
      return v1::REJECTION_REASON_UNKNOWN_RECORD;
    case RejectionReason::kAlreadyReplaced:
      return v1::REJECTION_REASON_ALREADY_REPLACED;
    case RejectionReason::kCounterBackwards:
      return v1::REJECTION_REASON_COUNTER_BACKWARDS;
    case RejectionReason::kOverlap:
      return v1::REJECTION_REASON_OVERLAP;
    case RejectionReason::kTooOld:
      return v1::REJECTION_REASON_TOO_OLD;
    case RejectionReason::kTooManyTres:
      return v1::REJECTION_REASON_TOO_MANY_TRES;
    case RejectionReason::kOtherPrincipal:
      return v1::REJECTION_REASON_OTHER_PRINCIPAL;
    case RejectionReason::kBeyondCapacity:
      return v1::REJECTION_REASON_BEYOND_CAPACITY;
  }
  return v1::REJECTION_REASON_UNSPECIFIED;
}

v1::UsageRecordStatus StatusToProto(usage::RecordStatus status) {
  switch (status) {
    case usage::RecordStatus::kAccepted:
      return v1::USAGE_RECORD_STATUS_ACCEPTED;
    case usage::RecordStatus::kDuplicate:
      return v1::USAGE_RECORD_STATUS_DUPLICATE;
    case usage::RecordStatus::kRejected:
      return v1::USAGE_RECORD_STATUS_REJECTED;
  }
  return v1::USAGE_RECORD_STATUS_UNSPECIFIED;
}

}  // namespace

std::vector<usage::UsageSubmission> ToSubmissions(const v1::RecordUsageRequest& request) {
  std::vector<usage::UsageSubmission> submissions;
  submissions.reserve(request.records_size());
  for (const v1::UsageRecord& record : request.records()) {
    submissions.push_back(ToSubmission(record));
  }
  return submissions;
}

void ToProto(const std::vector<usage::RecordResult>& results, v1::RecordUsageResponse* response) {
  int64_t counts[3] = {};  // By RecordStatus.
  for (size_t i = 0; i < results.size(); ++i) {
    const usage::RecordResult& result = results[i];
    ++counts[static_cast<int>(result.status)];
    v1::UsageRecordResult* proto = response->add_results();
    proto->set_status(StatusToProto(result.status));
    if (!result.rejection.has_value()) continue;
    proto->set_reason(ReasonToProto(result.rejection->reason));
    proto->set_field(absl::StrCat("records[", i, "].", result.rejection->field));
    proto->set_message(result.rejection->message);
  }
  response->set_accepted(counts[static_cast<int>(usage::RecordStatus::kAccepted)]);
  response->set_duplicates(counts[static_cast<int>(usage::RecordStatus::kDuplicate)]);
  response->set_rejected(counts[static_cast<int>(usage::RecordStatus::kRejected)]);
}

}  // namespace priorityd::rpc
