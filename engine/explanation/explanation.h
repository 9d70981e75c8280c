// The reasons for the priority of a job.
#ifndef PRIORITYD_ENGINE_EXPLANATION_EXPLANATION_H_
#define PRIORITYD_ENGINE_EXPLANATION_EXPLANATION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/explanation/factor_terms.h"
#include "engine/explanation/rows_ahead.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

struct Explanation {
  priority::JobRow row;  // With factors and contributions.
  // False for a job of an unknown user, QOS or partition: it has no place, factors or billing.
  bool resolved = false;
  uint32_t rank = 0;  // 0 = not ranked.
  size_t ranked_total = 0;
  std::vector<RowsAhead> ahead;         // Most rows first; rank - 1 rows in total.
  absl::string_view ineligible_reason;  // Empty = eligible.
  std::string ineligible_message;
  std::string ineligible_advice;
  std::vector<FactorExplanation> factors;
  double sum = 0;  // Before truncation and clamping.
  std::vector<priority::AssociationIndex>
      fair_share_path;  // Root to the job's association; empty in a member of a domain.
  priority::BillingRule billing_rule = priority::BillingRule::kCpu;
  std::vector<priority::BillingTerm> billing_terms;
  double billing = 0;
  double usage_factor = 1;
  std::vector<std::string> sentences;  // Most important first.
};

// The place of a row in the start order.
struct QueuePlace {
  uint32_t rank = 0;  // From 1; 0 = not ranked.
  size_t ranked_total = 0;
  std::vector<RowsAhead> ahead;  // As in Explanation.
};

struct ExplainOptions {
  absl::Time as_of;
  absl::string_view job_id;     // May be empty if there is only one job.
  absl::string_view partition;  // Selects a pair; empty = that of the best row.
  absl::string_view qos;
  // If the only job is a part of a queue: that queue, and a function that returns the place of a
  // row of the job in it.
  const priority::WholeQueue* whole = nullptr;
  std::function<QueuePlace(uint32_t row)> place = nullptr;
};

// Explains one of `jobs` within the queue of all of them. NOT_FOUND: no such job, or not in that
// partition or QOS. INVALID_ARGUMENT: no job_id with several jobs.
absl::StatusOr<Explanation> Explain(const priority::Snapshot& snapshot,
                                    absl::Span<const priority::Job> jobs,
                                    const ExplainOptions& options);

// The place of an association among its fair-share siblings, best first, from 1; equal siblings
// share the better place. {0, count} if it has no place.
struct SiblingRank {
  int rank = 0;
  int count = 0;
};
SiblingRank RankAmongSiblings(const priority::Snapshot& snapshot,
                              priority::AssociationIndex association);

// The same for all associations at once, by AssociationIndex.
std::vector<SiblingRank> RankAllSiblings(const priority::Snapshot& snapshot);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_EXPLANATION_H_
