#include "client/prioctl/forecast/missing_forecasts.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kMostNamed = 20;  // Jobs in a sentence.

constexpr char kWhichJobs[] =
    " Forecasts are made at short intervals, but none of a job that is held or waits for a "
    "dependency or its begin time, and none on a manual clock.\n";

// `job 1`, `jobs 1, 2`.
std::string JobsText(absl::Span<const std::string> job_ids) {
  const size_t named = std::min(job_ids.size(), kMostNamed);
  std::string text = absl::StrCat(job_ids.size() == 1 ? "job " : "jobs ",
                                  absl::StrJoin(job_ids.subspan(0, named), ", "));
  if (named < job_ids.size()) absl::StrAppend(&text, " and ", job_ids.size() - named, " more");
  return text;
}

bool IsPending(const v1::Job& job) {
  return job.state() == v1::JOB_STATE_PENDING || job.state() == v1::JOB_STATE_UNSPECIFIED;
}

// The ids without a forecast, each once, in their order.
std::vector<std::string> WithoutForecast(const std::vector<std::string>& job_ids,
                                         const v1::ForecastStartsResponse& response) {
  absl::flat_hash_set<absl::string_view> known;
  for (const v1::StartForecast& forecast : response.forecasts()) known.insert(forecast.job_id());
  std::vector<std::string> missing;
  for (const std::string& job_id : job_ids) {
    if (known.insert(job_id).second) missing.push_back(job_id);
  }
  return missing;
}

absl::StatusOr<std::string> OfJobs(const std::vector<std::string>& missing,
                                   const client::PriorityClient& client) {
  v1::ListJobsRequest request;
  request.mutable_job_ids()->Add(missing.begin(), missing.end());
  const auto jobs = client.ListAllJobs(std::move(request));
  if (!jobs.ok()) return jobs.status();
  absl::flat_hash_map<absl::string_view, bool> pending;
  for (const v1::TrackedJob& job : jobs->jobs()) {
    pending.emplace(job.job().job_id(), IsPending(job.job()));
  }
  std::vector<std::string> waiting, started, tasks, unknown;
  for (const std::string& job_id : missing) {
    const auto found = pending.find(job_id);
    auto& others = absl::StrContains(job_id, '_') ? tasks : unknown;
    (found == pending.end() ? others : found->second ? waiting : started).push_back(job_id);
  }
  std::string text;
  if (!waiting.empty()) {
    absl::StrAppend(&text, "No forecast yet of ", JobsText(waiting), ".", kWhichJobs);
  }
  if (!started.empty()) absl::StrAppend(&text, "No longer pending: ", JobsText(started), ".\n");
  if (!tasks.empty()) {
    absl::StrAppend(&text, "An array has one forecast: name it instead of ", JobsText(tasks),
                    ".\n");
  }
  if (!unknown.empty()) absl::StrAppend(&text, "Not in the queue: ", JobsText(unknown), ".\n");
  return text;
}

absl::StatusOr<std::string> OfQueue(const client::PriorityClient& client) {
  v1::ListJobsRequest request;
  request.add_states(v1::JOB_STATE_PENDING);
  request.set_page_size(1);
  const auto jobs = client.ListJobs(std::move(request));
  if (!jobs.ok()) return jobs.status();
  if (jobs->jobs().empty()) return "No job is pending.\n";
  return absl::StrCat("No pending job has a forecast yet.", kWhichJobs);
}

}  // namespace

absl::StatusOr<std::string> MissingForecasts(const std::vector<std::string>& job_ids,
                                             const v1::ForecastStartsResponse& response,
                                             const client::PriorityClient& client) {
  if (job_ids.empty() && response.forecasts().empty()) return OfQueue(client);
  const std::vector<std::string> missing = WithoutForecast(job_ids, response);
  if (missing.empty()) return "";
  return OfJobs(missing, client);
}

}  // namespace priorityd::prioctl
