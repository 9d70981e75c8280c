// What jobs take up of the limits that count them together.
#ifndef PRIORITYD_SERVER_PRIORITY_LIMIT_COUNTS_H_
#define PRIORITYD_SERVER_PRIORITY_LIMIT_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "server/priority/limits.h"

namespace priorityd::priority {

// What one job adds.
struct CountedJob {
  AssociationIndex association = kNoAssociation;
  QosOrder qos;
  double jobs = 0;                // Array tasks count singly.
  bool running = false;           // Else it counts as submitted alone.
  double seconds = 0;             // It may run still, times its UsageFactor.
  absl::Span<const double> tres;  // Counts, by index into Limits::tres().
};

// Sums by counter of Limits. A copy shares what it does not change, so a copy and a change of it
// take microseconds, whatever is counted; what has been copied must not change any more. Empty when
// default-constructed. Thread-compatible.
class LimitCounts {
 public:
  LimitCounts() = default;
  explicit LimitCounts(const Limits& limits);
  LimitCounts(const LimitCounts& other);
  LimitCounts& operator=(const LimitCounts& other) { return *this = LimitCounts(other); }
  LimitCounts(LimitCounts&&) = default;
  LimitCounts& operator=(LimitCounts&&) = default;

  // Adds the job, or (`there` false) takes it away.
  void Count(const Limits& limits, const CountedJob& job, bool there);

  // Jobs that run or wait, and those that run.
  double submitted(int32_t counter) const { return At(counter, kSubmitted); }
  double jobs(int32_t counter) const { return At(counter, kJobs); }
  // What running jobs have, and may still use; `tres` = Limit::kNoTres: seconds.
  double tres(int32_t counter, int tres) const { return At(counter, kColumns + tres); }
  double seconds(int32_t counter, int tres) const {
    return At(counter, tres < 0 ? kSeconds : kColumns + tres_ + tres);
  }

  // What running jobs add to that limit, by its measure; 0 for a limit of one job alone.
  double Running(const Limits& limits, const Limit& limit, AssociationIndex association) const;

 private:
  enum Column : size_t { kSubmitted, kJobs, kSeconds, kColumns };
  static constexpr size_t kBlock = 64;  // Counters.
  using Block = std::vector<double>;

  double At(int32_t counter, size_t column) const {
    const Block* block = blocks_[counter / kBlock].get();
    return block == nullptr ? 0 : (*block)[(counter % kBlock) * width_ + column];
  }
  // The counter's columns, in a block that no copy shares.
  double* Own(int32_t counter);

  size_t tres_ = 0;
  size_t width_ = 0;
  std::vector<std::shared_ptr<Block>> blocks_;  // Null = all 0.
  std::vector<uint8_t> own_;                    // By block: no copy shares it.
  std::vector<int32_t> counters_;               // Of the job being counted.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_LIMIT_COUNTS_H_
