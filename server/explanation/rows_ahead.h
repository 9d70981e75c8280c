// What stands before a row in the start order, counted by what puts it there.
#ifndef PRIORITYD_SERVER_EXPLANATION_ROWS_AHEAD_H_
#define PRIORITYD_SERVER_EXPLANATION_ROWS_AHEAD_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/scoring.h"
#include "server/priority/start_order.h"

namespace priorityd::explanation {

struct RowsAhead {
  priority::OrderRule rule =
      priority::OrderRule::kNone;  // The first in which they differ from the row.
  // For kPriority: the term that adds most to the difference, of equals the first in
  // the order of Term; else empty. Static storage.
  absl::string_view factor;
  uint32_t rows = 0;

  friend bool operator==(const RowsAhead&, const RowsAhead&) = default;
};

// Thread-compatible.
class AheadCount {
 public:
  // The terms of the row asked about.
  explicit AheadCount(const priority::RowTerms& own) : own_(own) {}

  // Of a row that comes first by this rule. REQUIRES: not kNone, not kPriority.
  void Add(priority::OrderRule rule) { ++by_rule_[static_cast<size_t>(rule)]; }
  // Of one that comes first by its priority.
  void AddByPriority(const priority::RowTerms& terms);

  uint32_t total() const;
  // Most rows first.
  std::vector<RowsAhead> Take() const;

 private:
  const priority::RowTerms own_;
  std::array<uint32_t, priority::kOrderRules> by_rule_{};
  std::array<uint32_t, priority::kTerms> by_term_{};
};

// `30 by fair-share, 9 by age, 2 by partition tier`.
std::string AheadText(absl::Span<const RowsAhead> ahead);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_ROWS_AHEAD_H_
