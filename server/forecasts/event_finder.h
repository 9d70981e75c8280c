// Finds what happened to the jobs of a tracked queue between two of its states.
#ifndef PRIORITYD_SERVER_FORECASTS_EVENT_FINDER_H_
#define PRIORITYD_SERVER_FORECASTS_EVENT_FINDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "server/forecasts/event.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::forecasts {

// Whether a job waits or runs, by the events so far.
enum class Phase : uint8_t { kWaits, kRuns };
using Phases = absl::flat_hash_map<std::string, Phase>;

// A job waits for its start from when it is eligible: not held, with its dependency met and its
// begin time past; one that is larger than the cluster never does. The tasks of an array wait as
// one: its first task that starts is its start.
//
// Thread-compatible.
class EventFinder {
 public:
  // The events that lead from `phases` to `state`, by time; Unix time in seconds. Reads only the
  // chunks that changed since the last call. REQUIRES: the events of the last call are in `phases`,
  // or Reset was called since.
  std::vector<Event> Find(std::shared_ptr<const queue::QueueState> state, const Phases& phases,
                          int64_t now);

  // The next call reads the whole queue.
  void Reset() { last_ = nullptr, later_.clear(); }

 private:
  using JobIds = absl::flat_hash_set<std::string>;

  bool IsChanged(const queue::QueueState& state, size_t chunk) const;
  void FindOf(const queue::QueueState& state, const queue::TrackedJob& tracked,
              const Phases& phases, int64_t now);
  void FindWaiting(const queue::QueueState& state, const queue::TrackedJob& tracked,
                   const Phase* phase, int64_t now);
  // The jobs of the last state in chunks that `state` does not have.
  JobIds JobsBefore(const queue::QueueState& state) const;
  // Jobs that were in the queue and are not in `present`, the jobs of changed chunks.
  void FindGone(const queue::QueueState& state, const JobIds& present, const Phases& phases,
                int64_t now);
  void FindGone(const queue::QueueState& state, const std::string& job_id, Phase phase,
                int64_t now);
  // Jobs whose begin time has come.
  void FindBegun(const Phases& phases, int64_t now);

  std::shared_ptr<const queue::QueueState> last_;  // Null = none was read.
  std::map<std::string, Event> later_;             // Jobs with a begin time to come.
  // Of the running call.
  JobIds before_;
  std::vector<Event> found_;
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_EVENT_FINDER_H_
