#include "server/api/usage/validate_usage.h"

#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "server/messages/convert_time.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void CheckPeriod(const v1::ReportUsageRequest& request, RequestViolations* violations) {
  for (const auto& [field, has, time] :
       {std::tuple("start_time", request.has_start_time(), request.start_time()),
        std::tuple("end_time", request.has_end_time(), request.end_time())}) {
    if (!has) {
      violations->Add(field, "got none, want a time");
    } else {
      violations->CheckTime(field, time);
    }
  }
  if (!request.has_start_time() || !request.has_end_time()) return;
  if (!IsValid(request.start_time()) || !IsValid(request.end_time())) return;
  if (absl::ToUnixMicros(ToTime(request.start_time())) >=
      absl::ToUnixMicros(ToTime(request.end_time()))) {
    violations->Add("end_time", "got a time not after start_time, want a later one");
  }
}

void CheckReportBucket(const v1::ReportUsageRequest& request, RequestViolations* violations) {
  if (!v1::ReportBucket_IsValid(request.bucket())) {
    violations->Add("bucket", absl::StrCat("got ", request.bucket(), ", want one of ReportBucket"));
  }
  if (!request.has_bucket_length()) return;
  if (request.bucket() != v1::REPORT_BUCKET_UNSPECIFIED) {
    violations->Add("bucket_length", "got it beside bucket, want one of the two");
  } else if (!IsValid(request.bucket_length()) ||
             ToDuration(request.bucket_length()) < absl::Microseconds(1)) {
    violations->Add("bucket_length",
                    "got less than a microsecond or too much, want a length of time");
  }
}

// Only known fields: an unknown filter would match all records.
bool IsEmpty(const v1::UsageVoidFilter& filter) {
  return filter.sources().empty() && filter.job_ids().empty() && filter.users().empty() &&
         filter.accounts().empty() && !filter.has_ended_from() && !filter.has_ended_before() &&
         !filter.has_recorded_from() && !filter.has_recorded_before();
}

// An empty value is a variable of a script that is not set: it would match all records without one.
void CheckValues(const std::string& field,
                 const google::protobuf::RepeatedPtrField<std::string>& values,
                 RequestViolations* violations) {
  violations->CheckTexts(field, values);
  const auto empty = absl::c_find(values, "");
  if (empty == values.end()) return;
  violations->Add(absl::StrCat(field, "[", empty - values.begin(), "]"),
                  "got an empty value, want a name");
}

// The ends of a period of a filter: REQUIRES that they are set.
void CheckEnds(const std::string& field, const google::protobuf::Timestamp& from,
               const google::protobuf::Timestamp& before, RequestViolations* violations) {
  if (!IsValid(from) || !IsValid(before)) return;
  if (absl::ToUnixMicros(ToTime(from)) < absl::ToUnixMicros(ToTime(before))) return;
  violations->Add(absl::StrCat("filter.", field, "_before"),
                  absl::StrCat("got a time not after ", field, "_from, want a later one"));
}

void CheckFilter(const v1::UsageVoidFilter& filter, RequestViolations* violations) {
  CheckValues("filter.sources", filter.sources(), violations);
  CheckValues("filter.job_ids", filter.job_ids(), violations);
  CheckValues("filter.users", filter.users(), violations);
  CheckValues("filter.accounts", filter.accounts(), violations);
  const auto time = [&](const char* field, bool is_set, const google::protobuf::Timestamp& at) {
    if (is_set) violations->CheckTime(field, at);
  };
  time("filter.ended_from", filter.has_ended_from(), filter.ended_from());
  time("filter.ended_before", filter.has_ended_before(), filter.ended_before());
  time("filter.recorded_from", filter.has_recorded_from(), filter.recorded_from());
  time("filter.recorded_before", filter.has_recorded_before(), filter.recorded_before());
  if (filter.has_ended_from() && filter.has_ended_before()) {
    CheckEnds("ended", filter.ended_from(), filter.ended_before(), violations);
  }
  if (filter.has_recorded_from() && filter.has_recorded_before()) {
    CheckEnds("recorded", filter.recorded_from(), filter.recorded_before(), violations);
  }
}

}  // namespace

absl::Status Validate(const v1::RecordUsageRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckCount("records", request.records_size(), limits.max_records);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ReportUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckPeriod(request, &violations);
  CheckReportBucket(request, &violations);
  constexpr int kMostGroupings = v1::ReportGrouping_ARRAYSIZE - 1;
  violations.CheckCount("group_by", request.group_by_size(), kMostGroupings);
  for (int i = 0; i < std::min(request.group_by_size(), kMostGroupings); ++i) {
    if (v1::ReportGrouping_IsValid(request.group_by(i)) && request.group_by(i) != 0) continue;
    violations.Add(absl::StrCat("group_by[", i, "]"),
                   absl::StrCat("got ", request.group_by(i), ", want account, user, qos or job"));
  }
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  violations.CheckTexts("qos", request.qos());
  violations.CheckTexts("job_ids", request.job_ids());
  violations.CheckTexts("tres", request.tres());
  for (int i = 0; i < request.tres_size(); ++i) {
    if (request.tres(i).size() > errors::kMaxTextBytes) continue;
    const absl::StatusOr<std::string> name = priority::CanonicalTresName(request.tres(i));
    if (name.ok() && name->find('\0') == std::string::npos) continue;
    violations.Add(absl::StrCat("tres[", i, "]"),
                   absl::StrCat("got \"", absl::CHexEscape(request.tres(i)),
                                "\", want cpu, mem, node, billing, gres/NAME, license/NAME, ..."));
  }
  violations.CheckPage(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListUsageRecordsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.has_ended_from()) violations.CheckTime("ended_from", request.ended_from());
  if (request.has_ended_before()) violations.CheckTime("ended_before", request.ended_before());
  violations.CheckTexts("job_ids", request.job_ids());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  violations.CheckPage(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListUsageSourcesRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckPage(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::VoidUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  CheckFilter(request.filter(), &violations);
  if (request.void_id() < 0) {
    violations.Add("void_id", absl::StrCat("got ", request.void_id(), ", want at least 0"));
  }
  if (request.void_id() == 0 && IsEmpty(request.filter())) {
    violations.Add("filter", "got nothing, want a source, job, user, account or time");
  }
  if (request.void_id() != 0 && !IsEmpty(request.filter())) {
    violations.Add("filter", "got one beside void_id, want one of the two");
  }
  if (request.void_id() != 0 && request.validate_only()) {
    violations.Add("validate_only", "got it with void_id, want it with a filter");
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::RestoreUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  if (request.void_id() <= 0) {
    violations.Add("void_id", absl::StrCat("got ", request.void_id(), ", want that of a void"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ResetUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.account().empty()) violations.Add("account", "got none, want an account");
  violations.CheckText("account", request.account());
  violations.CheckText("user", request.user());
  violations.CheckText("partition", request.partition());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  if (request.user().empty() && !request.partition().empty()) {
    violations.Add("partition", "got one without a user, want a user too");
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::RebuildUsageRequest& request) { return CheckCluster(request); }

}  // namespace priorityd::rpc
