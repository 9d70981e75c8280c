#include "client/examples/batch_frontend/summary.h"

#include <algorithm>
#include <cmath>

#include "client/examples/batch_frontend/event_log.h"

namespace priorityd::batch_frontend {
namespace {

double UsageOf(const ShareSample& sample) {
  double usage = 0;
  for (const auto& [name, user] : sample.users) usage += user.usage;
  return usage;
}

Fairness ToFairness(const ShareSample& sample, absl::Duration window) {
  Fairness fairness{.at = sample.time, .window = window, .users = DemandingUsers(sample, window)};
  double sum = 0, squares = 0;
  for (const auto& [name, user] : fairness.users) {
    const double ratio = user.due_share > 0 ? user.usage_share / user.due_share : 1;
    fairness.largest_distance = std::max(fairness.largest_distance, std::abs(ratio - 1));
    sum += ratio;
    squares += ratio * ratio;
  }
  if (squares > 0) fairness.jain_index = sum * sum / (fairness.users.size() * squares);
  return fairness;
}

// The smallest wait that at least this part of the waits does not exceed.
absl::Duration Percentile(const std::vector<absl::Duration>& sorted, double part) {
  if (sorted.empty()) return absl::ZeroDuration();
  const auto rank = static_cast<size_t>(std::ceil(part * sorted.size()));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

void SetWaits(std::vector<absl::Duration> waits, UserSummary* user) {
  if (waits.empty()) return;
  std::sort(waits.begin(), waits.end());
  absl::Duration sum;
  for (const absl::Duration wait : waits) sum += wait;
  user->mean_wait = sum / static_cast<int64_t>(waits.size());
  user->median_wait = Percentile(waits, 0.5);
  user->p95_wait = Percentile(waits, 0.95);
}

std::vector<UserSummary> SummarizeUsers(const std::vector<Job>& jobs, const Played& played) {
  const ShareSample& sample = played.samples[played.sample_at_last_submission];
  const double usage = UsageOf(sample);
  std::map<std::string, UserSummary> users;
  std::map<std::string, std::vector<absl::Duration>> waits;
  for (size_t i = 0; i < jobs.size(); ++i) {
    UserSummary& user = users[jobs[i].user];
    ++user.jobs;
    const PlayedJob& job = played.jobs[i];
    if (!job.start_time.has_value()) continue;
    waits[jobs[i].user].push_back(*job.start_time - jobs[i].submit_time);
    user.cpu_seconds +=
        jobs[i].request.cpus() * absl::ToDoubleSeconds(job.end_time - *job.start_time);
  }
  std::vector<UserSummary> all;
  for (auto& [name, user] : users) {
    user.user = name;
    SetWaits(std::move(waits[name]), &user);
    if (const auto share = sample.users.find(name); share != sample.users.end()) {
      user.usage_share = usage > 0 ? share->second.usage / usage : 0;
      user.entitlement = share->second.entitlement;
    }
    all.push_back(std::move(user));
  }
  std::stable_sort(all.begin(), all.end(), [](const UserSummary& a, const UserSummary& b) {
    return a.cpu_seconds > b.cpu_seconds;
  });
  return all;
}

// The runs between the first and the last submission.
double Utilization(const std::vector<Job>& jobs, const Played& played, int64_t cpus) {
  const absl::Time begin = jobs.front().submit_time, end = played.last_submission;
  double used = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const PlayedJob& job = played.jobs[i];
    if (!job.start_time.has_value() || *job.start_time >= end) continue;
    used += jobs[i].request.cpus() *
            absl::ToDoubleSeconds(std::min(job.end_time, end) - *job.start_time);
  }
  const double seconds = absl::ToDoubleSeconds(end - begin);
  return seconds > 0 ? used / (static_cast<double>(cpus) * seconds) : 0;
}

}  // namespace

std::map<std::string, DemandingUser> DemandingUsers(const ShareSample& sample,
                                                    absl::Duration window) {
  const double all_usage = UsageOf(sample);
  std::map<std::string, DemandingUser> demanding;
  double usage_share = 0, entitlement = 0;
  for (const auto& [name, user] : sample.users) {
    if (!user.waiting_since.has_value() || sample.time - *user.waiting_since < window) continue;
    demanding[name].usage_share = all_usage > 0 ? user.usage / all_usage : 0;
    usage_share += demanding[name].usage_share;
    entitlement += user.entitlement;
  }
  for (auto& [name, user] : demanding) {
    const double own = sample.users.at(name).entitlement;
    user.due_share = entitlement > 0 ? usage_share * own / entitlement : 0;
  }
  return demanding;
}

Summary Summarize(const std::vector<Job>& jobs, const Played& played, int64_t cpus,
                  absl::Duration window) {
  Summary summary{.jobs = static_cast<int64_t>(jobs.size()),
                  .ineligible = played.ineligible,
                  .begin = jobs.front().submit_time,
                  .end = jobs.front().submit_time,
                  .utilization = Utilization(jobs, played, cpus)};
  for (const PlayedJob& job : played.jobs) {
    if (job.start_time.has_value()) summary.end = std::max(summary.end, job.end_time);
    if (job.backfilled) ++summary.backfilled;
    if (job.refused) ++summary.refused;
    if (!job.start_time.has_value() && !job.refused) ++summary.never_started;
  }
  summary.digest = Digest(EventLog(jobs, played.jobs));
  summary.fairness = ToFairness(played.samples[played.sample_at_last_submission], window);
  summary.users = SummarizeUsers(jobs, played);
  return summary;
}

}  // namespace priorityd::batch_frontend
