#include "tests/soak/queue_load.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "tests/soak/site.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr absl::Duration kPauseOfUpdates = absl::Milliseconds(150);
constexpr size_t kMaxChanges = 5;
constexpr size_t kMaxJobs = 40;

}  // namespace

Frontend::Frontend(int first, int stride, const LoadOptions& options)
    : Load(options, ConnectAs(absl::StrCat(kFrontend, first), *options.replicas), kPauseOfUpdates),
      first_(first),
      stride_(stride) {}

v1::UpdateJobsRequest Frontend::NextUpdate(int cluster) {
  v1::UpdateJobsRequest request;
  request.set_cluster(ClusterName(cluster));
  request.set_source(kFrontendSource);
  std::map<std::string, int64_t> jobs = queues_[cluster];
  for (size_t count = 1 + Below(kMaxChanges); count > 0; --count) {
    if (!jobs.empty() && Below(kMaxJobs) < jobs.size()) {
      const auto job = std::next(jobs.begin(), Below(jobs.size()));
      request.add_removals(job->first);
      jobs.erase(job);
      continue;
    }
    v1::Job* job = request.add_upserts();
    const int user = static_cast<int>(Below(kUsers));
    job->set_job_id(absl::StrCat(updates_, "-", count));
    job->set_user(UserName(user));
    job->set_account(AccountName(user));
    job->set_nice(static_cast<int64_t>(Below(1000)));
    jobs.erase(job->job_id());
  }
  return request;
}

void Frontend::Step() {
  const int cluster =
      first_ + stride_ * static_cast<int>(Below((clusters() - first_ + stride_ - 1) / stride_));
  const v1::UpdateJobsRequest request = NextUpdate(cluster);
  const auto response = UntilAnswered<v1::UpdateJobsResponse>(
      "UpdateJobs",
      [&](const client::PriorityClient& client) { return client.UpdateJobs(request); });
  if (!response.ok()) return;
  ++updates_;
  Check(request, *response);
  Note(cluster, request);
}

void Frontend::Check(const v1::UpdateJobsRequest& request, const v1::UpdateJobsResponse& response) {
  const auto is_done = [](v1::UpdateOutcome outcome) {
    return outcome != v1::UPDATE_OUTCOME_REFUSED && outcome != v1::UPDATE_OUTCOME_INVALID;
  };
  EXPECT_EQ(response.upserts_size(), request.upserts_size());
  EXPECT_EQ(response.removals_size(), request.removals_size());
  for (const auto* results : {&response.upserts(), &response.removals()}) {
    for (const v1::JobUpdateResult& result : *results) {
      EXPECT_TRUE(is_done(result.outcome())) << request.cluster() << ": " << result.DebugString();
    }
  }
}

void Frontend::Note(int cluster, const v1::UpdateJobsRequest& request) {
  auto& jobs = queues_[cluster];
  for (const std::string& job : request.removals()) jobs.erase(job);
  for (const v1::Job& job : request.upserts()) jobs[job.job_id()] = job.nice();
}

std::string Frontend::Summary() const {
  return absl::StrCat(updates_, " updates of queues, ", errors(), " errors");
}

}  // namespace priorityd::soak
