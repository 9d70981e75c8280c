// The order in which the rows of a queue should start.
#ifndef PRIORITYD_SERVER_PRIORITY_START_ORDER_H_
#define PRIORITYD_SERVER_PRIORITY_START_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/job_table.h"
#include "server/priority/snapshot.h"

namespace priorityd {

// Orders the rows of `table` that can start at `as_of` (docs/semantics.md,
// section 6, "Order"). Everything given must outlive it. Thread-compatible.
class StartOrder {
 public:
  // `priorities` as Score made them. `wanted`, by row, leaves out rows with 0;
  // empty = all are wanted.
  StartOrder(const Snapshot& snapshot, const JobTable& table, absl::Span<const uint32_t> priorities,
             absl::Time as_of, absl::Span<const uint8_t> wanted = {});

  // Whether the row has a place in the order.
  bool Ranked(size_t row) const {
    return table_.reason[row] == Reason::kNone && !table_.Running(row) &&
           table_.BegunAt(row, as_of_us_) && (wanted_.empty() || wanted_[row] != 0);
  }
  // Whether the row is the first of its job. REQUIRES: Ranked(row).
  bool BestOfJob(size_t row) const {
    return table_.one_row_each || best_row_[table_.job[row]] == row;
  }
  // A total order of rows.
  bool Before(uint32_t a, uint32_t b) const;

  // The first `limit` ranked rows (with `best_only` of those that are the best
  // of their job), in order; `total`, if not null, gets how many there are
  // without the limit. Linear in the rows while the limit is small.
  std::vector<uint32_t> Top(size_t limit, bool best_only, size_t* total = nullptr) const;

 private:
  struct KeyedRow {
    uint64_t key;
    uint32_t row;
  };

  // Rules 1 to 4; the smaller starts first.
  uint64_t Key(size_t row) const;
  bool KeyedBefore(const KeyedRow& a, const KeyedRow& b) const;
  void FindBestRows();
  // Sorts all of `rows`.
  void Sort(std::vector<KeyedRow>& rows) const;
  // Sorts a run of rows of one key by rules 5 and 6.
  void SortTies(absl::Span<KeyedRow> run) const;
  // Leaves the first `limit` of `rows`, unsorted.
  void Keep(size_t limit, std::vector<KeyedRow>& rows) const;

  const JobTable& table_;
  absl::Span<const uint32_t> priorities_;
  absl::Span<const uint8_t> wanted_;
  int64_t as_of_us_;
  // By partition + 1: the rank of its PriorityTier among all tiers, in place.
  std::vector<uint64_t> tier_bits_;
  std::vector<uint32_t> best_row_;  // By job; empty when each has one row.
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_PRIORITY_START_ORDER_H_
