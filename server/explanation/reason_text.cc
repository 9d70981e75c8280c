#include "server/explanation/reason_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/explanation/time_text.h"
#include "server/priority/job_demand.h"

namespace priorityd::explanation {
namespace {

using priority::Reason;

std::string InvalidAccountMessage(const priority::Snapshot& snapshot, const priority::Job& job) {
  if (job.user.empty()) return "the job names no user";
  if (job.account.empty() && snapshot.DefaultAccount(job.user).empty()) {
    return absl::StrCat("the job names no account and user ", job.user, " has no default account");
  }
  const absl::string_view account =
      job.account.empty() ? snapshot.DefaultAccount(job.user) : job.account;
  const bool told = !snapshot.policy().private_data.accounts;
  if (told && snapshot.tree().FindAccount(account) == priority::kNoAssociation) {
    return absl::StrCat("account ", account, " does not exist");
  }
  return absl::StrCat("user ", job.user, " has no association in account ", account);
}

std::string InvalidQosMessage(const priority::Snapshot& snapshot, const priority::Job& job,
                              priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const absl::string_view name =
      job.qos.empty() ? tree.default_qos(association) : absl::string_view(job.qos.front());
  if (snapshot.FindQos(name) < 0) return absl::StrCat("QOS ", name, " does not exist");
  return absl::StrCat("QOS ", name, " is not among those of ", tree.account(association), "/",
                      tree.user(association), ": ",
                      absl::StrJoin(tree.allowed_qos(association), ","));
}

std::string NodeLimitMessage(const priority::Job& job, const priority::Partition& partition) {
  const double nodes = priority::NodesOf(job);
  if (partition.nodes > 0 && nodes > partition.nodes) {
    return absl::StrFormat("%g nodes exceed the %g of partition %s", nodes, partition.nodes,
                           partition.name);
  }
  if (nodes < partition.min_nodes) {
    return absl::StrFormat("%g nodes are fewer than MinNodes %d of partition %s", nodes,
                           partition.min_nodes, partition.name);
  }
  return absl::StrFormat("%g nodes exceed MaxNodes %d of partition %s", nodes,
                         partition.max_nodes.value_or(0), partition.name);
}

std::string AccountMessage(const priority::AssociationTree& tree,
                           priority::AssociationIndex association,
                           const priority::Partition& partition) {
  return partition.allow_accounts.empty()
             ? absl::StrCat("account ", tree.account(association),
                            " is in DenyAccounts of partition ", partition.name)
             : absl::StrCat("account ", tree.account(association),
                            " is not in AllowAccounts of partition ", partition.name);
}

std::string QosMessage(const priority::Snapshot& snapshot, int qos,
                       const priority::Partition& partition) {
  const std::string who =
      qos < 0 ? "a job without QOS" : absl::StrCat("QOS ", snapshot.qos()[qos].name);
  return absl::StrCat(who, partition.allow_qos.empty() ? " is in DenyQos" : " is not in AllowQos",
                      " of partition ", partition.name);
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
    case Reason::kPartitionNodeLimit:
      return NodeLimitMessage(job, partition);
    case Reason::kPartitionTimeLimit:
      return absl::StrCat("time limit ", TimeLimitText(*job.time_limit), " exceeds MaxTime ",
                          TimeLimitText(partition.max_time), " of partition ", partition.name);
    case Reason::kAccountNotAllowed:
      return AccountMessage(snapshot.tree(), row.association, partition);
    default:
      return QosMessage(snapshot, row.qos, partition);
  }
}

// Longer ones are those of jobs without a time limit.
constexpr double kUnlimitedSeconds = 4294967295.0 * 60;

// In the unit that sacctmgr shows the limit in.
std::string Figure(const priority::Limit& limit, double value) {
  const priority::LimitMeasure measure = limit.rule().measure;
  const bool timed =
      measure == priority::LimitMeasure::kWall || measure == priority::LimitMeasure::kTresSeconds;
  if (!timed) return absl::StrFormat("%.9g", value);
  return value >= kUnlimitedSeconds ? "UNLIMITED" : absl::StrFormat("%.9g", value / 60);
}

// Whose limit it is, and of which jobs it speaks: `user ann: QOS high`.
std::string Holder(const priority::Snapshot& snapshot, const priority::Limit& limit,
                   priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::LimitScope scope = limit.rule().scope;
  if (limit.of_qos()) {
    const std::string qos = absl::StrCat("QOS ", snapshot.qos()[limit.qos].name);
    if (scope == priority::LimitScope::kUser) {
      return absl::StrCat("user ", tree.user(association), ": ", qos);
    }
    if (scope == priority::LimitScope::kAccount) {
      return absl::StrCat("account ", tree.account(association), ": ", qos);
    }
    return qos;
  }
  const bool of_user = tree.is_user(limit.association) || scope == priority::LimitScope::kUser;
  if (!of_user) return absl::StrCat("account ", tree.account(limit.association));
  return absl::StrCat("user ", tree.user(association), " in account ", tree.account(association));
}

std::string LimitName(const priority::Snapshot& snapshot, const priority::Limit& limit) {
  const priority::LimitRule& rule = limit.rule();
  const absl::string_view name = limit.of_qos() ? rule.qos_name : rule.association_name;
  if (limit.tres != priority::Limit::kNoTres) {
    return absl::StrCat(name, " ", snapshot.limits().tres()[limit.tres]);
  }
  return rule.measure == priority::LimitMeasure::kWall ? absl::StrCat(name, " minutes")
                                                       : std::string(name);
}

// `account hpcstaff: GrpTRESMins billing=100: 80 used + 25 for this job = 105`; times in
// minutes.
std::string LimitMessage(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                         const priority::ExceededLimit& exceeded) {
  const priority::Limit& limit = *exceeded.limit;
  const priority::LimitRule& rule = limit.rule();
  const auto figure = [&](double value) { return Figure(limit, value); };
  std::string text = absl::StrCat(Holder(snapshot, limit, association), ": ",
                                  LimitName(snapshot, limit), "=", figure(exceeded.bound), ": ");
  if (rule.is_least) return absl::StrCat(text, "this job wants ", figure(exceeded.wanted));
  const double sum = exceeded.used + exceeded.running + exceeded.wanted;
  // Without `safe` nothing but what was used counts.
  const bool used_up = rule.counts_usage && !snapshot.policy().enforce.safe;
  if (used_up) return absl::StrCat(text, figure(exceeded.used), " used");
  if (rule.counts_usage) absl::StrAppend(&text, figure(exceeded.used), " used + ");
  if (exceeded.running > 0) {
    absl::StrAppend(&text, figure(exceeded.running), " for running jobs + ");
  }
  absl::StrAppend(&text, figure(exceeded.wanted), " for this job");
  if (!rule.counts_usage && exceeded.running == 0) return text;
  return absl::StrCat(text, " = ", figure(sum));
}

}  // namespace

std::string ReasonText(const priority::Snapshot& snapshot, const priority::Job& job,
                       const priority::JobRow& row, const priority::Ineligibility& why) {
  if (why.exceeded.has_value()) return LimitMessage(snapshot, row.association, *why.exceeded);
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
                 : absl::StrCat("waits after the start of a job it depends on, until ",
                                MomentText(*job.dependency_until, snapshot.policy().time_zone));
    case Reason::kDependencyNever:
      return "waits for a job it depends on, which has not ended as it should";
    case Reason::kBeginTime:
      return absl::StrCat("may not begin before ",
                          MomentText(*job.eligible_time, snapshot.policy().time_zone));
    case Reason::kArrayTaskLimit:
      return "as many tasks of its array run as may at a time";
    case Reason::kQosUsageThreshold:
      return ThresholdMessage(snapshot, row);
    default:
      return PartitionMessage(snapshot, job, row, why.reason);
  }
}

}  // namespace priorityd::explanation
