#include "client/prioctl/slurm_views.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/prioctl/calling_user.h"
#include "client/prioctl/jobs/staleness.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/report_picture.h"
#include "client/prioctl/sprio.h"
#include "client/prioctl/sprio_rows.h"
#include "client/prioctl/sreport.h"
#include "client/prioctl/sshare.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

// The policy's time zone; this machine's where that has no name that is known here.
absl::TimeZone ZoneOf(const ::priority::v1::PolicyParameters& policy) {
  absl::TimeZone zone;
  return absl::LoadTimeZone(policy.time_zone(), &zone) ? zone : absl::LocalTimeZone();
}

// The time of the cluster: that of its newest recalculation, where the clock is manual.
absl::Time NowOf(const absl::StatusOr<::priority::v1::Policy>& policy,
                 const client::PriorityClient& client) {
  if (!policy.ok() || policy->parameters().clock() != "manual") return absl::Now();
  ::priority::v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(1);
  request.set_ineligible_limit(1);
  request.set_running_limit(0);
  const absl::StatusOr<::priority::v1::RankJobsResponse> answer = client.RankJobs(request);
  if (!answer.ok() || !answer->snapshot().has_computed_at()) return absl::Now();
  const auto& time = answer->snapshot().computed_at();
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

// Those of these jobs; empty = all.
template <typename Rows>
void KeepOnly(const std::vector<std::string>& jobs, Rows* rows) {
  if (jobs.empty()) return;
  const std::set<std::string> kept(jobs.begin(), jobs.end());
  rows->erase(std::remove_if(rows->begin(), rows->end(),
                             [&](const auto& row) { return kept.count(row.job_id()) == 0; }),
              rows->end());
}

}  // namespace

absl::Status Run(const SshareOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (options.help_format) {
    PrintShareFields(console.out);
    return absl::OkStatus();
  }
  if (absl::Status format = CheckFormat(options); !format.ok()) return format;
  const std::string user = CallingUser();
  const absl::StatusOr<::priority::v1::ListSharesResponse> shares =
      client.ListAllShares(SharesRequest(options, user));
  if (!shares.ok()) return shares.status();
  if (options.json) return PrintJson(*shares, console.out);
  jobs::WarnOfStaleness(shares->snapshot(), console.err);
  return PrintShares(*shares, options, user, console.out);
}

absl::Status Run(const SprioOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (absl::Status checked = CheckOptions(options); !checked.ok()) return checked;
  const absl::StatusOr<::priority::v1::Policy> policy = client.GetPolicy({});
  if (!policy.ok()) return policy.status();
  if (options.weights && options.json) return PrintJson(policy->parameters(), console.out);
  if (options.weights) {
    PrintWeights(policy->parameters(), options.header, console.out);
    return absl::OkStatus();
  }
  ::priority::v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_view(::priority::v1::RANK_VIEW_FULL);
  request.set_running_limit(0);
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  absl::StatusOr<::priority::v1::RankJobsResponse> answer = client.RankJobs(request);
  if (!answer.ok()) return answer.status();
  if (options.json) {
    KeepOnly(options.jobs, answer->mutable_ranked());
    KeepOnly(options.jobs, answer->mutable_ineligible());
    return PrintJson(*answer, console.out);
  }
  jobs::WarnOfStaleness(answer->snapshot(), console.err);
  const std::vector<std::string> several = JobsOfSeveralRows(*answer);
  if (!several.empty()) {
    ::priority::v1::ListJobsRequest named;
    named.mutable_job_ids()->Add(several.begin(), several.end());
    const auto jobs = client.ListAllJobs(named);
    if (!jobs.ok()) return jobs.status();
    OrderAsNamed(*jobs, &*answer);
  }
  return PrintPriorities(*answer, policy->parameters(), options, console.out);
}

absl::Status Run(const SreportOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::Status checked = CheckOptions(options);
  if (checked.ok()) checked = CheckReportPicture(options);
  if (!checked.ok()) return checked;
  const absl::StatusOr<::priority::v1::Policy> policy = client.GetPolicy({});
  // A cluster need not have a policy.
  if (!policy.ok() && !absl::IsNotFound(policy.status())) return policy.status();
  const absl::TimeZone zone = policy.ok() ? ZoneOf(policy->parameters()) : absl::LocalTimeZone();
  const auto request = ReportRequest(options, NowOf(policy, client), zone);
  if (!request.ok()) return request.status();
  const absl::StatusOr<::priority::v1::ReportUsageResponse> report =
      client.ReportAllUsage(*request);
  if (!report.ok()) return report.status();
  if (options.picture.any()) {
    return WritePicture(options.picture, ReportPicture(*request, *report, options, zone),
                        console.out);
  }
  if (options.json) {
    console.out << ToJson(*report) << '\n';
  } else {
    PrintReport(*request, *report, options, zone, console.out);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
