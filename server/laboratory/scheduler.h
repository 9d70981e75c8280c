// Which of the waiting jobs start now, and who holds which nodes.
#ifndef PRIORITYD_SERVER_LABORATORY_SCHEDULER_H_
#define PRIORITYD_SERVER_LABORATORY_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/laboratory/free_nodes.h"
#include "server/laboratory/machine.h"
#include "server/plan/plan.h"

namespace priorityd::laboratory {

// A waiting job that nothing but nodes keeps from starting.
struct Candidate {
  size_t job = 0;  // Its place in the history.
  plan::Request request;
  absl::InlinedVector<int, 1> kinds;  // Of Machine; one for each of its places.
  absl::Duration time_limit;          // Above 0.
  int user = -1;
  int association = -1;
  bool reserves = true;
};

struct Start {
  size_t candidate = 0;
  int place = 0;  // Which of its places.
  std::vector<int> nodes;
  bool backfilled = false;
};

// Starts what plan::PlanStarts starts. Candidates at the head of the start order that fit on what
// is free need no plan: nobody before them waits for nodes. Where none of the others fits there is
// no plan either. `machine` must outlive it.
class Scheduler {
 public:
  Scheduler(const Machine& machine, const plan::PlanOptions& options);

  // `candidates` are in start order; those that start hold their nodes from then on. `first_only`:
  // at most one starts.
  std::vector<Start> StartAt(absl::Time now, absl::Span<const Candidate> candidates,
                             bool first_only);

  // Nodes for a job that has been recorded: the first that fit, or as many of them as there are.
  std::vector<int> FirstFit(const plan::Request& request, int kind) const;
  // The job holds its nodes; `end` by its time limit.
  void Hold(size_t job, const plan::Request& request, int kind, std::vector<int> nodes,
            absl::Time end);
  void Release(size_t job);

  // Whether the request would fit an idle cluster, and whether it does now.
  bool FitsIdle(const plan::Request& request, int kind) const;
  bool FitsNow(const plan::Request& request, int kind) const;

  // How often a plan was needed.
  int64_t plans() const { return plans_; }

 private:
  // The first place where it fits now, if there is one.
  std::optional<Start> Now(size_t number, const Candidate& candidate) const;
  bool FitsIdle(const Candidate& candidate) const;
  // Whether the first, which has to wait, keeps requests of that kind from starting for certain.
  bool HoldsUp(const Candidate& first, int kind) const;
  bool MayBackfill(absl::Span<const Candidate> candidates) const;
  // The main loop, up to the first that has to wait: its number.
  size_t StartInOrder(absl::Time now, absl::Span<const Candidate> candidates, bool first_only,
                      std::vector<Start>* starts);
  // Plans those from `first` on.
  void Backfill(absl::Time now, absl::Span<const Candidate> candidates, size_t first,
                bool first_only, std::vector<Start>* starts);
  void Take(absl::Time now, const Candidate& candidate, Start start, std::vector<Start>* starts);

  const Machine& machine_;
  plan::PlanOptions options_;
  FreeNodes free_;
  std::vector<plan::RunningJob> running_;
  std::vector<size_t> job_of_;                     // Of each running one.
  absl::flat_hash_map<size_t, size_t> number_of_;  // By job.
  int64_t plans_ = 0;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_SCHEDULER_H_
