#include "server/priority/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/priority/eligibility.h"
#include "server/priority/explanation_text.h"
#include "server/priority/factors.h"
#include "server/priority/job_demand.h"
#include "server/priority/scored_queue.h"
#include "server/priority/start_order.h"

namespace priorityd {
namespace {

constexpr int kNoRow = -1;

absl::StatusOr<uint32_t> FindJob(absl::Span<const Job> jobs, absl::string_view job_id) {
  if (job_id.empty()) {
    if (jobs.size() == 1) return 0;
    if (jobs.empty()) return absl::NotFoundError("jobs: got none, want the job to explain");
    return absl::InvalidArgumentError("job_id: got none, want one of the jobs");
  }
  const auto found =
      absl::c_find_if(jobs, [job_id](const Job& job) { return job.job_id == job_id; });
  if (found == jobs.end()) {
    return absl::NotFoundError(absl::StrCat("job_id: got ", job_id, ", want one of the jobs"));
  }
  return static_cast<uint32_t>(found - jobs.begin());
}

class ExplanationBuilder {
 public:
  ExplanationBuilder(const Snapshot& snapshot, absl::Span<const Job> jobs,
                     const ExplainOptions& options)
      : snapshot_(snapshot),
        options_(options),
        queue_(snapshot, jobs, options.as_of),
        order_(snapshot, queue_.table(), queue_.priorities(), options.as_of) {}

  absl::StatusOr<Explanation> Build(uint32_t job) && {
    if (absl::Status status = PickRow(job); !status.ok()) return status;
    if (row_ == kNoRow) {
      queue_.FillUnresolved(job, explanation_.row);
    } else {
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
  const Job& job() const { return queue_.jobs()[explanation_.row.job]; }

  bool Asked(uint32_t row) const;
  absl::Status PickRow(uint32_t job);
  bool Better(uint32_t a, uint32_t b) const;
  void FillPlace();
  void FillReason();
  void FillFactors();
  void AddFactor(std::string name, std::string raw_input, double factor, double weight,
                 double contribution);
  void FillBilling();
  void FillPath();

  const Snapshot& snapshot_;
  const ExplainOptions& options_;
  ScoredQueue queue_;
  StartOrder order_;
  int row_ = kNoRow;
  Explanation explanation_;
};

// Whether a row is of the partition and the QOS asked for.
bool ExplanationBuilder::Asked(uint32_t row) const {
  const int partition = queue_.table().partition[row];
  const int qos = queue_.table().qos[row];
  const auto is = [](absl::string_view wanted, int index, const auto& things) {
    return wanted.empty() || (index >= 0 && things[index].name == wanted);
  };
  return is(options_.partition, partition, snapshot_.partitions()) &&
         is(options_.qos, qos, snapshot_.qos());
}

absl::Status ExplanationBuilder::PickRow(uint32_t job) {
  const JobTable& table = queue_.table();
  if (table.unresolved[job] != Reason::kNone) return absl::OkStatus();
  for (uint32_t row = table.first_row[job]; row < table.first_row[job + 1]; ++row) {
    if (!Asked(row)) continue;
    if (row_ == kNoRow || Better(row, row_)) row_ = row;
  }
  if (row_ != kNoRow) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "job ", table.job_id[job], ": cannot run in",
      options_.partition.empty() ? "" : absl::StrCat(" partition ", options_.partition),
      options_.qos.empty() ? "" : absl::StrCat(" QOS ", options_.qos)));
}

// Of two rows of the job: the one that starts first, else the one that comes
// furthest.
bool ExplanationBuilder::Better(uint32_t a, uint32_t b) const {
  if (order_.Ranked(a) && order_.Ranked(b)) return order_.Before(a, b);
  return queue_.ReasonOf(a) > queue_.ReasonOf(b);
}

void ExplanationBuilder::FillPlace() {
  const bool ranked = order_.Ranked(row_);
  size_t ahead = 0;
  for (uint32_t row = 0; row < queue_.table().rows(); ++row) {
    if (!order_.Ranked(row)) continue;
    ++explanation_.ranked_total;
    if (ranked && order_.Before(row, row_)) ++ahead;
  }
  if (ranked) explanation_.rank = static_cast<uint32_t>(ahead + 1);
}

void ExplanationBuilder::FillReason() {
  const uint32_t index = explanation_.row.job;
  const Reason unresolved = queue_.table().unresolved[index];
  const bool running = job().state != JobState::kPending && unresolved != Reason::kInvalidJob;
  if (running) return;
  Refusal refusal = row_ == kNoRow ? queue_.RefusalOfUnresolved(index) : queue_.RefusalOf(row_);
  explanation_.ineligible_reason = refusal.reason;
  explanation_.ineligible_message = std::move(refusal.message);
}

void ExplanationBuilder::AddFactor(std::string name, std::string raw_input, double factor,
                                   double weight, double contribution) {
  explanation_.factors.push_back(
      {std::move(name), std::move(raw_input), factor, weight, contribution, 0});
}

void ExplanationBuilder::FillFactors() {
  if (explanation_.row.factors == nullptr) return;
  const Policy& policy = snapshot_.policy();
  const PriorityFactors& f = *explanation_.row.factors;
  const PriorityFactors& c = *explanation_.row.contributions;
  const FactorInputs inputs(queue_, row_, f);
  AddFactor("age", inputs.Age(), f.age, policy.weight_age, c.age);
  AddFactor("assoc", inputs.Assoc(), f.assoc, policy.weight_assoc, c.assoc);
  AddFactor("fair_share", inputs.FairShare(), f.fair_share, policy.weight_fair_share, c.fair_share);
  AddFactor("job_size", inputs.JobSize(), f.job_size, policy.weight_job_size, c.job_size);
  AddFactor("partition", inputs.Partition(), f.partition, policy.weight_partition, c.partition);
  AddFactor("qos", inputs.Qos(), f.qos, policy.weight_qos, c.qos);
  for (size_t i = 0; i < f.tres.size(); ++i) {
    AddFactor(absl::StrCat("tres/", queue_.scale().tres_name(i)), inputs.Tres(i), f.tres[i],
              queue_.scale().tres_weight(i), c.tres[i]);
  }
  AddFactor("site", absl::StrCat("site factor ", job().site_factor), f.site, 1, c.site);
  AddFactor("nice", absl::StrCat("nice ", job().nice), f.nice, -1, c.nice);
  explanation_.sum = SumOf(c);
  double positive = 0;
  for (const FactorExplanation& factor : explanation_.factors) {
    positive += std::max(0.0, factor.contribution);
  }
  for (FactorExplanation& factor : explanation_.factors) {
    if (factor.contribution > 0) factor.share = factor.contribution / positive;
  }
}

void ExplanationBuilder::FillBilling() {
  const int partition = explanation_.row.partition;
  explanation_.billing_rule = snapshot_.billing_rule(partition);
  if (const auto given = GivenBilling(job())) {
    explanation_.billing = *given;
  } else {
    TresMap tres;
    FillTres(job(), tres);
    explanation_.billing =
        Billing(explanation_.billing_rule,
                partition < 0 ? TresMap() : snapshot_.partitions()[partition].billing_weights, tres,
                &explanation_.billing_terms);
    explanation_.billing = Bounded(explanation_.billing);
    for (BillingTerm& term : explanation_.billing_terms) term.value = Bounded(term.value);
  }
  const int qos = explanation_.row.qos;
  if (qos >= 0) explanation_.usage_factor = snapshot_.qos()[qos].usage_factor;
}

void ExplanationBuilder::FillPath() {
  std::vector<AssociationIndex>& path = explanation_.fair_share_path;
  for (AssociationIndex i = explanation_.row.association; i != kNoAssociation;
       i = snapshot_.tree().parent()[i]) {
    path.push_back(i);
  }
  std::reverse(path.begin(), path.end());
}

// What siblings are ranked by.
const std::vector<double>& StandingOf(const Snapshot& snapshot) {
  const FairShare& shares = snapshot.fair_share();
  const bool fair_tree = shares.algorithm == FairShareAlgorithm::kFairTree;
  return fair_tree ? shares.level_fs : shares.fair_share;
}

// Whether `a` is above `b` by more than noise, as in Fair Tree.
bool IsBetter(double a, double b) {
  constexpr double kEqual = 1e-9;
  return a > b && (std::isinf(a) || a - b > kEqual * a);
}

}  // namespace

absl::StatusOr<Explanation> Explain(const Snapshot& snapshot, absl::Span<const Job> jobs,
                                    const ExplainOptions& options) {
  const absl::StatusOr<uint32_t> job = FindJob(jobs, options.job_id);
  if (!job.ok()) return job.status();
  return ExplanationBuilder(snapshot, jobs, options).Build(*job);
}

SiblingRank RankAmongSiblings(const Snapshot& snapshot, AssociationIndex association) {
  const AssociationTree& tree = snapshot.tree();
  if (association == 0) return {};
  const auto siblings = tree.fair_share_children(tree.fair_share_parent()[association]);
  const std::vector<double>& standing = StandingOf(snapshot);
  SiblingRank rank{0, static_cast<int>(siblings.size())};
  if (!absl::c_linear_search(siblings, association)) return rank;
  rank.rank = 1 + static_cast<int>(absl::c_count_if(siblings, [&](AssociationIndex i) {
                return IsBetter(standing[i], standing[association]);
              }));
  return rank;
}

std::vector<SiblingRank> RankAllSiblings(const Snapshot& snapshot) {
  const AssociationTree& tree = snapshot.tree();
  const std::vector<double>& standing = StandingOf(snapshot);
  std::vector<SiblingRank> ranks(tree.size());
  for (AssociationIndex i = 1; i < tree.size(); ++i) {
    const auto siblings = tree.fair_share_children(tree.fair_share_parent()[i]);
    ranks[i].count = static_cast<int>(siblings.size());
  }
  for (AssociationIndex parent = 0; parent < tree.size(); ++parent) {
    const auto siblings = tree.fair_share_children(parent);
    std::vector<AssociationIndex> best_first(siblings.begin(), siblings.end());
    absl::c_sort(best_first,
                 [&](AssociationIndex a, AssociationIndex b) { return standing[a] > standing[b]; });
    size_t better = 0;  // How many at the front are better than the one at hand.
    for (AssociationIndex i : best_first) {
      while (IsBetter(standing[best_first[better]], standing[i])) ++better;
      ranks[i].rank = 1 + static_cast<int>(better);
    }
  }
  return ranks;
}

}  // namespace priorityd
