// The queue of a simulation: the jobs that are ranked.
#ifndef PRIORITYD_ENGINE_LABORATORY_JOB_QUEUE_H_
#define PRIORITYD_ENGINE_LABORATORY_JOB_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/history.h"
#include "engine/priority/jobs/job.h"

namespace priorityd::laboratory {

// The engine's job for a recorded one, pending. `from` must outlive the result.
priority::Job ToEngine(const HistoryJob& from);

// The waiting jobs and, if limits count them (`with_running`), the running ones. `history` must
// outlive it. Jobs are named by their index in the history.
class JobQueue {
 public:
  JobQueue(absl::Span<const HistoryJob> history, bool with_running);

  // The job begins to wait. `kinds`: the kinds of Machine under which it may start.
  void Add(size_t job, absl::Span<const int> kinds, int nodes);
  // The job starts in that partition and under that QOS (empty = none).
  void Start(size_t job, absl::string_view partition, absl::string_view qos, absl::Time start);
  void End(size_t job);

  absl::Span<const priority::Job> jobs() const { return jobs_; }
  // The index in the history of jobs()[place].
  size_t NumberOf(uint32_t place) const { return numbers_[place]; }
  size_t waiting() const { return waiting_; }

  // Whether `fits` is true for any kind, with the smallest node count of a waiting job of that
  // kind.
  bool AnyFits(absl::FunctionRef<bool(int kind, int nodes)> fits) const;

 private:
  struct Wanted {
    std::vector<int> kinds;
    int nodes = 0;
  };

  void Remove(size_t job);

  absl::Span<const HistoryJob> history_;
  const bool with_running_;
  std::vector<priority::Job> jobs_;
  std::vector<size_t> numbers_;
  std::vector<uint32_t> place_of_;  // Index into jobs_, by index in the history.
  size_t waiting_ = 0;
  absl::btree_map<size_t, Wanted> wanted_;  // Of waiting jobs.
  // The number of waiting jobs by kind and node count.
  absl::btree_map<int, absl::btree_map<int, int>> counts_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_JOB_QUEUE_H_
