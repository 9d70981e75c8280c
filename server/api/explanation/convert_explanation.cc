#include "server/api/explanation/convert_explanation.h"

#include <string>

#include "engine/priority/site/policy.h"
#include "server/api/explanation/convert_comparison.h"
#include "server/api/shared/convert_ranking.h"
#include "server/api/shared/convert_share.h"

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

}  // namespace

void ToProto(priority::BillingRule rule, const std::vector<priority::BillingTerm>& terms,
             double billing, double usage_factor, v1::BillingExplanation* proto) {
  proto->set_rule(std::string(priority::BillingRuleName(rule)));
  for (const priority::BillingTerm& term : terms) {
    v1::BillingTerm* added = proto->add_terms();
    added->set_tres(term.tres);
    added->set_count(term.count);
    added->set_weight(term.weight);
    added->set_value(term.value);
    added->set_counted(term.counted);
  }
  proto->set_billing(billing);
  proto->set_usage_factor(usage_factor);
  proto->set_usage_per_second(billing * usage_factor);
}

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
  if (explanation.resolved) {
    ToProto(explanation.billing_rule, explanation.billing_terms, explanation.billing,
            explanation.usage_factor, response->mutable_billing());
  }
  for (const std::string& sentence : explanation.sentences) response->add_sentences(sentence);
  ToProto(snapshot, response->mutable_snapshot());
}

}  // namespace priorityd::rpc
