// The order in which the rows of a queue should start.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_START_ORDER_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_START_ORDER_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// The ordering rules of docs/semantics.md, section 6; the first one that differs decides.
enum class OrderRule {
  kNone,  // At least one of the two has no place in the order.
  kPreemptor,
  kReservation,
  kPriorityTier,
  kPriority,
  kSubmitTime,
  kJobId,
};
inline constexpr size_t kOrderRules = 7;

// Consecutive jobs of a table: [begin, end).
struct JobRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// A bound on the place of a set of rows: none of them precedes a row with this key and submit time.
// The smaller bound starts first; the default value is that of an empty set.
struct RowBound {
  uint64_t key = UINT64_MAX;  // As in FirstRows::Row.
  int64_t submit_us = INT64_MAX;

  friend auto operator<=>(const RowBound&, const RowBound&) = default;
};

// Orders the rows of `table` that can start at `as_of` (docs/semantics.md, section 6, "Order"). All
// arguments must outlive it. Thread-compatible.
class StartOrder {
 public:
  // The input of rule 3: for each partition the rank of its PriorityTier among all tiers; the first
  // entry is for no partition.
  class Tiers {
   public:
    explicit Tiers(absl::Span<const Partition> partitions);
    // The rank, shifted to its bits of a key. `partition` may be -1.
    uint64_t Bits(int partition) const { return bits_[partition + 1]; }

   private:
    std::vector<uint64_t> bits_;
  };

  // `priorities`: the result of Score. `wanted`, by row: rows with 0 are left out; empty = no row
  // is left out.
  StartOrder(const Snapshot& snapshot, const JobTable& table, absl::Span<const uint32_t> priorities,
             absl::Time as_of, absl::Span<const uint8_t> wanted = {});
  // The same for some jobs of one of many tables. Reads nothing of the rows of other jobs.
  StartOrder(std::shared_ptr<const Tiers> tiers, const JobTable& table, JobRange jobs,
             absl::Span<const uint32_t> priorities, absl::Time as_of,
             absl::Span<const uint8_t> wanted);

  // The sort key of a row with this priority by rules 1 to 4; the smaller starts first.
  static uint64_t KeyOf(const Tiers& tiers, const JobTable& table, size_t row, uint32_t priority);

  // Whether the row has a place in the order.
  bool Ranked(size_t row) const {
    return table_.reason[row] == Reason::kNone && !table_.Running(row) &&
           table_.BegunAt(row, as_of_us_) && table_.OpenAt(row, as_of_us_) &&
           (wanted_.empty() || wanted_[row] != 0);
  }
  // Whether the row is the first of its job. REQUIRES: Ranked(row).
  bool BestOfJob(size_t row) const {
    return table_.one_row_each || best_row_[table_.job[row] - jobs_.begin] == row;
  }
  // A total order of rows.
  bool Before(uint32_t a, uint32_t b) const { return Before(a, *this, b); }
  // The same for a row `b` of `other`, which may be of another table.
  bool Before(uint32_t a, const StartOrder& other, uint32_t b) const;

  // The rule that decides between two ranked rows, `a` of this order and `b` of `other`.
  OrderRule RuleBetween(uint32_t a, const StartOrder& other, uint32_t b) const;

  // The first `limit` ranked rows in order; with `best_only`, only the best row of each job. If
  // `total` is not null, it receives their number without the limit. Takes linear time in the
  // number of rows for small limits.
  std::vector<uint32_t> Top(size_t limit, bool best_only, size_t* total = nullptr) const;

 private:
  friend class FirstRows;

  uint64_t Key(size_t row) const { return KeyOf(*tiers_, table_, row, priorities_[row]); }
  void FindBestRows();

  const JobTable& table_;
  const JobRange jobs_;
  absl::Span<const uint32_t> priorities_;
  absl::Span<const uint8_t> wanted_;
  int64_t as_of_us_;
  std::shared_ptr<const Tiers> tiers_;
  std::vector<uint32_t> best_row_;  // By job of jobs_; empty if each has one row.
};

// Collects the first rows of many tables in start order. Takes linear time in the number of rows
// for small limits. Thread-compatible.
class FirstRows {
 public:
  struct Row {
    uint64_t key;  // Rules 1 to 4; the smaller starts first.
    uint32_t table;
    uint32_t row;

    uint32_t priority() const { return ~static_cast<uint32_t>(key); }
  };

  // With `best_only`, collects only the best row of each job. `rows`: an upper bound on the rows of
  // all tables.
  FirstRows(size_t limit, bool best_only, size_t rows);

  // Adds the rows of an order. Its table must outlive this object and is called `table` in the
  // result.
  void Add(uint32_t table, const StartOrder& order);
  // Whether rows with this bound can no longer be among the first.
  bool Closed(const RowBound& bound);

  // The number of rows added, without the limit.
  size_t total() const { return total_; }
  // The first rows in order. Call once.
  std::vector<Row> Take() &&;

 private:
  friend class StartOrder;

  static bool Before(const JobTable& table_a, const Row& a, const JobTable& table_b, const Row& b);
  bool Before(const Row& a, const Row& b) const {
    return Before(*tables_[a.table], a, *tables_[b.table], b);
  }
  absl::string_view JobId(const Row& row) const;
  // Sorts all rows.
  void Sort();
  // Sorts a run of rows with equal keys by rules 5 and 6.
  void SortTies(absl::Span<Row> run) const;
  // Drops all rows but the first `limit_`, unsorted. REQUIRES: there are at least as many.
  void Keep();

  const size_t limit_;
  const bool best_only_;
  // When this many rows are collected, they are cut to the limit.
  const size_t capacity_;
  std::vector<const JobTable*> tables_;
  std::vector<Row> rows_;
  // The bound of the last row that was kept; rows after it are skipped.
  RowBound last_;
  bool kept_ = false;
  size_t total_ = 0;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_START_ORDER_H_
