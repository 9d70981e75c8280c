#include "engine/explanation/advice.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "engine/explanation/grant_text.h"
#include "engine/explanation/time_text.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/jobs/reservation_access.h"

namespace priorityd::explanation {
namespace {

using numbers::NumberText;
using priority::ExceededLimit;
using priority::Limit;
using priority::LimitMeasure;
using priority::LimitScope;
using priority::Reason;

// `a, b, c and 5 more`.
std::string SomeOf(const std::vector<std::string>& names) {
  constexpr size_t kMost = 6;
  if (names.size() <= kMost) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMost, ", "), " and ",
                      names.size() - kMost, " more");
}

std::string PartitionAdvice(const priority::Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const priority::Partition& partition : snapshot.partitions()) {
    names.push_back(partition.name);
  }
  return names.empty() ? "Ask an administrator: the cluster has no partitions."
                       : absl::StrCat("Name one of the partitions ", SomeOf(names), ".");
}

std::string QosAdvice(const priority::Snapshot& snapshot, const priority::JobRow& row) {
  const bool known = row.association != priority::kNoAssociation;
  const auto allowed =
      known ? snapshot.tree().allowed_qos(row.association) : absl::Span<const std::string>();
  if (allowed.empty()) return "Ask an administrator: its association has no QOS.";
  return absl::StrCat("Name one of the QOS ", SomeOf({allowed.begin(), allowed.end()}), ".");
}

std::string ReservationAdvice(const priority::Snapshot& snapshot, const priority::Job& job,
                              priority::AssociationIndex association) {
  std::vector<std::string> usable;
  for (const priority::Reservation& reservation : snapshot.reservations()) {
    if (reservation.name != job.reservation &&
        priority::MayUse(reservation, job.user, association, snapshot.tree())) {
      usable.push_back(reservation.name);
    }
  }
  const std::string others = usable.empty()
                                 ? "name no reservation"
                                 : absl::StrCat("name reservation ", SomeOf(usable), ", or none");
  const bool is_its_own = priority::ReservationOf(snapshot, job, association) != nullptr;
  return is_its_own ? absl::StrCat("It can start during its reservation; or ", others, ".")
                    : absl::StrCat("It cannot use this reservation: ", others, ".");
}

std::string NodeAdvice(const priority::Partition& partition) {
  double most = partition.nodes;
  if (partition.max_nodes.has_value() && (most == 0 || *partition.max_nodes < most)) {
    most = *partition.max_nodes;
  }
  return absl::StrCat("Request ", std::max<uint32_t>(1, partition.min_nodes), " to ",
                      NumberText(most), " nodes, or name another partition.");
}

std::string OwnerOf(const priority::Snapshot& snapshot, const Limit& limit,
                    priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const LimitScope scope = limit.rule().scope;
  if (scope == LimitScope::kUser) return absl::StrCat("user ", tree.user(association));
  if (scope == LimitScope::kAccount) return absl::StrCat("account ", tree.account(association));
  if (limit.of_qos()) return absl::StrCat("QOS ", snapshot.qos()[limit.qos].name);
  if (tree.is_user(limit.association)) {
    return absl::StrCat("user ", tree.user(limit.association));
  }
  return absl::StrCat("account ", tree.account(limit.association));
}

std::string GrantAdvice(const priority::Snapshot& snapshot, const priority::GrantStanding& grant) {
  const std::string raised = absl::StrCat("It can start when ", GrantTitle(grant), " is raised");
  if (grant.until == absl::InfiniteFuture()) return absl::StrCat(raised, ".");
  return absl::StrCat(raised, ", or when its window ends, at ",
                      MomentText(grant.until, snapshot.policy().time_zone), ".");
}

// The events that lift a cap: `, when grant q4 is raised, or when its window ends, at ...`.
std::string CapEndText(const priority::Snapshot& snapshot, const priority::GrantStanding& grant) {
  const std::string raised = absl::StrCat("when ", GrantTitle(grant), " is raised");
  if (grant.until == absl::InfiniteFuture()) return absl::StrCat("or ", raised, ".");
  return absl::StrCat(raised, ", or when its window ends, at ",
                      MomentText(grant.until, snapshot.policy().time_zone), ".");
}

std::string CapAdvice(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const priority::GrantStanding& grant = snapshot.grants()[exceeded.limit->grant];
  const bool alone = exceeded.wanted > exceeded.bound;
  return absl::StrCat(alone ? "Request less. It can start "
                            : "It can start when enough running jobs of the grant have ended, ",
                      alone && grant.until == absl::InfiniteFuture()
                          ? absl::StrCat("when ", GrantTitle(grant), " is raised.")
                          : CapEndText(snapshot, grant));
}

// For a job that alone needs more than the grant has.
std::string LargerThanGrantAdvice(const priority::Snapshot& snapshot,
                                  const priority::GrantStanding& grant) {
  const std::string less = absl::StrCat(
      "It needs more than there is: request less or a shorter time. It can start when ",
      GrantTitle(grant), " is raised");
  if (grant.until == absl::InfiniteFuture()) return absl::StrCat(less, ".");
  return absl::StrCat(less, "; what follows its window, at ",
                      MomentText(grant.until, snapshot.policy().time_zone), ", may have more.");
}

// A job that alone exceeds a setting waits until the request or the setting changes.
std::string LimitAdvice(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                        const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  const priority::LimitRule& rule = limit.rule();
  const bool timed =
      rule.measure == LimitMeasure::kWall || rule.measure == LimitMeasure::kTresSeconds;
  if (rule.is_least) return "Waiting does not help: request more, or use another QOS.";
  if (limit.of_grant() && !rule.counts_usage) return CapAdvice(snapshot, exceeded);
  // Without `safe` the demand of the job does not count against a limit of past usage.
  const bool wanted_counts =
      !rule.counts_usage || (snapshot.policy().enforce.safe && !limit.by_usage_alone);
  const bool alone =
      rule.scope == LimitScope::kJob || (wanted_counts && exceeded.wanted > exceeded.bound);
  if (alone && limit.of_grant()) {
    return LargerThanGrantAdvice(snapshot, snapshot.grants()[limit.grant]);
  }
  if (alone) {
    return absl::StrCat("Waiting does not help: request less", timed ? " or a shorter time" : "",
                        ", or use another account or QOS.");
  }
  if (limit.of_grant()) return GrantAdvice(snapshot, snapshot.grants()[limit.grant]);
  const std::string owner = OwnerOf(snapshot, limit, association);
  if (rule.counts_usage) {
    return absl::StrCat("It can start when the usage of ", owner,
                        " has decayed or is reset, or when the limit is raised.");
  }
  return absl::StrCat("It can start when enough running jobs of ", owner, " have ended.");
}

std::string AdviceInPartition(const priority::Partition& partition, Reason reason) {
  switch (reason) {
    case Reason::kPartitionNodeLimit:
      return NodeAdvice(partition);
    case Reason::kPartitionTimeLimit:
      return absl::StrCat("Lower its time limit to at most ", TimeLimitText(partition.max_time),
                          ", or name another partition.");
    case Reason::kPartitionConfig:
      return absl::StrCat("Request at most ", NumberText(partition.tres.at("cpu")),
                          " CPUs, or name another partition.");
    case Reason::kMaxMemPerLimit:
      return absl::StrCat("Request at most ", NumberText(partition.max_mem_per_node.value_or(0)),
                          " MB of memory on a node, or name another partition.");
    case Reason::kAccountNotAllowed:
      return "Name another account or another partition.";
    case Reason::kQosNotAllowed:
      return "Name another QOS or another partition.";
    default:
      return "Name another partition, or wait until an administrator sets this one UP.";
  }
}

}  // namespace

std::string AdviceText(const priority::Snapshot& snapshot, const priority::Job& job,
                       const priority::JobRow& row, const priority::Ineligibility& why) {
  if (why.exceeded.has_value()) return LimitAdvice(snapshot, row.association, *why.exceeded);
  switch (why.reason) {
    case Reason::kNone:
    case Reason::kLimit:
      return "";
    case Reason::kInvalidJob:
      return "Correct it and submit it again.";
    case Reason::kInvalidAccount:
      return "Name an account in which its user has an association.";
    case Reason::kInvalidQos:
      return QosAdvice(snapshot, row);
    case Reason::kInvalidPartition:
      return PartitionAdvice(snapshot);
    case Reason::kJobHeldUser:
      return "Its user can release it.";
    case Reason::kJobHeldAdmin:
      return "Only an administrator can release it.";
    case Reason::kDependency:
      return "It becomes eligible by itself as soon as the dependency is met.";
    case Reason::kDependencyNever:
      return "Cancel it, or remove its dependency.";
    case Reason::kBeginTime:
      return "It becomes eligible by itself at that time, or when its begin time is removed.";
    case Reason::kArrayTaskLimit:
      return "It can start when a task of its array has ended, or when the array's limit is "
             "raised.";
    case Reason::kReservation:
      return ReservationAdvice(snapshot, job, row.association);
    case Reason::kQosUsageThreshold:
      return "It can start when the usage of its association has decayed, or under another QOS.";
    default:
      return AdviceInPartition(snapshot.partitions()[row.partition], why.reason);
  }
}

}  // namespace priorityd::explanation
