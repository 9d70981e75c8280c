// The sums over the jobs of a queue that features are made from.
#ifndef PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_
#define PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  double work = 0;           // CPUs x time limit.
  double expected_work = 0;  // CPUs x expected run time.
  double widest = 0;         // The most CPUs of one.
  std::optional<size_t> oldest;
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

// Each sum is that of one walk over the jobs by their places, to the bit. A walk is kept, and
// continues with the jobs that were added since; it begins again after a job that it has seen was
// removed. So n jobs that are added, with a question about one of k kinds (CPUs, time limit) before
// each, take n x k steps instead of n x n.
//
// Memory: 24 bytes for each job, and 100 for each of kMostKinds.
//
// Not thread-safe.
class QueuedJobs {
 public:
  static constexpr size_t kMostKinds = 2'000;

  void Add(const QueuedJob& job) { jobs_.push_back(job); }
  // The last job takes its place. REQUIRES: below size().
  void Remove(size_t place);

  size_t size() const { return jobs_.size(); }
  const QueuedJob& at(size_t place) const { return jobs_[place]; }

  QueueSums All();
  SmallerSums NoLargerThan(double cpus, double limit);
  // How many have more CPUs.
  size_t LargerThan(double cpus);

 private:
  // As of the first `seen` jobs.
  template <typename Sums>
  struct Walk {
    size_t seen = 0;
    Sums sums{};
  };
  // Continues a walk to the last job: `add` adds a job at a place to the sums.
  template <typename Sums, typename AddTo>
  const Sums& Continue(Walk<Sums>* walk, const AddTo& add) const;

  std::vector<QueuedJob> jobs_;
  Walk<QueueSums> all_;
  absl::flat_hash_map<std::pair<double, double>, Walk<SmallerSums>> smaller_;
  double larger_than_ = 0;  // Of `larger_`.
  Walk<size_t> larger_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_QUEUED_JOBS_H_
