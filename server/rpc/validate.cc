#include "server/rpc/validate.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/errors/bounds.h"
#include "server/priority/tres.h"
#include "server/queue/state/job_fields.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr uint32_t kMaxWatchedRows = 10'000;
constexpr int kMaxPaths = 64;
constexpr absl::Duration kLeastAgeInterval = absl::Milliseconds(100);
constexpr absl::Duration kMostMinInterval = absl::Hours(1);

void CheckTres(const google::protobuf::Map<std::string, double>& tres,
               RequestViolations* violations) {
  if (tres.size() > errors::kMaxTresOfCluster) {
    return violations->Add(
        "cluster.tres",
        absl::StrCat("got ", tres.size(), " names, want at most ", errors::kMaxTresOfCluster));
  }
  absl::flat_hash_set<std::string> names;
  for (const auto& [name, count] : tres) {
    const std::string field = absl::StrCat(
        "cluster.tres[\"", absl::CHexEscape(name.substr(0, errors::kShownBytes)), "\"]");
    violations->CheckText(field, name);
    violations->CheckAmount(field, count);
    absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) {
      violations->Add(field,
                      "got an unknown type, want cpu, mem, node, gres/NAME, license/NAME, ...");
    } else if (!names.insert(*canonical).second) {
      violations->Add(field, "got it twice, want it once");
    }
  }
}

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

// The complete check of some requests.
template <typename Request>
absl::Status CheckCluster(const Request& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  return violations.ToStatus();
}

// The common fields of lists of associations.
template <typename Request>
void CheckSharesList(const Request& request, RequestViolations* violations) {
  violations->CheckClusterName("cluster", request.cluster());
  violations->CheckTexts("accounts", request.accounts());
  violations->CheckTexts("users", request.users());
  violations->CheckPage(request);
}

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

}  // namespace

absl::Status Validate(const v1::RankJobsRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.source_case() == v1::RankJobsRequest::SOURCE_NOT_SET) {
    violations.Add("source", "got none, want jobs or tracked");
  }
  violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  violations.CheckView(request.view());
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  violations.CheckTexts("partitions", request.partitions());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  return violations.ToStatus();
}

absl::Status Validate(const v1::WatchRankingRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.limit() > kMaxWatchedRows) {
    violations.Add("limit",
                   absl::StrCat("got ", request.limit(), ", want at most ", kMaxWatchedRows));
  }
  violations.CheckView(request.view());
  violations.CheckTexts("partitions", request.partitions());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  if (request.has_age_interval()) {
    violations.CheckDuration("age_interval", request.age_interval(), kLeastAgeInterval,
                             absl::InfiniteDuration());
  }
  violations.CheckDuration("min_interval", request.min_interval(), absl::ZeroDuration(),
                           kMostMinInterval);
  return violations.ToStatus();
}

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

absl::Status Validate(const v1::LintPolicyRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  violations.CheckText("policy_text", request.policy_text(), errors::kMaxPolicyBytes);
  violations.CheckText("policy_file_name", request.policy_file_name());
  return violations.ToStatus();
}

absl::Status Validate(const v1::RecordUsageRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckCount("records", request.records_size(), limits.max_records);
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateJobsRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckClusterName("source", request.source());
  violations.CheckText("on_behalf_of", request.on_behalf_of());
  violations.CheckCount("upserts", request.upserts_size(), limits.max_jobs);
  violations.CheckCount("removals", request.removals_size(), limits.max_jobs);
  CheckMask(request, &violations);
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
  violations.CheckTexts("sources", request.sources());
  if (!v1::JobOrder_IsValid(request.order())) {
    violations.Add("order", absl::StrCat("got ", static_cast<int>(request.order()),
                                         ", want JOB_ORDER_JOB_ID or JOB_ORDER_SUBMIT_TIME"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListSharesRequest& request) {
  RequestViolations violations;
  CheckSharesList(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListShareHistoryRequest& request) {
  RequestViolations violations;
  CheckSharesList(request, &violations);
  violations.CheckTimes(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ReportUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckPeriod(request, &violations);
  CheckReportBucket(request, &violations);
  for (int i = 0; i < request.group_by_size(); ++i) {
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

absl::Status Validate(const v1::ImportRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.files().empty()) violations.Add("files", "got none, want at least one");
  for (int i = 0; i < request.files_size(); ++i) {
    const v1::File& file = request.files(i);
    const std::string field = absl::StrCat("files[", i, "]");
    violations.CheckText(field + ".name", file.name());
    violations.CheckText(field + ".content", file.content(), SIZE_MAX);
    if (file.name().empty()) violations.Add(field + ".name", "got none, want the file's name");
    if (!v1::FileKind_IsValid(file.kind()) || file.kind() == v1::FILE_KIND_UNSPECIFIED) {
      violations.Add(field + ".kind", absl::StrCat("got ", static_cast<int>(file.kind()),
                                                   ", want what the file is"));
    }
  }
  return violations.ToStatus();
}

namespace {

// Whether a policy has any line except blank ones and comments: without one, everything would be
// Slurm's defaults.
bool SetsAnything(const std::string& text) {
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    const absl::string_view words = absl::StripAsciiWhitespace(line);
    if (!words.empty() && words.front() != '#') return true;
  }
  return false;
}

}  // namespace

absl::Status Validate(const v1::ApplyPolicyRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (SetsAnything(request.text())) {
    violations.CheckText("text", request.text(), errors::kMaxPolicyBytes);
  } else {
    violations.Add("text", "got no parameter, want lines of slurm.conf, such as PriorityType=...");
  }
  violations.CheckText("file_name", request.file_name());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  violations.CheckExpectedVersion(request);
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

absl::Status Validate(const v1::GetPolicyRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.version() < 0) {
    violations.Add("version", absl::StrCat("got ", request.version(), ", want at least 0"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateClusterRequest& request) {
  RequestViolations violations;
  const v1::Cluster& cluster = request.cluster();
  if (cluster.name().empty()) violations.Add("cluster.name", "got none, want the cluster's name");
  violations.CheckClusterName("cluster.name", cluster.name());
  violations.CheckAmount("cluster.cpus", cluster.cpus());
  CheckTres(cluster.tres(), &violations);
  for (int i = 0; i < request.update_mask().paths_size(); ++i) {
    const std::string& path = request.update_mask().paths(i);
    if (path == "nodes" || path == "cpus" || path == "tres") continue;
    violations.Add(absl::StrCat("update_mask.paths[", i, "]"),
                   absl::StrCat("got \"", absl::CHexEscape(path.substr(0, errors::kShownBytes)),
                                "\", want nodes, cpus or tres"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::RecalculateRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  if (request.has_as_of() && request.forget_future()) {
    violations.Add("forget_future", "got it beside as_of, want one of the two");
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::GetStatusRequest& request) { return CheckCluster(request); }

absl::Status Validate(const v1::GetCallerRequest& request) { return CheckCluster(request); }

}  // namespace priorityd::rpc
