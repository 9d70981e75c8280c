// The sums over the jobs of a queue that features are made from.
#ifndef PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_
#define PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/forecast/job.h"

namespace priorityd::forecast {

// A job that waits, as it is added up.
struct QueuedJob {
  float cpus = 0;
  float limit = 0;     // Seconds.
  float expected = 0;  // Run time, in seconds.
  Seconds submit_time = 0;
};

// Over all that wait.
struct QueueSums {
  double cpus = 0;
  double work = 0;                  // CPUs x time limit.
  double expected_work = 0;         // CPUs x expected run time.
  double widest = 0;                // The most CPUs of one.
  std::optional<QueuedJob> oldest;  // Of one second the first that was added.
};

// Over those no larger than a job.
struct SmallerSums {
  size_t narrower = 0;
  double narrower_cpus = 0;
  // No larger and no longer than the job.
  size_t smaller = 0;
  double smaller_work = 0;
  double smaller_expected_work = 0;
};

// Jobs in the order of their CPUs, cut into blocks that know their sums. Of n jobs, a change takes
// kMostOfBlock steps and a question n / kMostOfBlock more, however many kinds of jobs there are.
// Sums follow from the calls alone, to the bit.
//
// Memory: 70 bytes for each job.
//
// Not thread-safe.
class QueuedJobs {
 public:
  static constexpr size_t kMostOfBlock = 1024;

  void Add(const QueuedJob& job);
  // The last job takes its place. REQUIRES: below size().
  void Remove(size_t place);

  size_t size() const { return keys_.size(); }

  QueueSums All() const;
  SmallerSums NoLargerThan(double cpus, double limit) const;
  // How many have more CPUs.
  size_t LargerThan(double cpus) const;

 private:
  // The order of the jobs: by CPUs, then by number.
  using Key = std::pair<float, uint64_t>;
  struct Numbered {
    QueuedJob job;
    uint64_t number = 0;  // Of the call of Add.
    // Up to and including this one in its block.
    double work = 0;
    double expected_work = 0;

    Key key() const { return {job.cpus, number}; }
  };
  struct Block {
    std::vector<Numbered> jobs;  // By time limit, then by number.
    Key first, last;             // Among them, in the order of the jobs.
    double cpus = 0;
    size_t oldest = 0;  // In `jobs`.

    void AddUp();
  };
  using Blocks = std::vector<Block>;

  // The block in whose range the key is, or could be.
  Blocks::iterator BlockOf(const Key& key);
  void Split(Blocks::iterator block);

  std::vector<Key> keys_;  // By place.
  Blocks blocks_;          // None is empty.
  uint64_t added_ = 0;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_
