// The usage of one owner of grants, by periods.
#ifndef PRIORITYD_SERVER_GRANTS_POOL_USAGE_H_
#define PRIORITYD_SERVER_GRANTS_POOL_USAGE_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/amount.h"
#include "engine/grants/balance.h"

namespace priorityd::grants {

// Consecutive periods, of which the last one ends at InfiniteFuture(). Usage before the first one
// is not kept. All arithmetic is exact, so that usage can be taken out again.
class PoolUsage {
 public:
  PoolUsage() = default;
  // REQUIRES: as above, or empty.
  explicit PoolUsage(std::vector<Period> periods) : periods_(std::move(periods)) {}

  const std::vector<Period>& periods() const { return periods_; }

  // Whether the periods may be others than when it was made, or than at MarkStored.
  bool may_differ() const { return may_differ_; }
  void MarkStored() { may_differ_ = false; }

  // Adds `rate` from `start` to `end`; takes it out if `there` is false.
  void Add(double rate, absl::Time start, absl::Time end, bool there) {
    AddRate(RateOf(rate), start, end, there);
  }
  void AddRate(Rate rate, absl::Time start, absl::Time end, bool there);

  // Makes a period begin at each of `boundaries`, which are ascending, if that is possible without
  // the ledger; else returns the time from which the ledger must be read: pass it to Cut.
  std::optional<absl::Time> Divide(absl::Span<const absl::Time> boundaries);

  // Drops the periods that end at or before `time`.
  void Forget(absl::Time time);

  // Makes a period begin at `from` and at each of `boundaries` from there on, all without usage.
  // Then add what the ledger has from `from` on, and call Join.
  void Cut(absl::Time from, absl::Span<const absl::Time> boundaries);
  // Takes what was added since Cut out of the period before it.
  void Join();

 private:
  // The period that has `time`; periods_.end() = it is before the first one.
  std::vector<Period>::iterator Find(absl::Time time);

  std::vector<Period> periods_;
  bool may_differ_ = false;
  absl::Time cut_;      // Of the last Cut.
  Amount before_join_;  // The usage from the period before `cut_` on, when it was cut.
};

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_POOL_USAGE_H_
