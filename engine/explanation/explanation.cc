#include "engine/explanation/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "engine/explanation/advice.h"
#include "engine/explanation/explanation_text.h"
#include "engine/explanation/reason_text.h"
#include "engine/explanation/row_pick.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/scoring.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::explanation {
namespace {

class ExplanationBuilder {
 public:
  ExplanationBuilder(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                     const ExplainOptions& options)
      : snapshot_(snapshot),
        options_(options),
        queue_(snapshot, jobs, options.as_of, options.whole),
        order_(snapshot, queue_.table(), queue_.priorities(), options.as_of) {}

  absl::StatusOr<Explanation> Build() && {
    const absl::StatusOr<PickedRow> picked = PickRow(
        queue_, order_, {options_.job_id, options_.partition, options_.qos}, /*field=*/"job_id");
    if (!picked.ok()) return picked.status();
    row_ = picked->row;
    if (row_ == kNoRow) {
      queue_.FillUnresolved(picked->job, explanation_.row);
    } else {
      explanation_.resolved = true;
      queue_.FillRow(row_, /*with_factors=*/true, explanation_.row);
      FillPlace();
      FillFactors();
      FillBilling();
    }
    FillReason();
    FillPath();
    explanation_.sentences = Sentences(queue_, row_, explanation_);
    return std::move(explanation_);
  }

 private:
  const priority::Job& job() const { return queue_.jobs()[explanation_.row.job]; }

  void FillPlace();
  QueuePlace FindPlace() const;
  void FillReason();
  void FillFactors();
  void FillBilling();
  void FillPath();

  const priority::Snapshot& snapshot_;
  const ExplainOptions& options_;
  priority::ScoredQueue queue_;
  priority::StartOrder order_;
  int row_ = kNoRow;
  Explanation explanation_;
};

void ExplanationBuilder::FillPlace() {
  QueuePlace place = options_.place != nullptr ? options_.place(row_) : FindPlace();
  explanation_.rank = place.rank;
  explanation_.ranked_total = place.ranked_total;
  explanation_.ahead = std::move(place.ahead);
}

QueuePlace ExplanationBuilder::FindPlace() const {
  const auto terms = [this](size_t row) {
    return priority::TermsOf(queue_.table(), queue_.scale(), options_.as_of, row);
  };
  const bool ranked = order_.Ranked(row_);
  AheadCount ahead(terms(row_));
  QueuePlace place;
  for (uint32_t row = 0; row < queue_.table().rows(); ++row) {
    if (!order_.Ranked(row)) continue;
    ++place.ranked_total;
    if (!ranked || !order_.Before(row, row_)) continue;
    const priority::OrderRule rule = order_.RuleBetween(row, order_, row_);
    rule == priority::OrderRule::kPriority ? ahead.AddByPriority(terms(row)) : ahead.Add(rule);
  }
  if (ranked) place.rank = ahead.total() + 1;
  place.ahead = ahead.Take();
  return place;
}

void ExplanationBuilder::FillReason() {
  const uint32_t index = explanation_.row.job;
  if (queue_.Started(index)) return;
  const priority::Ineligibility why =
      row_ == kNoRow ? queue_.WhyUnresolved(index) : queue_.WhyIneligible(row_);
  explanation_.ineligible_reason = priority::ReasonName(snapshot_.limits(), why);
  explanation_.ineligible_message = ReasonText(snapshot_, job(), explanation_.row, why);
  explanation_.ineligible_advice = AdviceText(snapshot_, job(), explanation_.row, why);
}

void ExplanationBuilder::FillFactors() {
  if (explanation_.row.factors == nullptr) return;
  explanation_.factors = ExplainFactors(queue_, row_, explanation_.row);
  explanation_.sum = priority::SumOf(*explanation_.row.contributions);
}

void ExplanationBuilder::FillBilling() {
  const int partition = explanation_.row.partition;
  explanation_.billing_rule = snapshot_.billing_rule(partition);
  if (const auto given = priority::GivenBilling(job())) {
    explanation_.billing = *given;
  } else {
    priority::TresMap tres;
    priority::FillTres(job(), tres, snapshot_.job_defaults(partition));
    explanation_.billing = priority::Billing(
        explanation_.billing_rule,
        partition < 0 ? priority::TresMap() : snapshot_.partitions()[partition].billing_weights,
        tres, &explanation_.billing_terms);
    explanation_.billing = priority::Bounded(explanation_.billing);
    for (priority::BillingTerm& term : explanation_.billing_terms)
      term.value = priority::Bounded(term.value);
  }
  const int qos = explanation_.row.qos;
  if (qos >= 0) explanation_.usage_factor = snapshot_.qos()[qos].usage_factor;
}

void ExplanationBuilder::FillPath() {
  if (snapshot_.domain() != nullptr) return;
  std::vector<priority::AssociationIndex>& path = explanation_.fair_share_path;
  for (priority::AssociationIndex i = explanation_.row.association; i != priority::kNoAssociation;
       i = snapshot_.tree().parent()[i]) {
    path.push_back(i);
  }
  std::reverse(path.begin(), path.end());
}

// The value by which siblings are ranked.
const std::vector<double>& StandingOf(const priority::Snapshot& snapshot) {
  const priority::FairShare& shares = snapshot.fair_share();
  const bool fair_tree = shares.algorithm == priority::FairShareAlgorithm::kFairTree;
  return fair_tree ? shares.level_fs : shares.fair_share;
}

// Whether `a` exceeds `b` by more than the tolerance of Fair Tree.
bool IsBetter(double a, double b) {
  constexpr double kEqual = 1e-9;
  return a > b && (std::isinf(a) || a - b > kEqual * a);
}

}  // namespace

absl::StatusOr<Explanation> Explain(const priority::Snapshot& snapshot,
                                    absl::Span<const priority::Job> jobs,
                                    const ExplainOptions& options) {
  return ExplanationBuilder(snapshot, jobs, options).Build();
}

SiblingRank RankAmongSiblings(const priority::Snapshot& snapshot,
                              priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  if (association == 0) return {};
  const auto siblings = tree.fair_share_children(tree.fair_share_parent()[association]);
  const std::vector<double>& standing = StandingOf(snapshot);
  SiblingRank rank{0, static_cast<int>(siblings.size())};
  if (!absl::c_linear_search(siblings, association)) return rank;
  rank.rank = 1 + static_cast<int>(absl::c_count_if(siblings, [&](priority::AssociationIndex i) {
                return IsBetter(standing[i], standing[association]);
              }));
  return rank;
}

std::vector<SiblingRank> RankAllSiblings(const priority::Snapshot& snapshot) {
  const priority::AssociationTree& tree = snapshot.tree();
  const std::vector<double>& standing = StandingOf(snapshot);
  std::vector<SiblingRank> ranks(tree.size());
  for (priority::AssociationIndex i = 1; i < tree.size(); ++i) {
    const auto siblings = tree.fair_share_children(tree.fair_share_parent()[i]);
    ranks[i].count = static_cast<int>(siblings.size());
  }
  for (priority::AssociationIndex parent = 0; parent < tree.size(); ++parent) {
    const auto siblings = tree.fair_share_children(parent);
    std::vector<priority::AssociationIndex> best_first(siblings.begin(), siblings.end());
    absl::c_sort(best_first, [&](priority::AssociationIndex a, priority::AssociationIndex b) {
      return standing[a] > standing[b];
    });
    size_t better = 0;  // The number of siblings that are better than the current one.
    for (priority::AssociationIndex i : best_first) {
      while (IsBetter(standing[best_first[better]], standing[i])) ++better;
      ranks[i].rank = 1 + static_cast<int>(better);
    }
  }
  return ranks;
}

}  // namespace priorityd::explanation
