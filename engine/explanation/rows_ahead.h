// Counts the rows ahead of a row in the start order by the cause of their place.
#ifndef PRIORITYD_ENGINE_EXPLANATION_ROWS_AHEAD_H_
#define PRIORITYD_ENGINE_EXPLANATION_ROWS_AHEAD_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/ranking/scoring.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::explanation {

struct RowsAhead {
  // The first rule in which they differ from the row.
  priority::OrderRule rule = priority::OrderRule::kNone;
  // For kPriority: the term with the largest difference, of equals the first in the order of Term;
  // else empty. Static storage.
  absl::string_view factor;
  uint32_t rows = 0;

  friend bool operator==(const RowsAhead&, const RowsAhead&) = default;
};

// Thread-compatible.
class AheadCount {
 public:
  // `own`: the terms of the row itself.
  explicit AheadCount(const priority::RowTerms& own) : own_(own) {}

  // Adds a row that is ahead by this rule. REQUIRES: not kNone, not kPriority.
  void Add(priority::OrderRule rule) { ++by_rule_[static_cast<size_t>(rule)]; }
  // Adds a row that is ahead by its priority.
  void AddByPriority(const priority::RowTerms& terms);

  uint32_t total() const;
  // The counts, largest first.
  std::vector<RowsAhead> Take() const;

 private:
  const priority::RowTerms own_;
  std::array<uint32_t, priority::kOrderRules> by_rule_{};
  std::array<uint32_t, priority::kTerms> by_term_{};
};

// `30 by fair-share, 9 by age, 2 by partition tier`.
std::string AheadText(absl::Span<const RowsAhead> ahead);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_ROWS_AHEAD_H_
