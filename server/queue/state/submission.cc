#include "server/queue/state/submission.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "server/explanation/reason_text.h"
#include "server/priority/job_table.h"

namespace priorityd::queue {
namespace {

using priority::PartLimits;
using priority::Reason;

// What Slurm says to a job that does not fit a partition; empty = it waits.
absl::string_view PartitionSentence(Reason reason) {
  switch (reason) {
    case Reason::kPartitionNodeLimit:
      return "Node count specification invalid";
    case Reason::kPartitionTimeLimit:
      return "Requested time limit is invalid (missing or exceeds some limit)";
    case Reason::kAccountNotAllowed:
      return "Invalid account or account/partition combination specified";
    case Reason::kQosNotAllowed:
      return "Invalid qos specification";
    default:
      return "";
  }
}

bool Denies(const priority::Snapshot& snapshot, int qos) {
  return qos >= 0 && snapshot.qos()[qos].deny_on_limit;
}

}  // namespace

Submission::Submission(const QueueState& state)
    : state_(state), snapshot_(state.snapshot()), resolver_(snapshot_) {
  if (snapshot_.policy().enforce_part_limits.has_value()) eligibility_.emplace(snapshot_);
}

std::optional<Refusal> Submission::Refuse(const TrackedJob& job) {
  const priority::ResolvedJob resolved = resolver_.Resolve(job.job);
  auto refusal = RefuseAssociation(job.job, resolved);
  if (!refusal.has_value()) refusal = RefusePartitions(job.job, resolved);
  if (!refusal.has_value()) refusal = RefuseOverLimit(job.job, resolved);
  return refusal;
}

std::optional<Refusal> Submission::RefuseAssociation(const priority::Job& job,
                                                     const priority::ResolvedJob& resolved) const {
  const priority::Enforcement& enforce = snapshot_.policy().enforce;
  if (!enforce.given) return std::nullopt;
  priority::JobRow row;
  row.association = resolved.association;
  const auto refuse = [&](absl::string_view sentence) {
    return Refusal{
        std::string(priority::ReasonName(resolved.reason)),
        absl::StrCat(sentence, ": ",
                     explanation::ReasonText(snapshot_, job, row, {resolved.reason, {}}))};
  };
  if (enforce.associations && resolved.reason == Reason::kInvalidAccount) {
    return refuse("Invalid account or account/partition combination specified");
  }
  if (enforce.qos && resolved.reason == Reason::kInvalidQos) {
    return refuse("Invalid qos specification");
  }
  return std::nullopt;
}

std::optional<Refusal> Submission::MisfitOf(const priority::Job& job,
                                            const priority::ResolvedJob& resolved,
                                            int partition) const {
  for (const int qos : resolved.qos) {
    const Reason reason = eligibility_->OfPair(job, resolved.association, partition, qos);
    const absl::string_view sentence = PartitionSentence(reason);
    if (sentence.empty()) continue;
    priority::JobRow row;
    row.association = resolved.association;
    row.partition = partition;
    row.qos = qos;
    return Refusal{
        std::string(priority::ReasonName(reason)),
        absl::StrCat(sentence, ": ", explanation::ReasonText(snapshot_, job, row, {reason, {}}))};
  }
  return std::nullopt;
}

std::optional<Refusal> Submission::RefusePartitions(const priority::Job& job,
                                                    const priority::ResolvedJob& resolved) const {
  if (!eligibility_.has_value()) return std::nullopt;
  for (const absl::string_view name : job.partitions) {
    if (snapshot_.FindPartition(name) >= 0) continue;
    return Refusal{"InvalidPartition", absl::StrCat("Invalid partition name specified: partition ",
                                                    name, " does not exist")};
  }
  if (snapshot_.policy().enforce_part_limits == PartLimits::kNo) return std::nullopt;
  std::optional<Refusal> first;
  for (const int partition : resolved.partitions) {
    if (partition < 0) return std::nullopt;
    auto misfit = MisfitOf(job, resolved, partition);
    const bool all = snapshot_.policy().enforce_part_limits == PartLimits::kAll;
    if (misfit.has_value() == all) {
      if (all) return misfit;
      return std::nullopt;
    }
    if (!first.has_value()) first = std::move(misfit);
  }
  return first;
}

std::optional<Refusal> Submission::RefuseOverLimit(const priority::Job& job,
                                                   const priority::ResolvedJob& resolved) const {
  if (snapshot_.limits().empty() || resolved.reason != Reason::kNone) return std::nullopt;
  const priority::QosOrder order =
      snapshot_.limits().OrderOf(resolved.partitions.front(), resolved.qos.front());
  if (!Denies(snapshot_, order.first) && !Denies(snapshot_, order.second)) return std::nullopt;
  // Without a time limit it gets one that fits.
  priority::Job timed = job;
  if (!timed.time_limit.has_value()) timed.time_limit = absl::ZeroDuration();
  const absl::Span<const priority::Job> jobs(&timed, 1);
  const priority::JobTable table =
      priority::BuildJobTable(state_.scale().factors, jobs, absl::InfinitePast());
  const priority::LimitDemands demands(snapshot_, jobs, table);
  const priority::LimitCheck check(snapshot_, state_.counts(), snapshot_.computed_at());
  const auto exceeded = check.FirstExceededAlone(table, demands, 0);
  if (!exceeded.has_value()) return std::nullopt;
  priority::JobRow row;
  row.association = resolved.association;
  return Refusal{
      std::string(snapshot_.limits().WordOf(*exceeded->limit)),
      absl::StrCat(kLimitRefused, ": ",
                   explanation::ReasonText(snapshot_, job, row, {Reason::kLimit, exceeded}))};
}

}  // namespace priorityd::queue
