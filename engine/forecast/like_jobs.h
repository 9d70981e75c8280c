// Statistics of the jobs that have something in common, such as their user.
#ifndef PRIORITYD_ENGINE_FORECAST_LIKE_JOBS_H_
#define PRIORITYD_ENGINE_FORECAST_LIKE_JOBS_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/forecast/features.h"
#include "engine/forecast/job.h"

namespace priorityd::forecast {

// The last eight numbers.
class LastEight {
 public:
  void Add(float value);
  // kMissing without any.
  float Last() const;
  float Mean() const;
  float Greatest() const;
  // Of the last two, or of the only one.
  float MeanOfTwo() const;

 private:
  static constexpr size_t kCount = 8;
  // 0 = the newest. REQUIRES: below `count_`.
  float At(size_t age) const { return values_[(next_ + kCount - 1 - age) % kCount]; }

  std::array<float, kCount> values_{};
  size_t count_ = 0;
  size_t next_ = 0;
};

// Memory: 250 bytes, and 16 for each job that waits.
class LikeJobs {
 public:
  void Submit(double cpus, Seconds time);
  // A job runs that was not known to wait.
  void Run(double cpus, Seconds time);
  void Start(double cpus, Seconds submit_time, Seconds time);
  void Cancel(double cpus, Seconds submit_time);
  // `limit`: 0 = none.
  void End(double cpus, double run_time, double limit, Seconds time);

  size_t waiting() const { return waiting_.size(); }
  double waiting_cpus() const { return waiting_cpus_; }
  size_t running() const { return running_; }
  double running_cpus() const { return running_cpus_; }
  // Seconds; kMissing if none waits.
  float OldestAge(Seconds now) const;
  float MeanAge(Seconds now) const;
  // Seconds; kMissing if there was none.
  float SinceStart(Seconds now) const;
  float SinceSubmission(Seconds now) const;
  const LastEight& waits() const { return waits_; }          // On the scale of ToScale.
  const LastEight& run_times() const { return run_times_; }  // Seconds.
  const LastEight& limit_use() const { return limit_use_; }  // Run times by time limits.
  // CPU seconds; a second counts half after five days.
  double Usage(Seconds now) const;

  bool idle() const { return waiting_.empty() && running_ == 0; }
  Seconds last_event() const { return last_event_; }
  // A new policy: what was before says little.
  void ForgetWaits();

 private:
  void Leave(double cpus, Seconds submit_time);

  absl::btree_multiset<Seconds> waiting_;  // Submit times.
  double waiting_cpus_ = 0;
  double submit_times_ = 0;  // The sum of `waiting_`.
  size_t running_ = 0;
  double running_cpus_ = 0;
  LastEight waits_;
  LastEight run_times_;
  LastEight limit_use_;
  double usage_ = 0;  // At `usage_time_`.
  Seconds usage_time_ = 0;
  Seconds last_start_ = -1;  // -1 = none.
  Seconds last_submission_ = -1;
  Seconds last_event_ = 0;
};

// LikeJobs by name. Of more than `most` names, those without jobs that had the oldest events are
// forgotten.
class LikeJobsByName {
 public:
  explicit LikeJobsByName(size_t most) : most_(most) {}

  // Valid until a later call of Get while nothing waits or runs there.
  LikeJobs* Get(absl::string_view name);
  // Without jobs for an unknown name.
  const LikeJobs& Find(absl::string_view name) const;
  void ForgetWaits();
  size_t size() const { return by_name_.size(); }

 private:
  void ForgetOldest();

  size_t most_;
  size_t look_at_ = most_;  // At so many names, for some to forget.
  absl::flat_hash_map<std::string, std::unique_ptr<LikeJobs>> by_name_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_LIKE_JOBS_H_
