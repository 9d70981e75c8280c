#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/priority/eligibility.h"
#include "server/priority/job_demand.h"
#include "server/priority/time_text.h"

namespace priorityd::priority {
namespace {

std::string InvalidAccountMessage(const Snapshot& snapshot, const Job& job) {
  if (job.user.empty()) return "the job names no user";
  if (job.account.empty() && snapshot.DefaultAccount(job.user).empty()) {
    return absl::StrCat("the job names no account and user ", job.user, " has no default account");
  }
  const absl::string_view account =
      job.account.empty() ? snapshot.DefaultAccount(job.user) : job.account;
  if (snapshot.tree().FindAccount(account) == kNoAssociation) {
    return absl::StrCat("account ", account, " does not exist");
  }
  return absl::StrCat("user ", job.user, " has no association in account ", account);
}

std::string InvalidQosMessage(const Snapshot& snapshot, const Job& job,
                              AssociationIndex association) {
  const AssociationTree& tree = snapshot.tree();
  const absl::string_view name =
      job.qos.empty() ? tree.default_qos(association) : absl::string_view(job.qos.front());
  if (snapshot.FindQos(name) < 0) return absl::StrCat("QOS ", name, " does not exist");
  return absl::StrCat("QOS ", name, " is not among those of ", tree.account(association), "/",
                      tree.user(association), ": ",
                      absl::StrJoin(tree.allowed_qos(association), ","));
}

std::string NodeLimitMessage(const Job& job, const Partition& partition) {
  const double nodes = NodesOf(job);
  if (partition.nodes > 0 && nodes > partition.nodes) {
    return absl::StrFormat("%g nodes exceed the %g of partition %s", nodes, partition.nodes,
                           partition.name);
  }
  return absl::StrFormat("%g nodes exceed MaxNodes %d of partition %s", nodes,
                         partition.max_nodes.value_or(0), partition.name);
}

std::string AccountMessage(const AssociationTree& tree, AssociationIndex association,
                           const Partition& partition) {
  return partition.allow_accounts.empty()
             ? absl::StrCat("account ", tree.account(association),
                            " is in DenyAccounts of partition ", partition.name)
             : absl::StrCat("account ", tree.account(association),
                            " is not in AllowAccounts of partition ", partition.name);
}

std::string QosMessage(const Snapshot& snapshot, int qos, const Partition& partition) {
  const std::string who =
      qos < 0 ? "a job without QOS" : absl::StrCat("QOS ", snapshot.qos()[qos].name);
  return absl::StrCat(who, partition.allow_qos.empty() ? " is in DenyQos" : " is not in AllowQos",
                      " of partition ", partition.name);
}

std::string ThresholdMessage(const Snapshot& snapshot, AssociationIndex association, int qos) {
  const Qos& rules = snapshot.qos()[qos];
  return absl::StrFormat("fair-share %g of %s/%s is below UsageThreshold %g of QOS %s",
                         snapshot.fair_share().fair_share[association],
                         snapshot.tree().account(association), snapshot.tree().user(association),
                         rules.usage_threshold.value_or(0), rules.name);
}

std::string PartitionMessage(const Snapshot& snapshot, Reason reason, const Job& job,
                             AssociationIndex association, int partition_index, int qos) {
  const Partition& partition = snapshot.partitions()[partition_index];
  switch (reason) {
    case Reason::kPartitionDown:
      return absl::StrCat("partition ", partition.name, " is not up");
    case Reason::kPartitionNodeLimit:
      return NodeLimitMessage(job, partition);
    case Reason::kPartitionTimeLimit:
      return absl::StrCat("time limit ", TimeLimitText(*job.time_limit), " exceeds MaxTime ",
                          TimeLimitText(partition.max_time), " of partition ", partition.name);
    case Reason::kAccountNotAllowed:
      return AccountMessage(snapshot.tree(), association, partition);
    default:
      return QosMessage(snapshot, qos, partition);
  }
}

}  // namespace

std::string ReasonMessage(const Snapshot& snapshot, Reason reason, const Job& job,
                          AssociationIndex association, int partition, int qos) {
  switch (reason) {
    case Reason::kNone:
    case Reason::kAssocGrpTresMinutes:
    case Reason::kAssocGrpWall:
    case Reason::kQosGrpTresMinutes:
    case Reason::kQosGrpWall:
      return "";
    case Reason::kInvalidJob:
      return job.fault.empty() ? absl::StrCat("job_id ", job.job_id, " is given more than once")
                               : std::string(job.fault);
    case Reason::kInvalidAccount:
      return InvalidAccountMessage(snapshot, job);
    case Reason::kInvalidQos:
      return InvalidQosMessage(snapshot, job, association);
    case Reason::kInvalidPartition:
      return absl::StrCat("partition ", absl::StrJoin(job.partitions, ","), " does not exist");
    case Reason::kJobHeldUser:
      return "held by its user";
    case Reason::kJobHeldAdmin:
      return job.hold == Hold::kAdmin ? "held by an administrator"
                                      : "held by an administrator: priority set to 0";
    case Reason::kDependency:
      return "waits for a job it depends on";
    case Reason::kBeginTime:
      return absl::StrCat("may not begin before ",
                          MomentText(*job.eligible_time, snapshot.policy().time_zone));
    case Reason::kQosUsageThreshold:
      return ThresholdMessage(snapshot, association, qos);
    default:
      return PartitionMessage(snapshot, reason, job, association, partition, qos);
  }
}

}  // namespace priorityd::priority
