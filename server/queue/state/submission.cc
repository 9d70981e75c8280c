#include "server/queue/state/submission.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/grant_text.h"
#include "engine/explanation/reason_text.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/jobs/reservation_access.h"
#include "engine/priority/site/limit_kind.h"
#include "engine/priority/site/tres_sum.h"
#include "engine/slurm/conf/partition_state.h"
#include "engine/slurm/words/array_task_ids.h"

namespace priorityd::queue {
namespace {

using priority::Partition;
using priority::PartLimits;
using priority::Reason;

constexpr absl::string_view kNoAccount =
    "Invalid account or account/partition combination specified";
constexpr absl::string_view kNoQos = "Invalid qos specification";
constexpr absl::string_view kNoPartition = "Invalid partition name specified";
constexpr absl::string_view kNoLicense = "Invalid license specification";
constexpr absl::string_view kNoAccess = "Access/permission denied";
constexpr absl::string_view kNoReservation = "Requested reservation is invalid";
constexpr absl::string_view kReservationDenied = "Access denied to requested reservation";
constexpr absl::string_view kNoArray = "Invalid job array specification";

// Slurm's message for a job that does not fit a partition; empty = the job waits.
absl::string_view PartitionSentence(Reason reason) {
  switch (reason) {
    case Reason::kPartitionNodeLimit:
      return "Node count specification invalid";
    case Reason::kPartitionTimeLimit:
      return "Requested time limit is invalid (missing or exceeds some limit)";
    case Reason::kPartitionConfig:
      return "More processors requested than permitted";
    case Reason::kMaxMemPerLimit:
      return "Memory required by task is not available";
    case Reason::kAccountNotAllowed:
      return kNoAccount;
    case Reason::kQosNotAllowed:
      return kNoQos;
    default:
      return "";
  }
}

// The field at fault for Slurm's message; empty = no single field.
absl::string_view FieldOf(absl::string_view sentence) {
  if (sentence == kNoAccount) return "account";
  if (sentence == kNoQos) return "qos";
  if (sentence == kNoLicense) return "tres";
  if (sentence == kNoArray) return "array_task_ids";
  if (sentence == kNoReservation || sentence == kReservationDenied) return "reservation";
  return sentence == kNoPartition ? "partitions" : "";
}

Refusal Refused(absl::string_view reason, absl::string_view sentence, absl::string_view why) {
  return {.reason = std::string(reason),
          .message = absl::StrCat(sentence, ": ", why),
          .field = std::string(FieldOf(sentence))};
}

bool IsLicense(absl::string_view tres) { return absl::StartsWith(tres, "license/"); }

bool Denies(const priority::Snapshot& snapshot, int qos) {
  return qos >= 0 && snapshot.qos()[qos].deny_on_limit;
}

// The amount of a TRES that the job requests.
double RequestOf(const priority::Snapshot& snapshot, const priority::Job& job, int partition,
                 const std::string& tres) {
  if (tres == "billing") return priority::JobBilling(snapshot).Count(job, partition);
  if (priority::IsPrice(tres)) return 1;  // Each job costs money.
  return priority::WeightedSum(priority::TresTermsOf(tres), [&](const std::string& name) {
    return priority::TresCountOf(job, name, snapshot.job_defaults(partition));
  });
}

// The nodes that the job may use.
double NodesFor(const priority::Job& job, const Partition& partition) {
  return job.nodes == 0 && partition.nodes > 0 ? partition.nodes : priority::NodesOf(job);
}

}  // namespace

Submission::Submission(const QueueState& state, InGroup in_group)
    : state_(state),
      snapshot_(state.snapshot()),
      in_group_(std::move(in_group)),
      resolver_(snapshot_) {
  if (snapshot_.policy().enforce_part_limits.value_or(PartLimits::kNo) != PartLimits::kNo) {
    eligibility_.emplace(snapshot_);
  }
}

std::optional<Refusal> Submission::Refuse(const TrackedJob& job, const TrackedJob* before,
                                          bool admitted) {
  const bool is_new = before == nullptr;
  if (admitted) return is_new ? RefuseLicenses(job.job) : std::nullopt;
  const bool enters = is_new || job.job.partitions != before->job.partitions;
  const bool charged = is_new || job.job.user != before->job.user ||
                       job.job.account != before->job.account || job.job.qos != before->job.qos;
  const bool reserves = is_new || job.job.reservation != before->job.reservation;
  const bool numbered = is_new || job.array_task_ids != before->array_task_ids;
  auto array_refusal = numbered ? RefuseArray(job) : std::nullopt;
  if (array_refusal.has_value() || (!enters && !charged && !reserves)) return array_refusal;
  const priority::ResolvedJob resolved = resolver_.Resolve(job.job);
  if (!enters && !charged) return RefuseReservation(job.job, resolved.association);
  auto refusal = enters ? RefuseUnknownPartition(job.job) : std::nullopt;
  if (!refusal.has_value()) refusal = RefuseAssociation(job.job, resolved);
  if (!refusal.has_value()) refusal = RefuseReservation(job.job, resolved.association);
  if (!refusal.has_value() && is_new) refusal = RefuseLicenses(job.job);
  if (!refusal.has_value() && enters) refusal = RefuseEntry(job.job, resolved);
  if (!refusal.has_value()) refusal = RefuseMisfit(job.job, resolved);
  if (!refusal.has_value()) refusal = RefuseOverLimit(job.job, resolved);
  if (!refusal.has_value()) refusal = RefuseByGrant(job.job, resolved);
  if (refusal.has_value()) refusal->by_snapshot = true;
  return refusal;
}

std::optional<Refusal> Submission::RefuseUnknownPartition(const priority::Job& job) const {
  if (!snapshot_.policy().enforce_part_limits.has_value()) return std::nullopt;
  for (const absl::string_view name : job.partitions) {
    if (snapshot_.FindPartition(name) >= 0) continue;
    return Refused("InvalidPartition", kNoPartition,
                   absl::StrCat("partition ", name, " does not exist"));
  }
  return std::nullopt;
}

bool Submission::NamesPartitionOfAssociation(const priority::Job& job,
                                             priority::AssociationIndex association) const {
  const priority::AssociationTree& tree = snapshot_.tree();
  if (job.partitions.size() < 2 || association == priority::kNoAssociation) return false;
  return absl::c_any_of(job.partitions, [&](absl::string_view name) {
    const priority::AssociationIndex own =
        tree.FindUser(tree.account(association), tree.user(association), name);
    return own != priority::kNoAssociation && !tree.association(own).partition.empty();
  });
}

std::optional<Refusal> Submission::RefuseAssociation(const priority::Job& job,
                                                     const priority::ResolvedJob& resolved) const {
  const priority::Enforcement& enforce = snapshot_.policy().enforce;
  if (!enforce.given) return std::nullopt;
  priority::JobRow row;
  row.association = resolved.association;
  const auto refuse = [&](absl::string_view sentence) {
    return Refused(priority::ReasonName(resolved.reason), sentence,
                   explanation::ReasonText(snapshot_, job, row, {resolved.reason, {}}));
  };
  if (enforce.associations && NamesPartitionOfAssociation(job, resolved.association)) {
    return Refused(
        priority::ReasonName(Reason::kInvalidAccount),
        "Multiple partition job request not supported when a partition is set in the association",
        absl::StrCat("user ", job.user, " has an association of one of them"));
  }
  if (enforce.associations && resolved.reason == Reason::kInvalidAccount) return refuse(kNoAccount);
  if (enforce.qos && resolved.reason == Reason::kInvalidQos) return refuse(kNoQos);
  return std::nullopt;
}

std::optional<Refusal> Submission::RefuseReservation(const priority::Job& job,
                                                     priority::AssociationIndex association) const {
  const priority::ReservationUse use = priority::ReservationUseOf(snapshot_, job, association);
  if (use == priority::ReservationUse::kNone) return std::nullopt;
  const bool is_allowed = use == priority::ReservationUse::kAllowed;
  const bool has_ended =
      is_allowed && snapshot_.FindReservation(job.reservation)->end <= snapshot_.computed_at();
  if (is_allowed && !has_ended) return std::nullopt;
  priority::JobRow row;
  row.association = association;
  Refusal refusal =
      Refused(priority::ReasonName(Reason::kReservation),
              use == priority::ReservationUse::kForbidden ? kReservationDenied : kNoReservation,
              explanation::ReasonText(snapshot_, job, row, {Reason::kReservation, {}}));
  refusal.by_snapshot = true;
  return refusal;
}

std::optional<Refusal> Submission::RefuseLicenses(const priority::Job& job) const {
  const priority::TresMap& tres = snapshot_.cluster().tres;
  const auto refuse = [](absl::string_view why) {
    return Refused("BadConstraints", kNoLicense, why);
  };
  const bool has_licenses =
      absl::c_any_of(tres, [](const auto& total) { return IsLicense(total.first); });
  if (!has_licenses) return std::nullopt;
  for (const auto& [name, count] : job.tres) {
    if (!IsLicense(name)) continue;
    const auto known = tres.find(std::string(name));
    if (known == tres.end()) return refuse(absl::StrCat("the cluster has no ", name));
    if (count <= known->second) continue;
    return refuse(absl::StrCat("the job needs ", numbers::NumberText(count), " of ", name,
                               ", the cluster has ", numbers::NumberText(known->second)));
  }
  return std::nullopt;
}

std::optional<Refusal> Submission::RefuseArray(const TrackedJob& job) const {
  const std::optional<uint32_t> size = snapshot_.policy().max_array_size;
  if (!size.has_value() || job.array_task_ids.empty()) return std::nullopt;
  const uint32_t last = slurm::LastArrayTask(job.array_task_ids);
  if (last < *size) return std::nullopt;
  Refusal refusal = Refused(
      "MaxArraySize", kNoArray,
      absl::StrCat("got task id ", last, ", want task ids below ", *size, " (MaxArraySize)"));
  refusal.by_snapshot = true;
  return refusal;
}

std::optional<Refusal> Submission::EntryDenied(const priority::Job& job, int partition) const {
  const Partition& rules = snapshot_.partitions()[partition];
  if (!rules.open) {
    return Refused("PartitionInactive", "Required partition not available (inactive or drain)",
                   absl::StrCat("partition ", rules.name, " is ", slurm::PartitionState(rules)));
  }
  if (rules.root_only && job.user != "root") {
    return Refused("AccessDenied", kNoAccess,
                   absl::StrCat("partition ", rules.name, " takes jobs of root alone"));
  }
  const priority::PartitionRules& of_line = snapshot_.partition_rules(partition);
  const bool no_root = of_line.disable_root_jobs.value_or(snapshot_.policy().disable_root_jobs);
  if (no_root && job.user == "root") {
    return Refused("AccessDenied", kNoAccess,
                   absl::StrCat("partition ", rules.name, " takes no jobs of root"));
  }
  if (of_line.requires_reservation && job.reservation.empty()) {
    return Refused(
        "AccessDenied", kNoAccess,
        absl::StrCat("partition ", rules.name, " takes only jobs with a reservation (ReqResv)"));
  }
  const auto has_user = [&](const std::string& group) { return in_group_(group, job.user); };
  if (in_group_ != nullptr && !rules.allow_groups.empty() && job.user != "root" &&
      absl::c_none_of(rules.allow_groups, has_user)) {
    return Refused(
        "AccessDenied", "User's group not permitted to use this partition",
        absl::StrCat("user ", job.user, " is in none of AllowGroups ",
                     absl::StrJoin(rules.allow_groups, ","), " of partition ", rules.name));
  }
  if (!rules.max_cpus_per_node.has_value()) return std::nullopt;
  const double cpus = priority::TresCountOf(job, "cpu", snapshot_.job_defaults(partition));
  const double most = *rules.max_cpus_per_node * NodesFor(job, rules);
  if (cpus <= most) return std::nullopt;
  return Refused(
      "BadConstraints", "Requested node configuration is not available",
      absl::StrCat("partition ", rules.name, ": MaxCPUsPerNode=", *rules.max_cpus_per_node,
                   ": the job needs ", cpus, " CPUs on ", NodesFor(job, rules), " nodes"));
}

Submission::Indices Submission::PartitionsOf(const priority::Job& job,
                                             const priority::ResolvedJob& resolved) const {
  if (resolved.association != priority::kNoAssociation) return resolved.partitions;
  Indices partitions;
  for (const absl::string_view name : resolver_.PartitionsOf(job)) {
    partitions.push_back(snapshot_.FindPartition(name));
  }
  return partitions;
}

std::optional<Refusal> Submission::RefuseEntry(const priority::Job& job,
                                               const priority::ResolvedJob& resolved) const {
  const bool all = snapshot_.policy().enforce_part_limits == PartLimits::kAll;
  std::optional<Refusal> first;
  for (const int partition : PartitionsOf(job, resolved)) {
    if (partition < 0) return std::nullopt;
    auto denied = EntryDenied(job, partition);
    if (!denied.has_value() && !all) return std::nullopt;
    if (!first.has_value()) first = std::move(denied);
  }
  return first;
}

std::optional<Refusal> Submission::MisfitOf(const priority::Job& job,
                                            const priority::ResolvedJob& resolved,
                                            int partition) const {
  const bool has_association = resolved.association != priority::kNoAssociation;
  for (const int qos : has_association ? resolved.qos : Indices{-1}) {
    const Reason reason = eligibility_->OfPartition(job, resolved.association, partition, qos);
    // As in slurmctld, these lists are for jobs with an association.
    const bool by_list = reason == Reason::kAccountNotAllowed || reason == Reason::kQosNotAllowed;
    if (by_list && !has_association) continue;
    const absl::string_view sentence = PartitionSentence(reason);
    if (sentence.empty()) continue;
    priority::JobRow row;
    row.association = resolved.association;
    row.partition = partition;
    row.qos = qos;
    return Refused(priority::ReasonName(reason), sentence,
                   explanation::ReasonText(snapshot_, job, row, {reason, {}}));
  }
  return std::nullopt;
}

std::optional<Refusal> Submission::RefuseMisfit(const priority::Job& job,
                                                const priority::ResolvedJob& resolved) const {
  if (!eligibility_.has_value()) return std::nullopt;
  const bool has_partitions =
      resolved.reason == Reason::kNone || resolved.reason == Reason::kInvalidAccount;
  if (!has_partitions) return std::nullopt;
  const bool all = snapshot_.policy().enforce_part_limits == PartLimits::kAll;
  std::optional<Refusal> first;
  std::string down;  // A partition that it fits but that is not up.
  for (const int partition : PartitionsOf(job, resolved)) {
    if (partition < 0) return std::nullopt;
    const Partition& rules = snapshot_.partitions()[partition];
    auto misfit = MisfitOf(job, resolved, partition);
    if (!all && !misfit.has_value() && rules.up) return std::nullopt;
    if (!misfit.has_value() && !rules.up) down = rules.name;
    if (!first.has_value()) first = std::move(misfit);
  }
  if (all || down.empty() || !first.has_value()) return first;
  return Refused("PartitionDown", "Requested partition configuration not available now",
                 absl::StrCat("partition ", down, " is not up, and no other fits"));
}

std::optional<Refusal> Submission::RefuseOverLimit(const priority::Job& job,
                                                   const priority::ResolvedJob& resolved) const {
  if (snapshot_.limits().empty() || resolved.reason != Reason::kNone) return std::nullopt;
  const priority::QosOrder order =
      snapshot_.limits().OrderOf(resolved.partitions.front(), resolved.qos.front());
  if (!Denies(snapshot_, order.first) && !Denies(snapshot_, order.second)) return std::nullopt;
  // A job without a time limit gets one that fits.
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
  return Refused(snapshot_.limits().WordOf(*exceeded->limit), kLimitRefused,
                 explanation::ReasonText(snapshot_, job, row, {Reason::kLimit, exceeded}));
}

std::optional<Refusal> Submission::RefuseByGrant(const priority::Job& job,
                                                 const priority::ResolvedJob& resolved) const {
  if (resolved.reason != Reason::kNone) return std::nullopt;
  const priority::Penalty* penalty = snapshot_.penalties().Of(resolved.association);
  if (penalty == nullptr) return std::nullopt;
  for (const int32_t index : penalty->refusing) {
    const priority::GrantStanding& grant = snapshot_.grants()[index];
    if (RequestOf(snapshot_, job, resolved.partitions.front(), grant.tres) == 0) continue;
    return Refused(
        priority::LimitWord(priority::LimitKind::kGrpTresMins, false, grant.tres), kLimitRefused,
        absl::StrCat(explanation::GrantName(snapshot_.tree(), grant, resolved.association),
                     " is used up", explanation::UntilText(snapshot_, grant)));
  }
  return std::nullopt;
}

}  // namespace priorityd::queue
