#include "server/rpc/convert_explanation.h"

#include <string>

#include "absl/strings/string_view.h"
#include "server/priority/billing.h"
#include "server/priority/policy.h"
#include "server/rpc/convert_comparison.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/convert_share.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void FillRow(const priority::Snapshot& snapshot, const priority::Job& job,
             const explanation::Explanation& explanation, v1::ExplainPriorityResponse* response) {
  const priority::JobRow& row = explanation.row;
  response->set_job_id(std::string(job.job_id));
  response->set_user(std::string(job.user));
  response->set_account(std::string(row.association == priority::kNoAssociation
                                        ? job.account
                                        : snapshot.tree().account(row.association)));
  if (row.partition >= 0) response->set_partition(snapshot.partitions()[row.partition].name);
  if (row.qos >= 0) response->set_qos(snapshot.qos()[row.qos].name);
  if (row.priority.has_value()) response->set_priority(*row.priority);
  response->set_rank(explanation.rank);
  response->set_ranked_total(static_cast<uint32_t>(explanation.ranked_total));
  for (const explanation::RowsAhead& ahead : explanation.ahead) {
    v1::RowsAhead* proto = response->add_ahead();
    proto->set_rule(ToProto(ahead.rule));
    proto->set_factor(std::string(ahead.factor));
    proto->set_rows(ahead.rows);
  }
  response->set_ineligible_reason(std::string(explanation.ineligible_reason));
  response->set_ineligible_message(explanation.ineligible_message);
}

void FillFactors(const explanation::Explanation& explanation,
                 v1::ExplainPriorityResponse* response) {
  for (const explanation::FactorExplanation& factor : explanation.factors) {
    v1::FactorExplanation* proto = response->add_factors();
    proto->set_name(factor.name);
    proto->set_raw_input(factor.raw_input);
    proto->set_factor(factor.factor);
    proto->set_weight(factor.weight);
    proto->set_contribution(factor.contribution);
    proto->set_share(factor.share);
  }
  response->set_sum(explanation.sum);
}

void FillBilling(const explanation::Explanation& explanation, v1::BillingExplanation* billing) {
  billing->set_rule(std::string(priority::BillingRuleName(explanation.billing_rule)));
  for (const priority::BillingTerm& term : explanation.billing_terms) {
    v1::BillingTerm* proto = billing->add_terms();
    proto->set_tres(term.tres);
    proto->set_count(term.count);
    proto->set_weight(term.weight);
    proto->set_value(term.value);
    proto->set_counted(term.counted);
  }
  billing->set_billing(explanation.billing);
  billing->set_usage_factor(explanation.usage_factor);
  billing->set_usage_per_second(explanation.billing * explanation.usage_factor);
}

}  // namespace

void ToProto(const priority::Snapshot& snapshot, const priority::Job& job,
             const explanation::Explanation& explanation, v1::ExplainPriorityResponse* response) {
  FillRow(snapshot, job, explanation, response);
  FillFactors(explanation, response);
  for (priority::AssociationIndex i : explanation.fair_share_path) {
    ToProto(snapshot, i, explanation::RankAmongSiblings(snapshot, i),
            response->add_fair_share_path());
  }
  response->set_fair_share_algorithm(
      std::string(priority::FairShareAlgorithmName(snapshot.policy().algorithm)));
  FillBilling(explanation, response->mutable_billing());
  for (const std::string& sentence : explanation.sentences) response->add_sentences(sentence);
  ToProto(snapshot, response->mutable_snapshot());
}

}  // namespace priorityd::rpc
