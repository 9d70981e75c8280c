#include "engine/laboratory/scheduler.h"

#include <algorithm>
#include <utility>

namespace priorityd::laboratory {
namespace {

plan::WaitingJob ToWaiting(const Machine& machine, const Candidate& candidate) {
  plan::WaitingJob waiting{.request = candidate.request,
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

}  // namespace

Scheduler::Scheduler(const Machine& machine, const plan::PlanOptions& options)
    : machine_(machine), options_(options), free_(machine.cluster()) {
  options_.estimate_starts = false;
}

std::vector<Start> Scheduler::StartAt(absl::Time now, absl::Span<const Candidate> candidates,
                                      bool first_only) {
  std::vector<Start> starts;
  const size_t first = StartInOrder(now, candidates, first_only, &starts);
  if (first_only && !starts.empty()) return starts;
  if (first < candidates.size() && MayBackfill(candidates.subspan(first))) {
    Backfill(now, candidates, first, first_only, &starts);
  }
  return starts;
}

size_t Scheduler::StartInOrder(absl::Time now, absl::Span<const Candidate> candidates,
                               bool first_only, std::vector<Start>* starts) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!FitsIdle(candidates[i])) continue;
    std::optional<Start> start = Now(i, candidates[i]);
    if (!start.has_value()) return i;
    StartJob(now, candidates[i], *std::move(start), starts);
    if (first_only) return i;
  }
  return candidates.size();
}

void Scheduler::Backfill(absl::Time now, absl::Span<const Candidate> candidates, size_t first,
                         bool first_only, std::vector<Start>* starts) {
  ++plans_;
  const auto most = static_cast<size_t>(std::max(options_.max_job_test, 1));
  std::vector<plan::WaitingJob> waiting;
  for (const Candidate& candidate : candidates.subspan(first, most)) {
    waiting.push_back(ToWaiting(machine_, candidate));
  }
  std::vector<plan::JobPlan> plans =
      plan::PlanStarts(machine_.cluster(), running_, waiting, now, options_);
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].wait != plan::Wait::kNone) continue;
    StartJob(now, candidates[first + i],
             {first + i, plans[i].place, std::move(plans[i].nodes), plans[i].backfilled}, starts);
    if (first_only) return;
  }
}

std::optional<Start> Scheduler::Now(size_t number, const Candidate& candidate) const {
  for (size_t place = 0; place < candidate.kinds.size(); ++place) {
    if (!FitsNow(candidate.request, candidate.kinds[place])) continue;
    return Start{number, static_cast<int>(place),
                 FirstFit(candidate.request, candidate.kinds[place])};
  }
  return std::nullopt;
}

bool Scheduler::FitsIdle(const Candidate& candidate) const {
  return std::any_of(candidate.kinds.begin(), candidate.kinds.end(),
                     [&](int kind) { return FitsIdle(candidate.request, kind); });
}

bool Scheduler::FitsIdle(const plan::Request& request, int kind) const {
  return request.nodes <= machine_.kind(kind).most_nodes;
}

bool Scheduler::FitsNow(const plan::Request& request, int kind) const {
  return FitsIdle(request, kind) && free_.HasRoom(request, machine_.kind(kind).place);
}

bool Scheduler::HoldsUp(const Candidate& first, int kind) const {
  if (options_.backfill != plan::Backfill::kNone) return false;
  return std::any_of(first.kinds.begin(), first.kinds.end(), [&](int own) {
    const plan::Place& place = machine_.kind(own).place;
    return place.pools.empty() && Share(place, machine_.kind(kind).place);
  });
}

// The first candidate has to wait. If a request of a kind does not fit, larger ones of that kind do
// not fit either.
bool Scheduler::MayBackfill(absl::Span<const Candidate> candidates) const {
  absl::flat_hash_map<int, int> too_many;
  const auto most = static_cast<size_t>(std::max(options_.max_job_test, 1));
  for (const Candidate& candidate : candidates.subspan(1, most)) {
    for (const int kind : candidate.kinds) {
      const auto known = too_many.find(kind);
      if (known != too_many.end() && candidate.request.nodes >= known->second) continue;
      if (!HoldsUp(candidates[0], kind) && FitsNow(candidate.request, kind)) return true;
      too_many[kind] = candidate.request.nodes;
    }
  }
  return false;
}

void Scheduler::StartJob(absl::Time now, const Candidate& candidate, Start start,
                         std::vector<Start>* starts) {
  Hold(candidate.job, candidate.request, candidate.kinds[start.place], start.nodes,
       now + candidate.time_limit);
  starts->push_back(std::move(start));
}

std::vector<int> Scheduler::FirstFit(const plan::Request& request, int kind) const {
  return free_.FirstFit(request, machine_.kind(kind).place);
}

void Scheduler::Hold(size_t job, const plan::Request& request, int kind, std::vector<int> nodes,
                     absl::Time end) {
  const plan::Place& place = machine_.kind(kind).place;
  free_.Allocate(request, place, nodes);
  number_of_[job] = running_.size();
  job_of_.push_back(job);
  running_.push_back({.request = request, .place = place, .nodes = std::move(nodes), .end = end});
}

void Scheduler::Release(size_t job) {
  const auto number = number_of_.find(job);
  const size_t place = number->second;
  const plan::RunningJob& ended = running_[place];
  free_.Free(ended.request, ended.place, ended.nodes);
  number_of_[job_of_.back()] = place;
  number_of_.erase(job);
  running_[place] = std::move(running_.back());
  job_of_[place] = job_of_.back();
  running_.pop_back();
  job_of_.pop_back();
}

}  // namespace priorityd::laboratory
