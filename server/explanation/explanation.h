// Why a job has the priority it has.
#ifndef PRIORITYD_SERVER_EXPLANATION_EXPLANATION_H_
#define PRIORITYD_SERVER_EXPLANATION_EXPLANATION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/explanation/factor_terms.h"
#include "server/explanation/rows_ahead.h"
#include "server/priority/association_tree.h"
#include "server/priority/billing.h"
#include "server/priority/job.h"
#include "server/priority/ranking.h"
#include "server/priority/scored_queue.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

struct Explanation {
  priority::JobRow row;  // With factors and contributions.
  uint32_t rank = 0;     // 0 = not ranked.
  size_t ranked_total = 0;
  std::vector<RowsAhead> ahead;         // Most rows first; all together rank - 1.
  absl::string_view ineligible_reason;  // Empty = eligible.
  std::string ineligible_message;
  std::vector<FactorExplanation> factors;
  double sum = 0;                                           // Before truncation and clamping.
  std::vector<priority::AssociationIndex> fair_share_path;  // Root to the job's association.
  priority::BillingRule billing_rule = priority::BillingRule::kCpu;
  std::vector<priority::BillingTerm> billing_terms;
  double billing = 0;
  double usage_factor = 1;
  std::vector<std::string> sentences;  // Most important first.
};

// Where a row stands in the start order.
struct QueuePlace {
  uint32_t rank = 0;  // From 1; 0 = it is not ranked.
  size_t ranked_total = 0;
  std::vector<RowsAhead> ahead;  // As in Explanation.
};

struct ExplainOptions {
  absl::Time as_of;
  absl::string_view job_id;     // May be empty when there is one job.
  absl::string_view partition;  // Picks a pair; empty = that of the best row.
  absl::string_view qos;
  // For jobs that are a part of a queue only: that queue, and the place in it of a
  // row of the only job.
  const priority::WholeQueue* whole = nullptr;
  std::function<QueuePlace(uint32_t row)> place = nullptr;
};

// Explains one of `jobs`, which stands in the queue they make.
// NOT_FOUND: no such job, or not in that partition or QOS. INVALID_ARGUMENT: no
// job_id while there are several jobs.
absl::StatusOr<Explanation> Explain(const priority::Snapshot& snapshot,
                                    absl::Span<const priority::Job> jobs,
                                    const ExplainOptions& options);

// An association's place among its fair-share siblings, best first, from 1;
// equals share the better place. {0, count} for those that have no place.
struct SiblingRank {
  int rank = 0;
  int count = 0;
};
SiblingRank RankAmongSiblings(const priority::Snapshot& snapshot,
                              priority::AssociationIndex association);

// The same for all associations at once, by AssociationIndex.
std::vector<SiblingRank> RankAllSiblings(const priority::Snapshot& snapshot);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_EXPLANATION_H_
