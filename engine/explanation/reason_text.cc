#include "engine/explanation/reason_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/limit_text.h"
#include "engine/explanation/time_text.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/jobs/default_qos.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/reservation_access.h"

namespace priorityd::explanation {
namespace {

using numbers::NumberText;
using priority::Reason;

std::string InvalidAccountMessage(const priority::Snapshot& snapshot, const priority::Job& job) {
  if (job.user.empty()) return "the job names no user";
  if (job.account.empty() && snapshot.DefaultAccount(job.user).empty()) {
    return absl::StrCat("the job names no account and user ", job.user, " has no default account");
  }
  const absl::string_view account =
      job.account.empty() ? snapshot.DefaultAccount(job.user) : job.account;
  const bool accounts_are_public = !snapshot.policy().private_data.accounts;
  if (accounts_are_public && snapshot.tree().FindAccount(account) == priority::kNoAssociation) {
    return absl::StrCat("account ", account, " does not exist");
  }
  return absl::StrCat("user ", job.user, " has no association in account ", account);
}

std::string InvalidQosMessage(const priority::Snapshot& snapshot, const priority::Job& job,
                              priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const bool normal_exists = snapshot.FindQos(priority::kNormalQos) >= 0;
  const absl::string_view name = job.qos.empty()
                                     ? priority::DefaultQos(tree, association, normal_exists)
                                     : absl::string_view(job.qos.front());
  if (snapshot.FindQos(name) < 0) return absl::StrCat("QOS ", name, " does not exist");
  return absl::StrCat("QOS ", name, " is not among those of ", tree.account(association), "/",
                      tree.user(association), ": ",
                      absl::StrJoin(tree.allowed_qos(association), ","));
}

std::string NodeLimitMessage(const priority::Job& job, const priority::Partition& partition) {
  const double nodes = priority::NodesOf(job);
  if (partition.nodes > 0 && nodes > partition.nodes) {
    return absl::StrCat(NumberText(nodes), " nodes exceed the ", NumberText(partition.nodes),
                        " of partition ", partition.name);
  }
  if (nodes < partition.min_nodes) {
    return absl::StrCat(NumberText(nodes), " nodes are fewer than MinNodes ", partition.min_nodes,
                        " of partition ", partition.name);
  }
  return absl::StrCat(NumberText(nodes), " nodes exceed MaxNodes ", partition.max_nodes.value_or(0),
                      " of partition ", partition.name);
}

// In Slurm's words.
std::string NotPermitted(absl::string_view what, const priority::Partition& partition,
                         const std::vector<std::string>& allowed,
                         const std::vector<std::string>& denied, absl::string_view name) {
  const std::string rule =
      allowed.empty() ? absl::StrCat(" denies ", absl::StrJoin(denied, ","), " including ", name)
                      : absl::StrCat(" allows ", absl::StrJoin(allowed, ","), " not ", name);
  return absl::StrCat("Job's ", what, " not permitted to use this partition (", partition.name,
                      rule, ")");
}

std::string ReservationMessage(const priority::Snapshot& snapshot, const priority::Job& job,
                               priority::AssociationIndex association) {
  using priority::ReservationUse;
  const std::string name = absl::StrCat("reservation ", job.reservation);
  const ReservationUse use = priority::ReservationUseOf(snapshot, job, association);
  const bool are_public = !snapshot.policy().private_data.reservations;
  if (use == ReservationUse::kMissing && are_public) return absl::StrCat(name, " does not exist");
  if (use == ReservationUse::kMissing || use == ReservationUse::kForbidden) {
    return absl::StrCat(name, " is not for user ", job.user,
                        association == priority::kNoAssociation ? "" : " with account ",
                        association == priority::kNoAssociation
                            ? absl::string_view()
                            : snapshot.tree().account(association));
  }
  const priority::Reservation& reservation = *snapshot.FindReservation(job.reservation);
  const absl::TimeZone zone = snapshot.policy().time_zone;
  return absl::StrCat(name, " is from ", MomentText(reservation.start, zone), " to ",
                      MomentText(reservation.end, zone));
}

std::string ThresholdMessage(const priority::Snapshot& snapshot, const priority::JobRow& row) {
  const priority::AssociationIndex association = row.association;
  const priority::Qos& rules = snapshot.qos()[row.qos];
  return absl::StrFormat("fair-share %g of %s/%s is below UsageThreshold %g of QOS %s",
                         snapshot.fair_share().fair_share[association],
                         snapshot.tree().account(association), snapshot.tree().user(association),
                         rules.usage_threshold.value_or(0), rules.name);
}

std::string PartitionMessage(const priority::Snapshot& snapshot, const priority::Job& job,
                             const priority::JobRow& row, Reason reason) {
  const priority::Partition& partition = snapshot.partitions()[row.partition];
  switch (reason) {
    case Reason::kPartitionDown:
      return absl::StrCat("partition ", partition.name, " is not up");
    case Reason::kPartitionInactive:
      return absl::StrCat("partition ", partition.name, " is INACTIVE");
    case Reason::kPartitionConfig:
      return absl::StrCat(NumberText(priority::CpusOf(job, snapshot.job_defaults(row.partition))),
                          " CPUs exceed the ", NumberText(partition.tres.at("cpu")),
                          " of partition ", partition.name);
    case Reason::kMaxMemPerLimit:
      return absl::StrCat(
          NumberText(priority::TresCountOf(job, "mem", snapshot.job_defaults(row.partition))),
          " MB of memory on ", NumberText(priority::NodesOf(job)), " nodes exceed MaxMemPerNode ",
          NumberText(partition.max_mem_per_node.value_or(0)), " of partition ", partition.name);
    case Reason::kPartitionNodeLimit:
      return NodeLimitMessage(job, partition);
    case Reason::kPartitionTimeLimit:
      return absl::StrCat("time limit ", TimeLimitText(*job.time_limit), " exceeds MaxTime ",
                          TimeLimitText(partition.max_time), " of partition ", partition.name);
    case Reason::kAccountNotAllowed:
      return NotPermitted("account", partition, partition.allow_accounts, partition.deny_accounts,
                          snapshot.tree().account(row.association));
    default:
      return NotPermitted("QOS", partition, partition.allow_qos, partition.deny_qos,
                          row.qos < 0 ? absl::string_view("none") : snapshot.qos()[row.qos].name);
  }
}

}  // namespace

std::string ReasonText(const priority::Snapshot& snapshot, const priority::Job& job,
                       const priority::JobRow& row, const priority::Ineligibility& why) {
  if (why.exceeded.has_value()) return LimitText(snapshot, row.association, *why.exceeded);
  switch (why.reason) {
    case Reason::kNone:
      return "";
    case Reason::kInvalidJob:
      return job.violation.empty() ? absl::StrCat("job_id ", job.job_id, " is given more than once")
                                   : std::string(job.violation);
    case Reason::kInvalidAccount:
      return InvalidAccountMessage(snapshot, job);
    case Reason::kInvalidQos:
      return InvalidQosMessage(snapshot, job, row.association);
    case Reason::kInvalidPartition:
      return absl::StrCat("partition ", absl::StrJoin(job.partitions, ","), " does not exist");
    case Reason::kJobHeldUser:
      return "held by its user";
    case Reason::kJobHeldAdmin:
      return job.hold == priority::Hold::kAdmin ? "held by an administrator"
                                                : "held by an administrator: priority set to 0";
    case Reason::kDependency:
      return job.dependency_unmet
                 ? "waits for a job it depends on"
                 : absl::StrCat("waits for a time after the start of a job it depends on, until ",
                                MomentText(*job.dependency_until, snapshot.policy().time_zone));
    case Reason::kDependencyNever:
      return "depends on a job that has ended in another way than required";
    case Reason::kBeginTime:
      return absl::StrCat("cannot begin before ",
                          MomentText(*job.eligible_time, snapshot.policy().time_zone));
    case Reason::kArrayTaskLimit:
      return "its array runs as many tasks as its limit allows";
    case Reason::kReservation:
      return ReservationMessage(snapshot, job, row.association);
    case Reason::kQosUsageThreshold:
      return ThresholdMessage(snapshot, row);
    default:
      return PartitionMessage(snapshot, job, row, why.reason);
  }
}

}  // namespace priorityd::explanation
