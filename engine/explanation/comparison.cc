#include "engine/explanation/comparison.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/explanation/comparison_text.h"
#include "engine/explanation/reason_text.h"
#include "engine/explanation/row_pair.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::explanation {
namespace {

class ComparisonBuilder {
 public:
  ComparisonBuilder(const priority::ScoredQueue& queue, const priority::StartOrder& order)
      : queue_(queue), order_(order) {}

  Comparison Build(const PickedRow& job, const PickedRow& compare_to) && {
    picked_ = {job, compare_to};
    for (const int side : {0, 1}) FillRow(side);
    FillOrder();
    FillBranches();
    FillChanges();
    comparison_.sentences = ComparisonSentences(queue_, comparison_);
    return std::move(comparison_);
  }

 private:
  void FillRow(int side) {
    const PickedRow& picked = picked_[side];
    ComparedRow& compared = comparison_.rows[side];
    compared.started = queue_.Started(picked.job);
    priority::Ineligibility why;
    if (picked.row == kNoRow) {
      queue_.FillUnresolved(picked.job, compared.row);
      why = queue_.WhyUnresolved(picked.job);
    } else {
      queue_.FillRow(picked.row, /*with_factors=*/true, compared.row);
      compared.ranked = order_.Ranked(picked.row);
      compared.factors = ExplainFactors(queue_, picked.row, compared.row);
      why = queue_.WhyIneligible(picked.row);
    }
    if (compared.started) return;
    const priority::Snapshot& snapshot = queue_.snapshot();
    compared.ineligible_reason = priority::ReasonName(snapshot.limits(), why);
    compared.ineligible_message =
        ReasonText(snapshot, queue_.jobs()[picked.job], compared.row, why);
  }

  void FillOrder() {
    if (comparison_.rows[0].ranked && comparison_.rows[1].ranked) {
      comparison_.first = order_.Before(picked_[0].row, picked_[1].row) ? 0 : 1;
      comparison_.rule = order_.RuleBetween(picked_[0].row, order_, picked_[1].row);
    } else if (comparison_.rows[0].ranked || comparison_.rows[1].ranked) {
      comparison_.first = comparison_.rows[0].ranked ? 0 : 1;
    }
  }

  void FillBranches() {
    const priority::AssociationIndex a = comparison_.rows[0].row.association;
    const priority::AssociationIndex b = comparison_.rows[1].row.association;
    if (a == priority::kNoAssociation || b == priority::kNoAssociation) return;
    comparison_.branches = FindBranches(queue_.snapshot(), a, b);
  }

  void FillChanges() {
    if (comparison_.rule == priority::OrderRule::kNone) return;
    const int later = 1 - comparison_.first;
    std::optional<Branches> later_first = comparison_.branches;
    if (later_first.has_value() && later == 1) {
      std::swap(later_first->branch[0], later_first->branch[1]);
    }
    const RowPair pair(queue_, picked_[comparison_.first].row, picked_[later].row);
    comparison_.changes = FindOrderChanges(pair, later_first);
    for (OrderChange& change : comparison_.changes) {
      change.sentence = ChangeSentence(queue_, comparison_, change);
    }
  }

  const priority::ScoredQueue& queue_;
  const priority::StartOrder& order_;
  std::array<PickedRow, 2> picked_;
  Comparison comparison_;
};

}  // namespace

absl::StatusOr<Comparison> Compare(const priority::Snapshot& snapshot,
                                   absl::Span<const priority::Job> jobs,
                                   const CompareOptions& options) {
  const priority::ScoredQueue queue(snapshot, jobs, options.as_of, options.whole);
  const priority::StartOrder order(snapshot, queue.table(), queue.priorities(), options.as_of);
  const absl::StatusOr<PickedRow> job = PickRow(queue, order, options.job, "job_id");
  if (!job.ok()) return job.status();
  const absl::StatusOr<PickedRow> compare_to =
      PickRow(queue, order, options.compare_to, "compare_to.job_id");
  if (!compare_to.ok()) return compare_to.status();
  if (job->job == compare_to->job) {
    return absl::InvalidArgumentError(absl::StrCat("compare_to.job_id: got ", jobs[job->job].job_id,
                                                   ", the job itself, want another of the jobs"));
  }
  return ComparisonBuilder(queue, order).Build(*job, *compare_to);
}

}  // namespace priorityd::explanation
