#include "engine/priority/jobs/job_resolution.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "engine/priority/jobs/default_qos.h"
#include "engine/priority/limits/relative_limits.h"

namespace priorityd::priority {
namespace {

template <typename Indices>
void AddOnce(Indices& indices, int index) {
  if (!absl::c_linear_search(indices, index)) indices.push_back(index);
}

}  // namespace

PairNames NamesOf(const Snapshot& snapshot, int partition, int qos) {
  PairNames names;
  if (partition >= 0) names.partition = snapshot.partitions()[partition].name;
  if (qos >= 0) names.qos = snapshot.qos()[qos].name;
  return names;
}

bool JobResolver::QosRule::Allows(int qos) const {
  return all || absl::c_linear_search(allowed, qos);
}

ResolvedJob JobResolver::Resolve(const Job& job) {
  ResolvedJob resolved;
  resolved.association = FindAssociation(job);
  if (resolved.association == kNoAssociation) {
    resolved.reason = Reason::kInvalidAccount;
    return resolved;
  }
  ResolveQos(job, RuleOf(resolved.association), resolved);
  ResolvePartitions(job, resolved);
  if (resolved.qos.empty()) {
    resolved.reason = Reason::kInvalidQos;
  } else if (resolved.partitions.empty()) {
    resolved.reason = Reason::kInvalidPartition;
  }
  return resolved;
}

absl::string_view JobResolver::AccountOf(const Job& job) const {
  return job.account.empty() ? snapshot_.DefaultAccount(job.user) : job.account;
}

AppliedNames JobResolver::PartitionsOf(const Job& job) const {
  if (!job.partitions.empty()) return job.partitions;
  const int partition = snapshot_.default_partition();
  if (partition < 0) return {};
  return {snapshot_.partitions()[partition].name};
}

AppliedNames JobResolver::QosOf(const Job& job) {
  if (!job.qos.empty()) return job.qos;
  AppliedNames names;
  const AssociationIndex association = FindAssociation(job);
  if (association == kNoAssociation) return names;
  for (const int qos : RuleOf(association).if_unnamed) {
    if (qos >= 0) names.emplace_back(snapshot_.qos()[qos].name);
  }
  return names;
}

AssociationIndex JobResolver::FindAssociation(const Job& job) const {
  const absl::string_view account = AccountOf(job);
  if (job.user.empty() || account.empty()) return kNoAssociation;
  const AppliedNames partitions = PartitionsOf(job);
  const absl::string_view first = partitions.empty() ? absl::string_view() : partitions.front();
  return snapshot_.tree().FindUser(account, job.user, first);
}

const JobResolver::QosRule& JobResolver::RuleOf(AssociationIndex association) {
  const AssociationTree& tree = snapshot_.tree();
  const RuleKey key(tree.allowed_qos(association).data(), tree.default_qos(association));
  std::unique_ptr<const QosRule>& rule = rules_[key];
  if (rule == nullptr) rule = std::make_unique<const QosRule>(MakeRule(association));
  return *rule;
}

JobResolver::QosRule JobResolver::MakeRule(AssociationIndex association) const {
  QosRule rule;
  const auto allowed = snapshot_.tree().allowed_qos(association);
  const Enforcement& enforce = snapshot_.policy().enforce;
  rule.all = allowed.empty() || (enforce.given && !enforce.qos);
  for (const std::string& name : allowed) {
    const int qos = snapshot_.FindQos(name);
    if (qos >= 0) rule.allowed.push_back(qos);
  }
  const absl::string_view default_qos =
      DefaultQos(snapshot_.tree(), association, snapshot_.FindQos(kNormalQos) >= 0);
  const int qos = default_qos.empty() ? -1 : snapshot_.FindQos(default_qos);
  const bool is_allowed = qos >= 0 && rule.Allows(qos) && IsUsable(qos);
  if (default_qos.empty() || is_allowed) rule.if_unnamed.push_back(qos);
  return rule;
}

bool JobResolver::IsUsable(int qos) const {
  return !IsForPartitionOnly(snapshot_.qos()[qos], snapshot_.partitions());
}

void JobResolver::ResolveQos(const Job& job, const QosRule& rule, ResolvedJob& resolved) const {
  if (job.qos.empty()) {
    resolved.qos.assign(rule.if_unnamed.begin(), rule.if_unnamed.end());
    return;
  }
  for (const absl::string_view name : job.qos) {
    const int qos = snapshot_.FindQos(name);
    if (qos >= 0 && rule.Allows(qos) && IsUsable(qos)) AddOnce(resolved.qos, qos);
  }
}

void JobResolver::ResolvePartitions(const Job& job, ResolvedJob& resolved) const {
  if (job.partitions.empty()) {
    resolved.partitions.push_back(snapshot_.default_partition());
    return;
  }
  for (const absl::string_view name : job.partitions) {
    const int partition = snapshot_.FindPartition(name);
    if (partition >= 0) AddOnce(resolved.partitions, partition);
  }
}

}  // namespace priorityd::priority
