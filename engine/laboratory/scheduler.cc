#include "engine/laboratory/scheduler.h"

#include <algorithm>
#include <utility>

namespace priorityd::laboratory {
namespace {

plan::WaitingJob ToWaiting(const Machine& machine, const Candidate& candidate) {
  plan::WaitingJob waiting{.request = *candidate.request,
                           .time_limit = candidate.time_limit,
                           .user = candidate.user,
                           .association = candidate.association,
                           .reserves = candidate.reserves};
  for (const int kind : candidate.kinds) waiting.places.push_back(machine.kind(kind).place);
  return waiting;
}

bool Share(const plan::Place& a, const plan::Place& b) {
  return std::any_of(a.types.begin(), a.types.end(), [&](int type) {
    return std::binary_search(b.types.begin(), b.types.end(), type);
  });
}

// Node types of which waiting jobs have reserved nodes.
class ReservedTypes {
 public:
  explicit ReservedTypes(const Machine& machine)
      : machine_(machine), reserved_(machine.cluster().types.size()) {}

  void Add(const Candidate& candidate) {
    ForEach(candidate, [this](int type) { reserved_[type] = 1; });
  }
  bool AnyOf(const Candidate& candidate) {
    bool any = false;
    ForEach(candidate, [&](int type) { any |= reserved_[type] != 0; });
    return any;
  }

 private:
  template <typename Use>
  void ForEach(const Candidate& candidate, Use use) {
    for (const int kind : candidate.kinds) {
      if (candidate.request->nodes > machine_.kind(kind).most_nodes) continue;
      for (const int type : machine_.kind(kind).place.types) use(type);
    }
  }

  const Machine& machine_;
  std::vector<uint8_t> reserved_;
};

}  // namespace

Scheduler::Scheduler(const Machine& machine, const plan::PlanOptions& options)
    : machine_(machine), options_(options), free_(machine.cluster()), running_(machine.cluster()) {
  options_.estimate_starts = false;
}

int Scheduler::StartAt(absl::Time now, absl::Span<const Candidate> candidates, Begin begin) {
  int starts = 0;
  const auto admit = [](const Candidate&) { return Verdict::kAdmitted; };
  const auto count = [&](const Start& start) {
    ++starts;
    begin(start);
  };
  bool unclear = false;
  const size_t first = StartInOrder(now, candidates, admit, count, &unclear);
  const auto backfill = Plan(now, candidates.subspan(first), admit, &unclear);
  if (!backfill.has_value()) return starts;
  for (size_t i = 0; i < backfill->plans.size(); ++i) {
    const plan::JobPlan& plan = backfill->plans[i];
    if (plan.wait != plan::Wait::kNone) continue;
    const size_t number = first + backfill->candidates[i];
    StartJob(now, candidates[number], {number, plan.place, plan.nodes, plan.backfilled}, count);
  }
  return starts;
}

bool Scheduler::StartOneByOne(absl::Time now, absl::Span<const Candidate> candidates, Admit admit,
                              Begin begin) {
  bool unclear = false;
  const size_t first = StartInOrder(now, candidates, admit, begin, &unclear);
  if (unclear) return false;
  const absl::Span<const Candidate> others = candidates.subspan(first);
  const auto backfill = Plan(now, others, admit, &unclear);
  if (!backfill.has_value()) return !unclear;
  bool is_first = true;
  for (size_t i = 0; i < backfill->plans.size(); ++i) {
    const plan::JobPlan& plan = backfill->plans[i];
    if (plan.wait != plan::Wait::kNone) continue;
    const size_t number = backfill->candidates[i];
    if (!is_first && admit(others[number]) != Verdict::kAdmitted) return false;
    is_first = false;
    StartJob(now, others[number], {first + number, plan.place, plan.nodes, plan.backfilled}, begin);
    if (!RunsAsPlanned(others[number], plan.place) || !Remains(others, *backfill, admit)) {
      return false;
    }
  }
  return true;
}

size_t Scheduler::StartInOrder(absl::Time now, absl::Span<const Candidate> candidates, Admit admit,
                               Begin begin, bool* unclear) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!FitsIdle(candidates[i])) continue;
    const Verdict verdict = admit(candidates[i]);
    if (verdict == Verdict::kBlocked) continue;
    *unclear = verdict == Verdict::kUnclear;
    if (*unclear) return i;
    const std::optional<Start> start = Now(i, candidates[i]);
    if (!start.has_value()) return i;
    StartJob(now, candidates[i], *start, begin);
  }
  return candidates.size();
}

std::optional<Scheduler::Backfill> Scheduler::Plan(absl::Time now,
                                                   absl::Span<const Candidate> candidates,
                                                   Admit admit, bool* unclear) {
  candidates = Tested(candidates, admit, unclear);
  if (candidates.empty() || !MayBackfill(candidates, admit)) return std::nullopt;
  Backfill backfill;
  std::vector<plan::WaitingJob> waiting;
  ReservedTypes reserved(machine_);
  ReservedTypes maybe_reserved(machine_);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    const bool fits = FitsNow(candidate);
    const bool matters =
        fits || (candidate.reserves && FitsIdle(candidate) && !reserved.AnyOf(candidate));
    if (!matters && !PlansAll()) continue;
    const Verdict verdict = admit(candidate);
    if (verdict == Verdict::kBlocked) continue;
    *unclear = verdict == Verdict::kUnclear;
    if (*unclear) return std::nullopt;
    if (NeedsPools(candidate) || (!fits && maybe_reserved.AnyOf(candidate))) {
      maybe_reserved.Add(candidate);
    } else if (matters && !fits) {
      reserved.Add(candidate);
    }
    backfill.candidates.push_back(i);
    waiting.push_back(ToWaiting(machine_, candidate));
  }
  ++plans_;
  backfill.plans = plan::PlanStarts(&running_, waiting, now, options_);
  return backfill;
}

absl::Span<const Candidate> Scheduler::Tested(absl::Span<const Candidate> candidates, Admit admit,
                                              bool* unclear) const {
  const auto most = static_cast<size_t>(std::max(options_.max_job_test, 1));
  if (candidates.size() <= most || options_.HasCaps()) return candidates;
  size_t tested = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!FitsIdle(candidates[i])) continue;
    const Verdict verdict = admit(candidates[i]);
    *unclear = verdict == Verdict::kUnclear;
    if (*unclear) return {};
    if (verdict == Verdict::kAdmitted && ++tested == most) return candidates.subspan(0, i + 1);
  }
  return candidates;
}

bool Scheduler::MayBackfill(absl::Span<const Candidate> candidates, Admit admit) const {
  for (const Candidate& candidate : candidates.subspan(1)) {
    const bool may = std::any_of(candidate.kinds.begin(), candidate.kinds.end(), [&](int kind) {
      return FitsNow(candidate.request->nodes, kind) && !HoldsUp(candidates[0], kind);
    });
    if (may && admit(candidate) != Verdict::kBlocked) return true;
  }
  return false;
}

bool Scheduler::PlansAll() const {
  return options_.backfill == plan::Backfill::kConservative || options_.HasCaps();
}

bool Scheduler::Remains(absl::Span<const Candidate> candidates, const Backfill& backfill,
                        Admit admit) const {
  for (size_t i = 0; i < backfill.plans.size(); ++i) {
    const plan::JobPlan& plan = backfill.plans[i];
    const bool delays = plan.reserved || plan.wait == plan::Wait::kResources;
    if (delays && admit(candidates[backfill.candidates[i]]) != Verdict::kAdmitted) return false;
  }
  return true;
}

bool Scheduler::RunsAsPlanned(const Candidate& candidate, int place) const {
  return candidate.time_limit >= plan::kOverdue &&
         machine_.kind(candidate.kinds[place]).place.pools.empty();
}

std::optional<Start> Scheduler::Now(size_t number, const Candidate& candidate) const {
  for (size_t place = 0; place < candidate.kinds.size(); ++place) {
    if (!FitsNow(candidate.request->nodes, candidate.kinds[place])) continue;
    return Start{number, static_cast<int>(place),
                 FirstFit(*candidate.request, candidate.kinds[place])};
  }
  return std::nullopt;
}

bool Scheduler::FitsIdle(const Candidate& candidate) const {
  return std::any_of(candidate.kinds.begin(), candidate.kinds.end(),
                     [&](int kind) { return FitsIdle(candidate.request->nodes, kind); });
}

bool Scheduler::FitsNow(const Candidate& candidate) const {
  return std::any_of(candidate.kinds.begin(), candidate.kinds.end(),
                     [&](int kind) { return FitsNow(candidate.request->nodes, kind); });
}

bool Scheduler::FitsIdle(int nodes, int kind) const {
  return nodes <= machine_.kind(kind).most_nodes;
}

bool Scheduler::FitsNow(int nodes, int kind) const {
  return FitsIdle(nodes, kind) && free_.HasRoom(nodes, kind, machine_.kind(kind).place);
}

bool Scheduler::NeedsPools(const Candidate& candidate) const {
  return std::any_of(candidate.kinds.begin(), candidate.kinds.end(),
                     [&](int kind) { return !machine_.kind(kind).place.pools.empty(); });
}

bool Scheduler::HoldsUp(const Candidate& first, int kind) const {
  if (options_.backfill != plan::Backfill::kNone) return false;
  return std::any_of(first.kinds.begin(), first.kinds.end(), [&](int own) {
    const plan::Place& place = machine_.kind(own).place;
    return FitsIdle(first.request->nodes, own) && place.pools.empty() &&
           Share(place, machine_.kind(kind).place);
  });
}

void Scheduler::StartJob(absl::Time now, const Candidate& candidate, const Start& start,
                         Begin begin) {
  Hold(candidate.job, *candidate.request, candidate.kinds[start.place], start.nodes,
       now + candidate.time_limit);
  begin(start);
}

void Scheduler::Await(int kind) {
  if (waiting_of_kind_.size() <= static_cast<size_t>(kind)) waiting_of_kind_.resize(kind + 1);
  if (waiting_of_kind_[kind]++ > 0) return;
  free_.Watch(kind, machine_.kind(kind).per_node, machine_.kind(kind).place);
}

void Scheduler::Leave(int kind) {
  if (--waiting_of_kind_[kind] == 0) free_.Unwatch(kind);
}

std::vector<int> Scheduler::FirstFit(const plan::Request& request, int kind) const {
  return free_.FirstFit(request, machine_.kind(kind).place);
}

void Scheduler::Hold(size_t job, const plan::Request& request, int kind, std::vector<int> nodes,
                     absl::Time end) {
  const plan::Place& place = machine_.kind(kind).place;
  free_.Allocate(request, place, nodes);
  running_.Start(job, {.request = request, .place = place, .nodes = std::move(nodes), .end = end});
}

void Scheduler::Release(size_t job) {
  const plan::RunningJob& ended = running_.job(job);
  free_.Free(ended.request, ended.place, ended.nodes);
  running_.End(job);
}

}  // namespace priorityd::laboratory
