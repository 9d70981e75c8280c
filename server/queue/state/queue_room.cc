#include "server/queue/state/queue_room.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/queue/state/job_memory.h"
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

quotas::Rule RuleOfBytes(const QueueBounds& bounds) {
  quotas::Rule rule = bounds.parts.RuleOf(quotas::kTrackedBytes, BytesOfCluster(bounds),
                                          "remove jobs, or name fewer jobs in dependencies");
  rule.flag = "--max_tracked_jobs";
  return rule;
}

std::optional<Refusal> Check(const quotas::Rule& rule, const quotas::Held& held,
                             const quotas::Holder& holder, size_t some) {
  const absl::Status status = rule.Check(held, holder, some);
  if (status.ok()) return std::nullopt;
  return Refusal{
      .reason = kFullReason, .message = std::string(status.message()), .quota = rule.name};
}

}  // namespace

size_t BytesOfCluster(const QueueBounds& bounds) {
  return std::max(kLeastBytes, bounds.cluster_jobs * kBytesPerJob);
}

void TrackedCounts::Count(const TrackedJob& job, bool is_own, bool there) {
  const size_t bytes = MemoryOf(job);
  all.Count(bytes, there);
  if (is_own) own.Count(bytes, there);
}

TrackedCounts CountsFor(const TrackedQueue& queue, const JobRights& rights) {
  TrackedCounts counts{.all = queue.held(), .own = {}};
  if (!rights.user.has_value()) return counts;
  const auto add = [&](absl::string_view user) {
    const TrackedQueue::Held held = queue.HeldBy(user);
    counts.own.jobs += held.jobs;
    counts.own.bytes += held.bytes;
  };
  add(*rights.user);
  for (const std::string& user : rights.merged_users) add(user);
  return counts;
}

std::optional<Refusal> CheckRoom(const QueueRoom& room, const TrackedCounts& jobs,
                                 const std::optional<std::string>& user,
                                 absl::string_view cluster) {
  const quotas::Holder holder = {user.has_value() ? absl::StrCat("user:", *user) : "services",
                                 std::string(cluster), !user.has_value()};
  auto refusal = Check(RuleOfCluster(room.bounds),
                       {.all = jobs.all.jobs, .of_holder = jobs.own.jobs}, holder, 1);
  if (refusal.has_value()) return refusal;
  return Check(RuleOfAll(room), {.all = jobs.all.jobs + room.other_jobs, .of_group = jobs.all.jobs},
               holder, 1);
}

std::optional<Refusal> CheckBytes(const QueueBounds& bounds, const TrackedCounts& jobs,
                                  const std::optional<std::string>& user, const TrackedJob* old,
                                  const TrackedJob& wanted) {
  if (!user.has_value()) return std::nullopt;
  const size_t before = old == nullptr ? 0 : MemoryOf(*old);
  const size_t after = MemoryOf(wanted);
  if (after <= before) return std::nullopt;
  const quotas::Held held = {.all = jobs.all.bytes, .of_holder = jobs.own.bytes};
  return Check(RuleOfBytes(bounds), held, {.name = absl::StrCat("user:", *user)}, after - before);
}

std::optional<Refusal> CheckMaxJobCount(const priority::Policy& policy, int64_t live_jobs) {
  if (!policy.max_job_count.has_value() || live_jobs < *policy.max_job_count) return std::nullopt;
  return Refusal{
      .reason = kFullReason,
      .message = absl::StrCat("Slurm temporarily unable to accept job: got ", live_jobs + 1,
                              " jobs, want at most ", *policy.max_job_count, " (MaxJobCount)")};
}

}  // namespace priorityd::queue
