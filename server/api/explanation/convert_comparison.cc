#include "server/api/explanation/convert_comparison.h"

#include <string>

#include "engine/explanation/explanation.h"
#include "server/api/shared/convert_share.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

v1::OrderChangeKind KindOf(explanation::OrderChangeKind kind) {
  switch (kind) {
    case explanation::OrderChangeKind::kWaiting:
      return v1::ORDER_CHANGE_KIND_WAITING;
    case explanation::OrderChangeKind::kUsage:
      return v1::ORDER_CHANGE_KIND_USAGE;
    case explanation::OrderChangeKind::kRawShares:
      return v1::ORDER_CHANGE_KIND_RAW_SHARES;
    case explanation::OrderChangeKind::kLowerNice:
      return v1::ORDER_CHANGE_KIND_LOWER_NICE;
    case explanation::OrderChangeKind::kRaiseNice:
      return v1::ORDER_CHANGE_KIND_RAISE_NICE;
  }
  return v1::ORDER_CHANGE_KIND_UNSPECIFIED;
}

void FillJob(const priority::Snapshot& snapshot, const priority::Job& job,
             const explanation::ComparedRow& compared, v1::ComparedJob* proto) {
  const priority::JobRow& row = compared.row;
  proto->set_job_id(std::string(job.job_id));
  proto->set_user(std::string(job.user));
  proto->set_account(std::string(row.association == priority::kNoAssociation
                                     ? job.account
                                     : snapshot.tree().account(row.association)));
  if (row.partition >= 0) proto->set_partition(snapshot.partitions()[row.partition].name);
  if (row.qos >= 0) proto->set_qos(snapshot.qos()[row.qos].name);
  if (row.priority.has_value()) proto->set_priority(*row.priority);
  proto->set_ranked(compared.ranked);
  proto->set_ineligible_reason(std::string(compared.ineligible_reason));
  proto->set_ineligible_message(compared.ineligible_message);
}

void FillFactor(const explanation::FactorExplanation& factor, v1::ComparedFactor* proto) {
  proto->set_raw_input(factor.raw_input);
  proto->set_factor(factor.factor);
  proto->set_contribution(factor.contribution);
}

void FillFactors(const explanation::Comparison& comparison, v1::Comparison* proto) {
  const std::vector<explanation::FactorExplanation>& own = comparison.rows[0].factors;
  const std::vector<explanation::FactorExplanation>& others = comparison.rows[1].factors;
  if (own.empty() || others.empty()) return;
  for (size_t i = 0; i < own.size(); ++i) {
    v1::FactorComparison* factor = proto->add_factors();
    factor->set_name(own[i].name);
    factor->set_weight(own[i].weight);
    FillFactor(own[i], factor->mutable_job());
    FillFactor(others[i], factor->mutable_compare_to());
    factor->set_difference(own[i].contribution - others[i].contribution);
  }
}

void FillShare(const priority::Snapshot& snapshot, priority::AssociationIndex i,
               v1::AssociationShare* proto) {
  ToProto(snapshot, i, explanation::RankAmongSiblings(snapshot, i), proto);
}

void FillBranch(const priority::Snapshot& snapshot, const explanation::Branch& branch,
                v1::BranchShare* proto) {
  FillShare(snapshot, branch.association, proto->mutable_association());
  proto->set_usage(branch.usage);
  proto->set_shares(branch.shares);
}

void FillChange(const priority::Snapshot& snapshot, const explanation::OrderChange& change,
                v1::OrderChange* proto) {
  proto->set_kind(KindOf(change.kind));
  proto->set_possible(change.possible);
  proto->set_sentence(change.sentence);
  if (change.association != priority::kNoAssociation) {
    proto->set_account(std::string(snapshot.tree().account(change.association)));
    proto->set_user(std::string(snapshot.tree().user(change.association)));
  }
  proto->set_from(change.from);
  proto->set_to(change.to);
  if (change.duration.has_value()) ToProto(*change.duration, proto->mutable_duration());
}

}  // namespace

v1::OrderRule ToProto(priority::OrderRule rule) {
  switch (rule) {
    case priority::OrderRule::kNone:
      return v1::ORDER_RULE_UNSPECIFIED;
    case priority::OrderRule::kPreemptor:
      return v1::ORDER_RULE_PREEMPTOR;
    case priority::OrderRule::kReservation:
      return v1::ORDER_RULE_RESERVATION;
    case priority::OrderRule::kPriorityTier:
      return v1::ORDER_RULE_PRIORITY_TIER;
    case priority::OrderRule::kPriority:
      return v1::ORDER_RULE_PRIORITY;
    case priority::OrderRule::kSubmitTime:
      return v1::ORDER_RULE_SUBMIT_TIME;
    case priority::OrderRule::kJobId:
      return v1::ORDER_RULE_JOB_ID;
  }
  return v1::ORDER_RULE_UNSPECIFIED;
}

void ToProto(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
             const explanation::Comparison& comparison, v1::Comparison* proto) {
  const auto job_id = [&](int side) {
    return std::string(jobs[comparison.rows[side].row.job].job_id);
  };
  FillJob(snapshot, jobs[comparison.rows[0].row.job], comparison.rows[0], proto->mutable_job());
  FillJob(snapshot, jobs[comparison.rows[1].row.job], comparison.rows[1],
          proto->mutable_compare_to());
  if (comparison.first >= 0) proto->set_first_job_id(job_id(comparison.first));
  proto->set_rule(ToProto(comparison.rule));
  FillFactors(comparison, proto);
  if (comparison.branches.has_value()) {
    v1::BranchComparison* branches = proto->mutable_branches();
    FillShare(snapshot, comparison.branches->ancestor, branches->mutable_ancestor());
    FillBranch(snapshot, comparison.branches->branch[0], branches->mutable_job());
    FillBranch(snapshot, comparison.branches->branch[1], branches->mutable_compare_to());
  }
  for (const explanation::OrderChange& change : comparison.changes) {
    v1::OrderChange* added = proto->add_changes();
    FillChange(snapshot, change, added);
    if (change.kind == explanation::OrderChangeKind::kLowerNice)
      added->set_job_id(job_id(1 - comparison.first));
    if (change.kind == explanation::OrderChangeKind::kRaiseNice)
      added->set_job_id(job_id(comparison.first));
  }
  for (const std::string& sentence : comparison.sentences) proto->add_sentences(sentence);
}

}  // namespace priorityd::rpc
