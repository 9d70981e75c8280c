// The sums over jobs that shared limits are compared with.
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_COUNTS_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/limits/limits.h"

namespace priorityd::priority {

// The contribution of one job.
struct CountedJob {
  AssociationIndex association = kNoAssociation;
  QosOrder qos;
  double jobs = 0;                // Array tasks count one by one.
  bool running = false;           // False = it counts as submitted only.
  double seconds = 0;             // The rest of its time limit, times UsageFactor.
  double priced_seconds = 0;      // Without UsageFactor, as money counts.
  absl::Span<const double> tres;  // Counts, by index into Limits::tres().
};

// Sums by counter of Limits. Copy-on-write: copying and changing the copy takes microseconds for
// any number of jobs; an object that has been copied must not be changed. Empty if
// default-constructed. Thread-compatible.
class LimitCounts {
 public:
  LimitCounts() = default;
  explicit LimitCounts(const Limits& limits);
  LimitCounts(const LimitCounts& other);
  LimitCounts& operator=(const LimitCounts& other) { return *this = LimitCounts(other); }
  LimitCounts(LimitCounts&&) = default;
  LimitCounts& operator=(LimitCounts&&) = default;

  // Adds the job; subtracts it if `there` is false.
  void Count(const Limits& limits, const CountedJob& job, bool there);

  // The number of pending and running jobs; of running jobs.
  double submitted(int32_t counter) const { return At(counter, kSubmitted); }
  double jobs(int32_t counter) const { return At(counter, kJobs); }
  // The TRES count of running jobs; the TRES-seconds that they may still use (`tres` =
  // Limit::kNoTres: seconds).
  double tres(int32_t counter, int tres) const { return At(counter, kColumns + tres); }
  double seconds(int32_t counter, int tres) const {
    return At(counter, tres < 0 ? kSeconds : kColumns + tres_ + tres);
  }

  // The sum over running jobs that counts against `limit`, in its measure; 0 for a limit per job.
  double Running(const Limits& limits, const Limit& limit, AssociationIndex association) const;

 private:
  enum Column : size_t { kSubmitted, kJobs, kSeconds, kColumns };
  static constexpr size_t kBlock = 64;  // Counters.
  using Block = std::vector<double>;

  double At(int32_t counter, size_t column) const {
    const Block* block = blocks_[counter / kBlock].get();
    return block == nullptr ? 0 : (*block)[(counter % kBlock) * width_ + column];
  }
  // The columns of the counter, in a block that no copy shares.
  double* Own(int32_t counter);

  size_t tres_ = 0;
  size_t width_ = 0;
  std::vector<std::shared_ptr<Block>> blocks_;  // Null = all 0.
  std::vector<uint8_t> own_;                    // By block: no copy shares it.
  std::vector<int32_t> counters_;               // Of the job being counted.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_COUNTS_H_
