// The sums over the jobs of a queue that features are made from.
#ifndef PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_
#define PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/job.h"

namespace priorityd::forecast {

// A job that waits, as it is added up.
struct QueuedJob {
  float cpus = 0;
  float limit = 0;     // Seconds.
  float expected = 0;  // Run time, in seconds.
  Seconds submit_time = 0;
};

// Sums over all waiting jobs.
struct QueueSums {
  double cpus = 0;
  double work = 0;                  // CPUs x time limit.
  double expected_work = 0;         // CPUs x expected run time.
  double widest = 0;                // The most CPUs of one.
  std::optional<QueuedJob> oldest;  // Of one second the first that was added.
};

// Sums over the waiting jobs that are no larger than a given one.
struct SmallerSums {
  size_t narrower = 0;
  double narrower_cpus = 0;
  // No larger and no longer than the job.
  size_t smaller = 0;
  double smaller_work = 0;
  double smaller_expected_work = 0;
};

// Jobs in the order of their CPUs and time limits, cut into blocks that know their sums, and these
// into groups that know theirs. Of n jobs, a change takes kMostOfBlock steps. A question takes
// n / kMostOfBlock / kBlocksOfGroup more, and more than that only for groups and blocks in which
// some jobs are no longer than the job and others are. Sums follow from the calls alone, to the
// bit; those of whole numbers are exact below 2^53.
//
// Memory: 70 bytes for each job.
//
// Not thread-safe.
class QueuedJobs {
 public:
  static constexpr size_t kMostOfBlock = 1024;
  static constexpr size_t kBlocksOfGroup = 32;

  void Add(const QueuedJob& job);
  // The last job takes its place. REQUIRES: below size().
  void Remove(size_t place);

  size_t size() const { return keys_.size(); }

  QueueSums All() const;
  SmallerSums NoLargerThan(double cpus, double limit) const;
  // The number of jobs with more CPUs.
  size_t LargerThan(double cpus) const;

 private:
  // The order of the jobs.
  struct Key {
    float cpus = 0;
    float limit = 0;
    uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Numbered {
    QueuedJob job;
    uint64_t number = 0;  // Of the call of Add.
    // Up to and including this one in its block.
    double work = 0;
    double expected_work = 0;

    Key key() const { return {job.cpus, job.limit, number}; }
  };
  // Over the jobs of a block or of a group.
  struct Totals {
    size_t jobs = 0;
    Key first, last;                  // In the order of the jobs.
    float shortest = 0, longest = 0;  // Time limits.
    double cpus = 0;
    double work = 0;
    double expected_work = 0;
    QueuedJob oldest;
    uint64_t oldest_number = 0;

    void Add(const Totals& others);
  };
  struct Block {
    std::vector<Numbered> jobs;  // By time limit, then by number.
    Totals totals;

    void AddUp();
    void AddNoLargerTo(double cpus, double limit, SmallerSums* sums) const;
    size_t CountLarger(double cpus) const;
  };
  using Blocks = std::vector<Block>;

  // Adds them and returns true if all count, or none; false leaves the sums.
  static bool AddIfAlike(const Totals& totals, double cpus, double limit, SmallerSums* sums);

  // The block in whose range the key is, or could be.
  Blocks::iterator BlockOf(const Key& key);
  void Split(Blocks::iterator block);
  static size_t GroupOf(size_t block) { return block / kBlocksOfGroup; }
  absl::Span<const Block> BlocksOf(size_t group) const;
  void AddUpGroup(size_t group);
  // After a block was inserted or erased there.
  void AddUpGroupsFrom(size_t block);

  std::vector<Key> keys_;  // By place.
  Blocks blocks_;          // None is empty.
  std::vector<Totals> groups_;
  uint64_t added_ = 0;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_
