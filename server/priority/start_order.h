// The order in which the rows of a queue should start.
#ifndef PRIORITYD_SERVER_PRIORITY_START_ORDER_H_
#define PRIORITYD_SERVER_PRIORITY_START_ORDER_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/job_table.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

// The ordering rules of docs/semantics.md, section 6: the first difference decides.
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

// Jobs of a table, one after another.
struct JobRange {
  uint32_t begin = 0;
  uint32_t end = 0;  // The first behind them.
};

// Where rows stand in the order at best: none of them comes before one with this key and
// this submit time. The smaller starts first; the last value of all is for no rows.
struct RowBound {
  uint64_t key = UINT64_MAX;  // As FirstRows::Row's.
  int64_t submit_us = INT64_MAX;

  friend auto operator<=>(const RowBound&, const RowBound&) = default;
};

// Orders the rows of `table` that can start at `as_of` (docs/semantics.md,
// section 6, "Order"). Everything given must outlive it. Thread-compatible.
class StartOrder {
 public:
  // What rule 3 knows of the partitions: for each, after one for none, the rank of
  // its PriorityTier among all tiers.
  class Tiers {
   public:
    explicit Tiers(absl::Span<const Partition> partitions);
    // In its place within a key. `partition` may be -1.
    uint64_t Bits(int partition) const { return bits_[partition + 1]; }

   private:
    std::vector<uint64_t> bits_;
  };

  // `priorities` as Score made them. `wanted`, by row, leaves out rows with 0;
  // empty = all are wanted.
  StartOrder(const Snapshot& snapshot, const JobTable& table, absl::Span<const uint32_t> priorities,
             absl::Time as_of, absl::Span<const uint8_t> wanted = {});
  // The same for some jobs of one of many tables; of other jobs' rows, nothing that is given
  // is read.
  StartOrder(std::shared_ptr<const Tiers> tiers, const JobTable& table, JobRange jobs,
             absl::Span<const uint32_t> priorities, absl::Time as_of,
             absl::Span<const uint8_t> wanted);

  // The key of a row that has this priority: rules 1 to 4; the smaller starts first.
  static uint64_t KeyOf(const Tiers& tiers, const JobTable& table, size_t row, uint32_t priority);

  // Whether the row has a place in the order.
  bool Ranked(size_t row) const {
    return table_.reason[row] == Reason::kNone && !table_.Running(row) &&
           table_.BegunAt(row, as_of_us_) && (wanted_.empty() || wanted_[row] != 0);
  }
  // Whether the row is the first of its job. REQUIRES: Ranked(row).
  bool BestOfJob(size_t row) const {
    return table_.one_row_each || best_row_[table_.job[row] - jobs_.begin] == row;
  }
  // A total order of rows.
  bool Before(uint32_t a, uint32_t b) const { return Before(a, *this, b); }
  // The same for a row `b` of another table, or of this one.
  bool Before(uint32_t a, const StartOrder& other, uint32_t b) const;

  // The rule that decides between two ranked rows, `b` of another table or of this one.
  OrderRule RuleBetween(uint32_t a, const StartOrder& other, uint32_t b) const;

  // The first `limit` ranked rows (with `best_only` of those that are the best
  // of their job), in order; `total`, if not null, gets how many there are
  // without the limit. Linear in the rows while the limit is small.
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
  std::vector<uint32_t> best_row_;  // By job of jobs_; empty when each has one row.
};

// Gathers the first rows of many tables by that one order. Linear in the rows
// while the limit is small. Thread-compatible.
class FirstRows {
 public:
  struct Row {
    uint64_t key;  // Rules 1 to 4; the smaller starts first.
    uint32_t table;
    uint32_t row;

    uint32_t priority() const { return ~static_cast<uint32_t>(key); }
  };

  // With `best_only` only rows that are the best of their job. `rows`: how many
  // the tables have, at most.
  FirstRows(size_t limit, bool best_only, size_t rows);

  // Looks at the rows of an order. Its table, which must outlive this, is `table` in what
  // comes out.
  void Add(uint32_t table, const StartOrder& order);
  // Whether rows of this bound cannot be among the first any more.
  bool Closed(const RowBound& bound);

  // How many of the rows looked at there are without the limit.
  size_t total() const { return total_; }
  // In order. Call once.
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
  // Sorts a run of rows of one key by rules 5 and 6.
  void SortTies(absl::Span<Row> run) const;
  // Leaves the first rows up to the limit, unsorted. REQUIRES: there are as many.
  void Keep();

  const size_t limit_;
  const bool best_only_;
  // Rows are gathered up to it, then cut back to the limit.
  const size_t capacity_;
  std::vector<const JobTable*> tables_;
  std::vector<Row> rows_;
  // Of the last one that was kept: what is behind it need not be looked at.
  RowBound last_;
  bool kept_ = false;
  size_t total_ = 0;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_START_ORDER_H_
