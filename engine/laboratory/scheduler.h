// Decides which waiting jobs start now and tracks the nodes in use.
#ifndef PRIORITYD_ENGINE_LABORATORY_SCHEDULER_H_
#define PRIORITYD_ENGINE_LABORATORY_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/free_nodes.h"
#include "engine/laboratory/machine.h"
#include "engine/plan/plan.h"
#include "engine/plan/running_jobs.h"

namespace priorityd::laboratory {

// A waiting job that can start as soon as nodes are free.
struct Candidate {
  size_t job = 0;  // Its index in the history.
  const plan::Request* request = nullptr;
  absl::InlinedVector<int, 1> kinds;      // Kinds of Machine, one for each of its places.
  absl::InlinedVector<uint32_t, 1> rows;  // Of JobQueue, likewise.
  absl::Duration time_limit;              // Above 0.
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

// Whether a candidate can still start, after the starts so far.
enum class Verdict {
  kAdmitted,
  kBlocked,  // A limit blocks it: it is skipped.
  kUnclear,  // The candidates have to be ranked again.
};

// Starts the jobs that plan::PlanStarts would start. Makes no plan for candidates at the head of
// the start order that fit on free nodes, as no job before them waits, and none if no other
// candidate fits. `machine` must outlive it.
class Scheduler {
 public:
  using Admit = absl::FunctionRef<Verdict(const Candidate& candidate)>;
  using Begin = absl::FunctionRef<void(const Start& start)>;

  Scheduler(const Machine& machine, const plan::PlanOptions& options);

  // Starts those of `candidates`, which are in start order, that start now. Jobs that start use
  // their nodes from then on; `begin` is called for each.
  int StartAt(absl::Time now, absl::Span<const Candidate> candidates, Begin begin);
  // The same if each start can block others: the starts are those of plans of the admitted
  // candidates, each plan with one start more taken as running. As long as a start changes nothing
  // for the candidates that such a plan reserves nodes for, the next plan would continue as the one
  // before, so one is enough. Returns whether that is so up to the end; if not, the candidates that
  // did not start have to be ranked again.
  //
  // REQUIRES: the order does not depend on starts, and no cap of the options leaves candidates out,
  // unless `admit` returns kUnclear after any start.
  bool StartOneByOne(absl::Time now, absl::Span<const Candidate> candidates, Admit admit,
                     Begin begin);

  // A job of that kind begins to wait; no longer waits.
  void Await(int kind);
  void Leave(int kind);

  // The nodes for a recorded job: the first that fit; fewer than requested if not enough do.
  std::vector<int> FirstFit(const plan::Request& request, int kind) const;
  // The job uses its nodes from now on. `end`: by its time limit.
  void Hold(size_t job, const plan::Request& request, int kind, std::vector<int> nodes,
            absl::Time end);
  void Release(size_t job);

  // Whether a request for so many nodes fits an idle cluster; whether it fits now.
  bool FitsIdle(int nodes, int kind) const;
  // REQUIRES: a job of that kind waits.
  bool FitsNow(int nodes, int kind) const;

  // The number of plans made.
  int64_t plans() const { return plans_; }

 private:
  // A plan of some candidates.
  struct Backfill {
    std::vector<size_t> candidates;  // By waiting job of the plan.
    std::vector<plan::JobPlan> plans;
  };

  // The start in the first place where the candidate fits now; nullopt = none.
  std::optional<Start> Now(size_t number, const Candidate& candidate) const;
  bool FitsIdle(const Candidate& candidate) const;
  bool FitsNow(const Candidate& candidate) const;
  // The main loop, up to the first candidate that has to wait; returns its index. Stops with
  // `unclear` if the verdict on a candidate is kUnclear.
  size_t StartInOrder(absl::Time now, absl::Span<const Candidate> candidates, Admit admit,
                      Begin begin, bool* unclear);
  // Plans those of `candidates` that bf_max_job_test leaves, of which the first has to wait;
  // nullopt = none of them starts, or the verdict on one is kUnclear.
  std::optional<Backfill> Plan(absl::Time now, absl::Span<const Candidate> candidates, Admit admit,
                               bool* unclear);
  // The candidates up to the last one that bf_max_job_test leaves, which counts no job that a limit
  // blocks or that never fits; all of them if another cap leaves jobs out, which do not count
  // either. Empty if the verdict on one of them is kUnclear.
  absl::Span<const Candidate> Tested(absl::Span<const Candidate> candidates, Admit admit,
                                     bool* unclear) const;
  // Whether the first candidate is certain to delay requests of that kind.
  bool HoldsUp(const Candidate& first, int kind) const;
  bool MayBackfill(absl::Span<const Candidate> candidates, Admit admit) const;
  // Whether a plan has to have all candidates, as any of them can have a reservation or be one too
  // many for a cap.
  bool PlansAll() const;
  bool NeedsPools(const Candidate& candidate) const;
  // Whether the next plan, after the starts so far, would reserve the same.
  bool Remains(absl::Span<const Candidate> candidates, const Backfill& backfill, Admit admit) const;
  // Whether the candidate, once it runs in that place, is to a plan what it was as a planned one.
  bool RunsAsPlanned(const Candidate& candidate, int place) const;
  void StartJob(absl::Time now, const Candidate& candidate, const Start& start, Begin begin);

  const Machine& machine_;
  plan::PlanOptions options_;
  FreeNodes free_;
  std::vector<int> waiting_of_kind_;
  plan::RunningJobs running_;
  int64_t plans_ = 0;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_SCHEDULER_H_
