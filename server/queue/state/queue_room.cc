#include "server/queue/state/queue_room.h"

#include "absl/strings/str_cat.h"
#include "server/queue/state/update_results.h"
#include "server/quotas/quota.h"

namespace priorityd::queue {
namespace {

constexpr char kAdvice[] = "remove jobs, or submit them later";

quotas::Rule RuleOfCluster(const QueueBounds& bounds) {
  quotas::Rule rule = bounds.parts.RuleOf(quotas::kTrackedJobs, bounds.cluster_jobs, kAdvice);
  rule.flag = "--max_tracked_jobs";
  return rule;
}

quotas::Rule RuleOfAll(const QueueRoom& room) {
  const size_t all = room.bounds.all_jobs;
  const quotas::Parts& parts = room.bounds.parts;
  return {.name = quotas::kAllTrackedJobs,
          .capacity = all,
          .reserve = parts.Reserve(all),
          .of_group = room.has_other_clusters ? parts.Of(quotas::kAllTrackedJobs, all) : all,
          .flag = "--max_all_tracked_jobs",
          .advice = kAdvice};
}

}  // namespace

TrackedCounts CountsFor(const TrackedQueue& queue, const JobRights& rights) {
  TrackedCounts counts{.all = queue.size()};
  if (!rights.user.has_value()) return counts;
  counts.own = queue.JobsOf(*rights.user);
  for (const std::string& user : rights.merged_users) counts.own += queue.JobsOf(user);
  return counts;
}

absl::Status CheckRoom(const QueueRoom& room, const TrackedCounts& jobs,
                       const std::optional<std::string>& user, absl::string_view cluster) {
  const quotas::Holder holder = {user.has_value() ? absl::StrCat("user:", *user) : "services",
                                 std::string(cluster), !user.has_value()};
  absl::Status status =
      RuleOfCluster(room.bounds).Check({.all = jobs.all, .of_holder = jobs.own}, holder, 1);
  status.Update(
      RuleOfAll(room).Check({.all = jobs.all + room.other_jobs, .of_group = jobs.all}, holder, 1));
  return status;
}

std::optional<Refusal> CheckMaxJobCount(const priority::Policy& policy, int64_t live_jobs) {
  if (!policy.max_job_count.has_value() || live_jobs < *policy.max_job_count) return std::nullopt;
  return Refusal{
      .reason = kFullReason,
      .message = absl::StrCat("Slurm temporarily unable to accept job: got ", live_jobs + 1,
                              " jobs, want at most ", *policy.max_job_count, " (MaxJobCount)")};
}

}  // namespace priorityd::queue
