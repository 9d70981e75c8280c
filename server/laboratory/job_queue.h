// The jobs that are ranked.
#ifndef PRIORITYD_SERVER_LABORATORY_JOB_QUEUE_H_
#define PRIORITYD_SERVER_LABORATORY_JOB_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/laboratory/history.h"
#include "server/priority/job.h"

namespace priorityd::laboratory {

// As the engine takes it, waiting. `from` must outlive it.
priority::Job ToEngine(const HistoryJob& from);

// Those that wait and, where limits count them, those that run. `history` must outlive it.
class JobQueue {
 public:
  JobQueue(absl::Span<const HistoryJob> history, bool with_running);

  // A job begins to wait. `kinds`: those of Machine that it may start as.
  void Add(size_t job, absl::Span<const int> kinds, int nodes);
  // It starts, in that partition and under that QOS (empty = none).
  void Start(size_t job, absl::string_view partition, absl::string_view qos, absl::Time start);
  void End(size_t job);

  absl::Span<const priority::Job> jobs() const { return jobs_; }
  // The place in the history of one of jobs().
  size_t NumberOf(uint32_t place) const { return numbers_[place]; }
  size_t waiting() const { return waiting_; }

  // Whether `fits` is true of a kind and the fewest nodes that a waiting job of it wants.
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
  std::vector<uint32_t> place_of_;  // By number.
  size_t waiting_ = 0;
  absl::btree_map<size_t, Wanted> wanted_;  // Of those that wait.
  // Jobs by kind and number of nodes.
  absl::btree_map<int, absl::btree_map<int, int>> counts_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_JOB_QUEUE_H_
