#include "server/queue/state/submit_limits.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace priorityd::queue {

SubmitLimits::SubmitLimits(const QueueState& state)
    : state_(state), snapshot_(state.snapshot()), resolver_(snapshot_) {
  any_ = snapshot_.tree().has_limits() ||
         absl::c_any_of(snapshot_.qos(), [](const priority::Qos& qos) {
           return qos.max_submit_jobs_per_user.has_value();
         });
}

std::optional<ExceededSubmitLimit> SubmitLimits::Check(const TrackedJob& job,
                                                       const TrackedJob* before) {
  if (!any_) return std::nullopt;
  CountAll();
  const Charge now = ChargeOf(job);
  if (now.association == priority::kNoAssociation) return std::nullopt;
  const Charge then = before == nullptr ? Charge() : ChargeOf(*before);
  const bool same = then.association == now.association;
  const auto most = MaxSubmitJobs(now.association);
  int64_t others = of_association_[now.association] - (same ? then.tasks : 0);
  if (most.has_value() && others + now.tasks > *most && !(same && now.tasks <= then.tasks)) {
    return ExceededSubmitLimit{
        "AssocMaxSubmitJobLimit",
        absl::StrCat("user ", UserOf(now.association), " in account ",
                     snapshot_.tree().account(now.association), ": MaxSubmitJobs=", *most, ": ",
                     others, " in the queue + ", now.tasks, " = ", others + now.tasks)};
  }
  if (now.qos < 0) return std::nullopt;
  const priority::Qos& qos = snapshot_.qos()[now.qos];
  if (!qos.max_submit_jobs_per_user.has_value()) return std::nullopt;
  const absl::string_view user = UserOf(now.association);
  const bool same_user = then.qos == now.qos && then.association != priority::kNoAssociation &&
                         UserOf(then.association) == user;
  others = of_user_[UserQos(user, now.qos)] - (same_user ? then.tasks : 0);
  if (others + now.tasks <= *qos.max_submit_jobs_per_user) return std::nullopt;
  if (same_user && now.tasks <= then.tasks) return std::nullopt;
  return ExceededSubmitLimit{
      "QOSMaxSubmitJobPerUserLimit",
      absl::StrCat("user ", user, ": QOS ", qos.name,
                   ": MaxSubmitJobsPerUser=", *qos.max_submit_jobs_per_user, ": ", others,
                   " in the queue + ", now.tasks, " = ", others + now.tasks)};
}

void SubmitLimits::Count(const TrackedJob& job, bool there) {
  if (!any_) return;
  CountAll();
  const Charge charge = ChargeOf(job);
  if (charge.association != priority::kNoAssociation)
    Add(charge, there ? charge.tasks : -charge.tasks);
}

SubmitLimits::Charge SubmitLimits::ChargeOf(const TrackedJob& job) {
  if (job.ended()) return {};
  const priority::ResolvedJob resolved = resolver_.Resolve(job.job);
  if (resolved.reason != priority::Reason::kNone) return {};
  return {resolved.association, resolved.qos.front(), job.job.array_tasks};
}

std::optional<uint32_t> SubmitLimits::MaxSubmitJobs(priority::AssociationIndex association) const {
  const priority::AssociationTree& tree = snapshot_.tree();
  if (!tree.has_limits()) return std::nullopt;
  for (priority::AssociationIndex i = association; i != priority::kNoAssociation;
       i = tree.parent()[i]) {
    if (tree.limits(i).max_submit_jobs.has_value()) return tree.limits(i).max_submit_jobs;
  }
  return std::nullopt;
}

void SubmitLimits::CountAll() {
  if (!of_association_.empty()) return;
  of_association_.resize(snapshot_.tree().size());
  for (const auto& chunk : state_.chunks()) {
    const priority::JobTable& table = chunk->table();
    for (uint32_t job = 0; job < table.jobs(); ++job) {
      if (table.unresolved[job] != priority::Reason::kNone) continue;
      const Charge charge{table.association[job], table.qos[table.first_row[job]],
                          chunk->tasks(job)};
      Add(charge, charge.tasks);
    }
  }
}

absl::string_view SubmitLimits::UserOf(priority::AssociationIndex association) const {
  return snapshot_.tree().user(association);
}

void SubmitLimits::Add(const Charge& charge, int64_t tasks) {
  of_association_[charge.association] += tasks;
  if (charge.qos < 0 || !snapshot_.qos()[charge.qos].max_submit_jobs_per_user.has_value()) return;
  of_user_[UserQos(UserOf(charge.association), charge.qos)] += tasks;
}

}  // namespace priorityd::queue
