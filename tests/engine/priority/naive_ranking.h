// Ranking a second time: slowly, straight from the prose of docs/semantics.md,
// sections 2 and 6. Shares nothing with the engine but its inputs, the
// fair-share factors and the billing arithmetic.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_RANKING_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_RANKING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// One row of an answer, in words.
struct NaiveRow {
  std::string job_id;
  std::string partition;
  std::string qos;
  std::string reason;  // Of ineligible ones.
  std::optional<uint32_t> priority;
  bool best_of_job = false;

  friend bool operator==(const NaiveRow&, const NaiveRow&) = default;
};

struct NaiveRanking {
  std::vector<NaiveRow> ranked;
  std::vector<NaiveRow> ineligible;
  std::vector<NaiveRow> running;
  size_t ranked_total = 0;
  size_t ineligible_total = 0;
};

// What stands before the ranked row of that place (from 0, of all rows): by rule, and
// where that is the priority by the term that adds most to the difference.
struct NaiveAhead {
  std::map<std::string, uint32_t> rows;
  bool close = false;  // Two terms added as much as each other, but for rounding.
};
NaiveAhead NaiveRowsAhead(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of,
                          size_t place);

NaiveRanking NaiveRank(const Snapshot& snapshot, absl::Span<const Job> jobs,
                       const RankOptions& options);

std::ostream& operator<<(std::ostream& out, const NaiveRow& row);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_RANKING_H_
