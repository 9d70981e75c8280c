// The state of a queue, kept event by event, as features of a job.
#ifndef PRIORITYD_ENGINE_FORECAST_QUEUE_STATE_H_
#define PRIORITYD_ENGINE_FORECAST_QUEUE_STATE_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/forecast/features.h"
#include "engine/forecast/job.h"
#include "engine/forecast/like_jobs.h"
#include "engine/forecast/queued_jobs.h"
#include "engine/forecast/recent_times.h"
#include "engine/forecast/release_curve.h"

namespace priorityd::forecast {

class RowWriter;

// The probable remaining run time, in seconds, of a job that was expected to run for `expected` and
// has run for `age`. A job that has outlived its expected run time runs half as long again, up to
// its time limit.
double ExpectedRest(double expected, double limit, double age);

// The waiting jobs, the running jobs, and the last waits of users, accounts, partitions and shapes
// of jobs. A row knows the calls before it, and nothing else.
//
// Memory: about 1 kB for each job that waits or runs, and LikeJobs for kMostNames users, accounts,
// partitions, classes and shapes each; those of the oldest events are forgotten first.
//
// Not thread-safe.
class QueueState {
 public:
  static constexpr size_t kMostNames = 20'000;

  // `capacity`: CPUs of the cluster (nodes, where jobs count nodes). The greatest load so far
  // counts if it is more; 0 = not known.
  explicit QueueState(double capacity = 0);

  void SetCapacity(double capacity) { capacity_ = capacity; }

  // The row of a job that is submitted at `now`. Not before that of an earlier row or event, or the
  // ages of jobs are rounded to 0.
  Row MakeRow(const Job& job, Seconds now);

  // A job waits. False: such an id waits or runs already, or the job is not IsCountable.
  bool Submit(const Job& job);
  // A job runs that was not known to wait, since its submit time. False: as Submit.
  bool Run(const Job& job);
  // These return false for an id that does not wait (End: does not run).
  bool Start(absl::string_view id, Seconds time);
  bool Cancel(absl::string_view id);
  bool End(absl::string_view id, Seconds time);

  size_t waiting() const { return queue_.size(); }
  size_t running() const { return running_.size(); }

  // The probable run time of a job, in seconds, at least 1: the mean of the last two runs of the
  // same user, size and limit; without any the user's use of limits; never above the limit.
  double ExpectedRunTime(const Job& job) const;

  // A new policy: forgets waits and starts. Waiting and running jobs stay.
  void ForgetWaits();

 private:
  // The property in which jobs are alike.
  enum Kind { kUser, kAccount, kPartition, kShape, kClass, kAll };
  static constexpr size_t kKinds = kAll + 1;

  struct Known {
    std::string id;
    double cpus = 0;
    double limit = 0;
    double expected = 0;
    Seconds submit_time = 0;
    Seconds start_time = 0;  // Of a running job.
    std::array<LikeJobs*, kKinds> like{};
  };
  // The sums over the waiting jobs, as of a job.
  struct Ahead {
    QueueSums all;
    SmallerSums smaller;
    size_t blocked = 0;  // Larger than the free CPUs.
  };

  static std::string NameOf(Kind kind, const Job& job);
  Ahead AheadOf(const Job& job);
  // Parts of a row.
  void WriteQueue(const Job& job, const Ahead& ahead, Seconds now, RowWriter& write) const;
  void WriteMachine(const Job& job, const Ahead& ahead, RowWriter& write) const;
  void WriteFlow(Seconds now, RowWriter& write) const;
  void WriteLikeJobs(const Job& job, Seconds now, RowWriter& write) const;
  // Of the running jobs by time limits and by expected run times.
  void UpdateCurves(Seconds now);
  double Capacity() const;
  void RemoveQueued(size_t place);
  // Whether a job of that kind may be added.
  bool IsNew(const Job& job) const;
  Known KnownOf(const Job& job);
  void AddRunning(Known job);

  double capacity_ = 0;
  double greatest_load_ = 0;
  double load_ = 0;
  QueuedJobs queue_;
  std::vector<Known> waiting_;  // Beside queue_.
  std::vector<Known> running_;
  absl::flat_hash_map<std::string, size_t> waiting_place_;  // Of waiting_, by id.
  absl::flat_hash_map<std::string, size_t> running_place_;
  std::vector<LikeJobsByName> like_;  // By kind.
  RecentTimes starts_;
  RecentTimes submissions_;
  RecentTimes ends_;
  // As of `curves_time_`, if they are `curves_fresh_`.
  ReleaseCurve by_limits_;
  ReleaseCurve by_expected_;
  Seconds curves_time_ = 0;
  bool curves_fresh_ = false;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_QUEUE_STATE_H_
