// The jobs of one user with one name, for singleton.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_NAMESAKES_H_
#define PRIORITYD_SERVER_QUEUE_STATE_NAMESAKES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The place of a job among its namesakes, by its submission and, at the same time, by its id.
struct SubmitPlace {
  absl::Time submit_time;
  std::string job_id;

  static SubmitPlace Of(const TrackedJob& job);
  bool operator<(const SubmitPlace& other) const;
};

// The jobs of one user and name that have not ended.
class Namesakes {
 public:
  // Adds a job or removes it. REQUIRES: it has not ended.
  void Enter(const TrackedJob& job, bool there);

  bool empty() const { return waiting_.empty() && running_.empty(); }
  const absl::btree_set<SubmitPlace>& waiting() const { return waiting_; }
  // Running or suspended.
  const absl::btree_set<std::string>& running() const { return running_; }

 private:
  absl::btree_set<SubmitPlace> waiting_;
  absl::btree_set<std::string> running_;
};

// The namesakes that decide for all of them whether singleton is met: the first one that waits, and
// two of those that run.
class Foremost {
 public:
  Foremost() = default;
  explicit Foremost(const Namesakes& namesakes);

  // Of the namesakes after a change. `joined`: changed jobs that may be new among them.
  // `is_changed`: whether a job is among those that the change may concern; `find_namesake`: a
  // changed job as it is then, nullopt if it is no namesake any more or has ended. Each is called
  // at most once for a job that has not changed, however many namesakes there are.
  Foremost(const Namesakes& before, absl::Span<const std::string> joined,
           absl::FunctionRef<bool(absl::string_view job_id)> is_changed,
           absl::FunctionRef<std::optional<TrackedJob>(absl::string_view job_id)> find_namesake);

  // Whether no other one runs, and none that waits was submitted before `job`.
  bool IsAlone(const TrackedJob& job) const;
  // All ids. A singleton that is not among them is not met.
  std::vector<std::string> ids() const;

 private:
  void Add(const TrackedJob& job);
  void AddWaiting(const SubmitPlace& place);
  void AddRunning(absl::string_view job_id);
  bool knows_running() const { return running_.size() == 2; }

  std::optional<SubmitPlace> first_;
  std::vector<std::string> running_;  // At most two: another one than any job.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_NAMESAKES_H_
