// Decides which waiting jobs start now and tracks the nodes in use.
#ifndef PRIORITYD_ENGINE_LABORATORY_SCHEDULER_H_
#define PRIORITYD_ENGINE_LABORATORY_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/free_nodes.h"
#include "engine/laboratory/machine.h"
#include "engine/plan/plan.h"

namespace priorityd::laboratory {

// A waiting job that can start as soon as nodes are free.
struct Candidate {
  size_t job = 0;  // Its index in the history.
  plan::Request request;
  absl::InlinedVector<int, 1> kinds;  // Kinds of Machine, one for each of its places.
  absl::Duration time_limit;          // Above 0.
  int user = -1;
  int association = -1;
  bool reserves = true;
};

struct Start {
  size_t candidate = 0;
  int place = 0;  // Index of its place.
  std::vector<int> nodes;
  bool backfilled = false;
};

// Starts the jobs that plan::PlanStarts would start. Makes no plan for candidates at the head of
// the start order that fit on free nodes, as no job before them waits, and none if no other
// candidate fits. `machine` must outlive it.
class Scheduler {
 public:
  Scheduler(const Machine& machine, const plan::PlanOptions& options);

  // `candidates`: in start order. Jobs that start use their nodes from then on. `first_only`: start
  // at most one.
  std::vector<Start> StartAt(absl::Time now, absl::Span<const Candidate> candidates,
                             bool first_only);

  // The nodes for a recorded job: the first that fit; fewer than requested if not enough do.
  std::vector<int> FirstFit(const plan::Request& request, int kind) const;
  // The job uses its nodes from now on. `end`: by its time limit.
  void Hold(size_t job, const plan::Request& request, int kind, std::vector<int> nodes,
            absl::Time end);
  void Release(size_t job);

  // Whether the request fits an idle cluster; whether it fits now.
  bool FitsIdle(const plan::Request& request, int kind) const;
  bool FitsNow(const plan::Request& request, int kind) const;

  // The number of plans made.
  int64_t plans() const { return plans_; }

 private:
  // The start in the first place where the candidate fits now; nullopt = none.
  std::optional<Start> Now(size_t number, const Candidate& candidate) const;
  bool FitsIdle(const Candidate& candidate) const;
  // Whether the first candidate, which has to wait, is certain to delay requests of that kind.
  bool HoldsUp(const Candidate& first, int kind) const;
  bool MayBackfill(absl::Span<const Candidate> candidates) const;
  // The main loop, up to the first candidate that has to wait; returns its index.
  size_t StartInOrder(absl::Time now, absl::Span<const Candidate> candidates, bool first_only,
                      std::vector<Start>* starts);
  // Plans the candidates from `first` on.
  void Backfill(absl::Time now, absl::Span<const Candidate> candidates, size_t first,
                bool first_only, std::vector<Start>* starts);
  void StartJob(absl::Time now, const Candidate& candidate, Start start,
                std::vector<Start>* starts);

  const Machine& machine_;
  plan::PlanOptions options_;
  FreeNodes free_;
  std::vector<plan::RunningJob> running_;
  std::vector<size_t> job_of_;                     // By index in running_.
  absl::flat_hash_map<size_t, size_t> number_of_;  // By job.
  int64_t plans_ = 0;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_SCHEDULER_H_
