#include "server/queue/state/submit_limits.h"

#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

using priority::CountedJob;
using priority::Limit;
using priority::LimitScope;

}  // namespace

SubmitLimits::SubmitLimits(const QueueState& state)
    : snapshot_(state.snapshot()),
      limits_(snapshot_.limits()),
      counts_(state.counts()),
      resolver_(snapshot_) {}

std::optional<Refusal> SubmitLimits::Check(const TrackedJob& job, const TrackedJob* before) {
  if (limits_.empty()) return std::nullopt;
  const CountedJob now = CountedOf(job);
  if (now.association == priority::kNoAssociation) return std::nullopt;
  const CountedJob then = before == nullptr ? CountedJob() : CountedOf(*before);
  const priority::Limits::QosChain& qos = limits_.OfQos(now.qos);
  for (const auto* chain : {&qos.chain, &limits_.OfAssociation(now.association)}) {
    for (const int32_t i : chain->submission) {
      const Limit& limit = limits_.limits()[i];
      if (!limit.of_qos() && qos.Replaces(limits_.SlotOf(limit))) continue;
      auto refusal = CheckLimit(limit, now, then);
      if (refusal.has_value()) return refusal;
    }
  }
  return std::nullopt;
}

std::optional<Refusal> SubmitLimits::CheckLimit(const Limit& limit, const CountedJob& now,
                                                const CountedJob& then) const {
  const double before = SameCounter(limit, now, then) ? then.jobs : 0;
  const double others = counts_.submitted(limits_.CounterOf(limit, now.association)) - before;
  if (others + now.jobs <= limit.limit || (before > 0 && now.jobs <= before)) return std::nullopt;
  const priority::LimitRule& rule = limit.rule();
  return Refusal{
      std::string(limits_.WordOf(limit)),
      absl::StrCat(kLimitRefused, ": ", Holder(limit, now.association), ": ",
                   limit.of_qos() ? rule.qos_name : rule.association_name, "=", limit.limit, ": ",
                   others, " in the queue + ", now.jobs, " = ", others + now.jobs)};
}

bool SubmitLimits::SameCounter(const Limit& limit, const CountedJob& now,
                               const CountedJob& then) const {
  if (then.association == priority::kNoAssociation) return false;
  const int32_t counter = limits_.CounterOf(limit, now.association);
  if (limit.of_qos()) {
    return (then.qos.first == limit.qos || then.qos.second == limit.qos) &&
           limits_.CounterOf(limit, then.association) == counter;
  }
  if (limit.rule().scope == LimitScope::kUser) return then.association == now.association;
  const priority::AssociationTree& tree = snapshot_.tree();
  for (priority::AssociationIndex i = then.association; i != priority::kNoAssociation;
       i = tree.parent()[i]) {
    if (i == counter) return true;
  }
  return false;
}

std::string SubmitLimits::Holder(const Limit& limit, priority::AssociationIndex association) const {
  const priority::AssociationTree& tree = snapshot_.tree();
  const LimitScope scope = limit.rule().scope;
  const std::string user = absl::StrCat("user ", tree.user(association));
  const std::string account = absl::StrCat("account ", tree.account(association));
  if (limit.of_qos()) {
    const std::string qos = absl::StrCat("QOS ", snapshot_.qos()[limit.qos].name);
    if (scope == LimitScope::kGroup) return qos;
    return absl::StrCat(scope == LimitScope::kUser ? user : account, ": ", qos);
  }
  const priority::AssociationIndex holder =
      scope == LimitScope::kUser ? association : limit.association;
  if (tree.is_user(holder)) return absl::StrCat(user, " in ", account);
  return absl::StrCat("account ", tree.account(holder));
}

void SubmitLimits::Count(const TrackedJob& job, bool there) {
  if (!limits_.empty()) counts_.Count(limits_, CountedOf(job), there);
}

CountedJob SubmitLimits::CountedOf(const TrackedJob& job) {
  CountedJob counted;
  if (job.ended()) return counted;
  const priority::ResolvedJob resolved = resolver_.Resolve(job.job);
  if (resolved.reason != priority::Reason::kNone) return counted;
  counted.association = resolved.association;
  counted.qos = limits_.OrderOf(resolved.partitions.front(), resolved.qos.front());
  counted.jobs = job.job.array_tasks;
  return counted;
}

}  // namespace priorityd::queue
