#include "server/rpc/validate.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/priority/tres.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/faults.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr uint32_t kMaxWatchedRows = 10'000;
constexpr absl::Duration kLeastAgeInterval = absl::Milliseconds(100);
constexpr absl::Duration kMostMinInterval = absl::Hours(1);

void CheckTres(const google::protobuf::Map<std::string, double>& tres, Faults* faults) {
  absl::flat_hash_set<std::string> names;
  for (const auto& [name, count] : tres) {
    const std::string field = absl::StrCat("cluster.tres[\"", absl::CHexEscape(name), "\"]");
    faults->CheckText(field, name);
    faults->CheckAmount(field, count);
    absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) {
      faults->Add(field, "got an unknown type, want cpu, mem, node, gres/NAME, license/NAME, ...");
    } else if (!names.insert(*canonical).second) {
      faults->Add(field, "got it twice, want it once");
    }
  }
}

void CheckPeriod(const v1::ReportUsageRequest& request, Faults* faults) {
  for (const auto& [field, has, time] :
       {std::tuple("start_time", request.has_start_time(), request.start_time()),
        std::tuple("end_time", request.has_end_time(), request.end_time())}) {
    if (!has) {
      faults->Add(field, "got none, want a time");
    } else {
      faults->CheckTime(field, time);
    }
  }
  if (!request.has_start_time() || !request.has_end_time()) return;
  if (!IsValid(request.start_time()) || !IsValid(request.end_time())) return;
  if (absl::ToUnixMicros(ToTime(request.start_time())) >=
      absl::ToUnixMicros(ToTime(request.end_time()))) {
    faults->Add("end_time", "got a time not after start_time, want a later one");
  }
}

void CheckReportBucket(const v1::ReportUsageRequest& request, Faults* faults) {
  if (!v1::ReportBucket_IsValid(request.bucket())) {
    faults->Add("bucket", absl::StrCat("got ", request.bucket(), ", want one of ReportBucket"));
  }
  if (!request.has_bucket_length()) return;
  if (request.bucket() != v1::REPORT_BUCKET_UNSPECIFIED) {
    faults->Add("bucket_length", "got it beside bucket, want one of the two");
  } else if (!IsValid(request.bucket_length()) ||
             ToDuration(request.bucket_length()) < absl::Microseconds(1)) {
    faults->Add("bucket_length", "got less than a microsecond or too much, want a length of time");
  }
}

// What the lists of associations have in common.
template <typename Request>
void CheckSharesList(const Request& request, Faults* faults) {
  faults->CheckClusterName("cluster", request.cluster());
  faults->CheckTexts("accounts", request.accounts());
  faults->CheckTexts("users", request.users());
  if (request.page_size() < 0) {
    faults->Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
  }
}

}  // namespace

absl::Status Validate(const v1::RankJobsRequest& request, const RequestLimits& limits) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.source_case() == v1::RankJobsRequest::SOURCE_NOT_SET) {
    faults.Add("source", "got none, want jobs or tracked");
  }
  faults.CheckCount("jobs.jobs", request.jobs().jobs_size(), limits.max_jobs);
  faults.CheckView(request.view());
  if (request.has_as_of()) faults.CheckTime("as_of", request.as_of());
  return faults.ToStatus();
}

absl::Status Validate(const v1::WatchRankingRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.limit() > kMaxWatchedRows) {
    faults.Add("limit", absl::StrCat("got ", request.limit(), ", want at most ", kMaxWatchedRows));
  }
  faults.CheckView(request.view());
  faults.CheckTexts("partitions", request.partitions());
  faults.CheckTexts("accounts", request.accounts());
  faults.CheckTexts("users", request.users());
  if (request.has_age_interval()) {
    faults.CheckDuration("age_interval", request.age_interval(), kLeastAgeInterval,
                         absl::InfiniteDuration());
  }
  faults.CheckDuration("min_interval", request.min_interval(), absl::ZeroDuration(),
                       kMostMinInterval);
  return faults.ToStatus();
}

absl::Status Validate(const v1::ExplainPriorityRequest& request, const RequestLimits& limits) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.source_case() == v1::ExplainPriorityRequest::SOURCE_NOT_SET) {
    faults.Add("source", "got none, want jobs or tracked");
  }
  faults.CheckCount("jobs.jobs", request.jobs().jobs_size(), limits.max_jobs);
  if (request.has_tracked() && request.job_id().empty()) {
    faults.Add("job_id", "got none, want a tracked job");
  }
  if (request.has_jobs() && request.job_id().empty() && request.jobs().jobs_size() > 1) {
    faults.Add("job_id",
               absl::StrCat("got none, want one of the ", request.jobs().jobs_size(), " jobs"));
  }
  if (request.has_compare_to()) {
    const std::string& job_id = request.compare_to().job_id();
    if (job_id.empty()) {
      faults.Add("compare_to.job_id", "got none, want another of the jobs");
    } else if (job_id == request.job_id()) {
      faults.Add("compare_to.job_id", "got the job itself, want another of the jobs");
    }
  }
  if (request.has_as_of()) faults.CheckTime("as_of", request.as_of());
  return faults.ToStatus();
}

absl::Status Validate(const v1::LintPolicyRequest& request, const RequestLimits& limits) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  faults.CheckCount("jobs.jobs", request.jobs().jobs_size(), limits.max_jobs);
  if (request.has_as_of()) faults.CheckTime("as_of", request.as_of());
  return faults.ToStatus();
}

absl::Status Validate(const v1::RecordUsageRequest& request, const RequestLimits& limits) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  faults.CheckCount("records", request.records_size(), limits.max_records);
  return faults.ToStatus();
}

absl::Status Validate(const v1::UpdateJobsRequest& request, const RequestLimits& limits) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  faults.CheckClusterName("source", request.source());
  faults.CheckCount("upserts", request.upserts_size(), limits.max_jobs);
  faults.CheckCount("removals", request.removals_size(), limits.max_jobs);
  faults.CheckTexts("removals", request.removals());
  return faults.ToStatus();
}

absl::Status Validate(const v1::ListJobsRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.page_size() < 0) {
    faults.Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
  }
  if (!v1::JobOrder_IsValid(request.order())) {
    faults.Add("order", absl::StrCat("got ", static_cast<int>(request.order()),
                                     ", want JOB_ORDER_JOB_ID or JOB_ORDER_SUBMIT_TIME"));
  }
  return faults.ToStatus();
}

absl::Status Validate(const v1::ListSharesRequest& request) {
  Faults faults;
  CheckSharesList(request, &faults);
  return faults.ToStatus();
}

absl::Status Validate(const v1::ListShareHistoryRequest& request) {
  Faults faults;
  CheckSharesList(request, &faults);
  if (request.has_start_time()) faults.CheckTime("start_time", request.start_time());
  if (request.has_end_time()) faults.CheckTime("end_time", request.end_time());
  return faults.ToStatus();
}

absl::Status Validate(const v1::ReportUsageRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  CheckPeriod(request, &faults);
  CheckReportBucket(request, &faults);
  for (int i = 0; i < request.group_by_size(); ++i) {
    if (v1::ReportGrouping_IsValid(request.group_by(i)) && request.group_by(i) != 0) continue;
    faults.Add(absl::StrCat("group_by[", i, "]"),
               absl::StrCat("got ", request.group_by(i), ", want account, user or qos"));
  }
  faults.CheckTexts("accounts", request.accounts());
  faults.CheckTexts("users", request.users());
  faults.CheckTexts("qos", request.qos());
  for (int i = 0; i < request.tres_size(); ++i) {
    const absl::StatusOr<std::string> name = priority::CanonicalTresName(request.tres(i));
    if (name.ok() && name->find('\0') == std::string::npos) continue;
    faults.Add(absl::StrCat("tres[", i, "]"),
               absl::StrCat("got \"", absl::CHexEscape(request.tres(i)),
                            "\", want cpu, mem, node, billing, gres/NAME, license/NAME, ..."));
  }
  if (request.page_size() < 0) {
    faults.Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
  }
  return faults.ToStatus();
}

absl::Status Validate(const v1::ImportRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.files().empty()) faults.Add("files", "got none, want at least one");
  for (int i = 0; i < request.files_size(); ++i) {
    const v1::File& file = request.files(i);
    const std::string field = absl::StrCat("files[", i, "]");
    faults.CheckText(field + ".name", file.name());
    faults.CheckText(field + ".content", file.content());
    if (file.name().empty()) faults.Add(field + ".name", "got none, want the file's name");
    if (!v1::FileKind_IsValid(file.kind()) || file.kind() == v1::FILE_KIND_UNSPECIFIED) {
      faults.Add(field + ".kind",
                 absl::StrCat("got ", static_cast<int>(file.kind()), ", want what the file is"));
    }
  }
  return faults.ToStatus();
}

absl::Status Validate(const v1::ApplyPolicyRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  faults.CheckText("text", request.text());
  faults.CheckText("file_name", request.file_name());
  faults.CheckText("comment", request.comment());
  return faults.ToStatus();
}

absl::Status Validate(const v1::ResetUsageRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.account().empty()) faults.Add("account", "got none, want an account");
  faults.CheckText("account", request.account());
  faults.CheckText("user", request.user());
  faults.CheckText("partition", request.partition());
  faults.CheckText("comment", request.comment());
  if (request.user().empty() && !request.partition().empty()) {
    faults.Add("partition", "got one without a user, want a user too");
  }
  return faults.ToStatus();
}

absl::Status Validate(const v1::RebuildUsageRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  return faults.ToStatus();
}

absl::Status Validate(const v1::GetPolicyRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.version() < 0) {
    faults.Add("version", absl::StrCat("got ", request.version(), ", want at least 0"));
  }
  return faults.ToStatus();
}

absl::Status Validate(const v1::UpdateClusterRequest& request) {
  Faults faults;
  const v1::Cluster& cluster = request.cluster();
  if (cluster.name().empty()) faults.Add("cluster.name", "got none, want the cluster's name");
  faults.CheckClusterName("cluster.name", cluster.name());
  faults.CheckAmount("cluster.cpus", cluster.cpus());
  CheckTres(cluster.tres(), &faults);
  for (int i = 0; i < request.update_mask().paths_size(); ++i) {
    const std::string& path = request.update_mask().paths(i);
    if (path == "nodes" || path == "cpus" || path == "tres") continue;
    faults.Add(absl::StrCat("update_mask.paths[", i, "]"),
               absl::StrCat("got \"", absl::CHexEscape(path), "\", want nodes, cpus or tres"));
  }
  return faults.ToStatus();
}

absl::Status Validate(const v1::RecalculateRequest& request) {
  Faults faults;
  faults.CheckClusterName("cluster", request.cluster());
  if (request.has_as_of()) faults.CheckTime("as_of", request.as_of());
  return faults.ToStatus();
}

}  // namespace priorityd::rpc
