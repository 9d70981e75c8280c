// The order of two jobs, and the reasons for it.
#ifndef PRIORITYD_ENGINE_EXPLANATION_COMPARISON_H_
#define PRIORITYD_ENGINE_EXPLANATION_COMPARISON_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/explanation/branches.h"
#include "engine/explanation/factor_terms.h"
#include "engine/explanation/order_change.h"
#include "engine/explanation/row_pick.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/ranking/start_order.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

struct ComparedRow {
  priority::JobRow row;                 // With factors and contributions.
  bool ranked = false;                  // Has a place in the order.
  bool started = false;                 // Runs or is suspended.
  absl::string_view ineligible_reason;  // Empty = eligible, or started.
  std::string ineligible_message;
  // Both rows have the same names in the same order, unless one has no factors.
  std::vector<FactorExplanation> factors;
};

struct Comparison {
  // The job in question, and the job to which it is compared.
  std::array<ComparedRow, 2> rows;
  // Index of the row that comes first; a row with a place comes before one without. -1 = neither
  // has a place.
  int first = -1;
  priority::OrderRule rule = priority::OrderRule::kNone;
  // In the order of `rows`. Unset if both have the same association, or if one has none.
  std::optional<Branches> branches;
  // Changes that would let the later job come first; empty with OrderRule::kNone. If a rule before
  // the priority decides, none of them is possible.
  std::vector<OrderChange> changes;
  // The verdict, the differences and fair-share, most important first.
  std::vector<std::string> sentences;
};

struct CompareOptions {
  absl::Time as_of;
  RowPick job;         // Errors call its field job_id.
  RowPick compare_to;  // Errors call its field compare_to.job_id.
  // The queue of which the jobs are a part; null = they are the whole queue.
  const priority::WholeQueue* whole = nullptr;
};

// Compares two of `jobs` within the queue of all of them. Errors: those of PickRow, and
// INVALID_ARGUMENT if both are the same job.
absl::StatusOr<Comparison> Compare(const priority::Snapshot& snapshot,
                                   absl::Span<const priority::Job> jobs,
                                   const CompareOptions& options);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_COMPARISON_H_
