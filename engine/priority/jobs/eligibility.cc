#include "engine/priority/jobs/eligibility.h"

#include "engine/priority/jobs/job_demand.h"

namespace priorityd::priority {
namespace {

bool NodesFit(const Job& job, const Partition& partition, const Qos& qos) {
  const double nodes = NodesOf(job);
  if (partition.nodes > 0 && nodes > partition.nodes) return false;
  // A job without a node count gets the partition's minimum.
  const bool too_few = job.nodes > 0 && job.nodes < partition.min_nodes;
  if (too_few && !qos.partition_min_nodes) return false;
  return !partition.max_nodes.has_value() || nodes <= *partition.max_nodes ||
         qos.partition_max_nodes;
}

bool TimeFits(const Job& job, const Partition& partition, const Qos& qos) {
  return !job.time_limit.has_value() || *job.time_limit <= partition.max_time ||
         qos.partition_time_limit;
}

bool TooManyCpus(const Job& job, const Partition& partition, const JobDefaults& defaults) {
  const auto there = partition.tres.find("cpu");
  if (there == partition.tres.end() || there->second <= 0) return false;
  return CpusOf(job, defaults) > there->second;
}

bool TooMuchMemory(const Job& job, const Partition& partition, const JobDefaults& defaults) {
  if (!partition.max_mem_per_node.has_value()) return false;
  return TresCountOf(job, "mem", defaults) > *partition.max_mem_per_node * NodesOf(job);
}

// The QOS of an index; for -1 one without flags.
const Qos& QosOf(const Snapshot& snapshot, int qos) {
  static const auto* const none = new Qos;
  return qos < 0 ? *none : snapshot.qos()[qos];
}

}  // namespace

Eligibility::Eligibility(const Snapshot& snapshot) : snapshot_(snapshot) {
  lists_.reserve(snapshot.partitions().size());
  for (const Partition& partition : snapshot.partitions()) {
    lists_.push_back({SetOf(partition.allow_accounts), SetOf(partition.deny_accounts),
                      SetOf(partition.allow_qos), SetOf(partition.deny_qos)});
  }
}

Reason Eligibility::OfJob(const Job& job) {
  if (job.hold == Hold::kUser) return Reason::kJobHeldUser;
  if (job.hold == Hold::kAdmin || job.admin_priority == 0u) return Reason::kJobHeldAdmin;
  if (job.dependency_unmet) {
    return job.dependency_never ? Reason::kDependencyNever : Reason::kDependency;
  }
  return Reason::kNone;
}

bool Eligibility::WithinLimits(const Snapshot& snapshot, const Job& job, int partition, int qos) {
  if (partition < 0) return true;
  const Partition& limits = snapshot.partitions()[partition];
  const Qos& of = QosOf(snapshot, qos);
  return NodesFit(job, limits, of) && TimeFits(job, limits, of);
}

bool Eligibility::AccountAllowed(const AccessLists& lists, AssociationIndex association) const {
  const bool by_allow = !lists.allow_accounts.empty();
  if (!by_allow && lists.deny_accounts.empty()) return true;
  const AssociationTree& tree = snapshot_.tree();
  const auto& named = by_allow ? lists.allow_accounts : lists.deny_accounts;
  for (AssociationIndex i = association; i != kNoAssociation; i = tree.parent()[i]) {
    if (named.contains(tree.account(i))) return by_allow;
    if (i == 0) break;
  }
  return !by_allow;
}

bool Eligibility::QosAllowed(const AccessLists& lists, int qos) const {
  const absl::string_view name = qos < 0 ? "" : absl::string_view(snapshot_.qos()[qos].name);
  if (!lists.allow_qos.empty()) return lists.allow_qos.contains(name);
  return !lists.deny_qos.contains(name);
}

Reason Eligibility::OfPartition(const Job& job, AssociationIndex association, int partition,
                                int qos) const {
  const Partition& limits = snapshot_.partitions()[partition];
  const Qos& of = QosOf(snapshot_, qos);
  if (!NodesFit(job, limits, of)) return Reason::kPartitionNodeLimit;
  if (!TimeFits(job, limits, of)) return Reason::kPartitionTimeLimit;
  const JobDefaults& defaults = snapshot_.job_defaults(partition);
  if (TooManyCpus(job, limits, defaults)) return Reason::kPartitionConfig;
  if (TooMuchMemory(job, limits, defaults)) return Reason::kMaxMemPerLimit;
  if (!AccountAllowed(lists_[partition], association)) return Reason::kAccountNotAllowed;
  if (!QosAllowed(lists_[partition], qos)) return Reason::kQosNotAllowed;
  return Reason::kNone;
}

Reason Eligibility::OfPair(const Job& job, AssociationIndex association, int partition,
                           int qos) const {
  if (partition >= 0) {
    const Partition& limits = snapshot_.partitions()[partition];
    if (!limits.up) return limits.open ? Reason::kPartitionDown : Reason::kPartitionInactive;
    const Reason misfit = OfPartition(job, association, partition, qos);
    if (misfit != Reason::kNone) return misfit;
  }
  if (job.array_limited) return Reason::kArrayTaskLimit;
  if (qos >= 0 && snapshot_.policy().enforce.limits &&
      BelowUsageThreshold(snapshot_.qos()[qos], snapshot_.fair_share().fair_share[association])) {
    return Reason::kQosUsageThreshold;
  }
  return Reason::kNone;
}

bool BelowUsageThreshold(const Qos& qos, double fair_share) {
  return qos.enforce_usage_threshold && qos.usage_threshold.has_value() &&
         fair_share < *qos.usage_threshold;
}

}  // namespace priorityd::priority
