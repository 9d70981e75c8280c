// Which of two jobs starts first, and why.
#ifndef PRIORITYD_SERVER_EXPLANATION_COMPARISON_H_
#define PRIORITYD_SERVER_EXPLANATION_COMPARISON_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/explanation/branches.h"
#include "server/explanation/factor_terms.h"
#include "server/explanation/order_change.h"
#include "server/explanation/row_pick.h"
#include "server/priority/job.h"
#include "server/priority/ranking.h"
#include "server/priority/snapshot.h"
#include "server/priority/start_order.h"

namespace priorityd::explanation {

struct ComparedRow {
  priority::JobRow row;                 // With factors and contributions.
  bool ranked = false;                  // Has a place in the order.
  bool started = false;                 // Runs or is suspended.
  absl::string_view ineligible_reason;  // Empty = eligible, or started.
  std::string ineligible_message;
  // As FactorExplanation; in both rows the same names, unless one has none.
  std::vector<FactorExplanation> factors;
};

struct Comparison {
  // The job asked about, and the one it is compared to.
  std::array<ComparedRow, 2> rows;
  // Which of them comes first: the one that has a place, if the other has none; -1 =
  // neither has one.
  int first = -1;
  priority::OrderRule rule = priority::OrderRule::kNone;
  // In the order of `rows`. Unset where the two have one association, and where one
  // has none.
  std::optional<Branches> branches;
  // What would let the later one come first; empty with OrderRule::kNone. Where a rule
  // before the priority decides, none is possible.
  std::vector<OrderChange> changes;
  // The verdict, what makes the difference, and fair-share, most important first.
  std::vector<std::string> sentences;
};

struct CompareOptions {
  absl::Time as_of;
  RowPick job;         // Its field is called job_id in errors,
  RowPick compare_to;  // and that of this one compare_to.job_id.
  // For jobs that are a part of a queue only: that queue.
  const priority::WholeQueue* whole = nullptr;
};

// Compares two of `jobs`, which stand in the queue they make. Errors as those of
// PickRow, and INVALID_ARGUMENT when both are the same job.
absl::StatusOr<Comparison> Compare(const priority::Snapshot& snapshot,
                                   absl::Span<const priority::Job> jobs,
                                   const CompareOptions& options);

// `preemptor`, `reservation`, `priority_tier`, `priority`, `submit_time`,
// `job_id`; empty for kNone.
absl::string_view OrderRuleName(priority::OrderRule rule);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_COMPARISON_H_
