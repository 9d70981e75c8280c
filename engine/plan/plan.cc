#include "engine/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "engine/plan/cluster_profile.h"
#include "engine/plan/occupancy.h"
#include "engine/plan/start_bounds.h"

namespace priorityd::plan {
namespace {

constexpr absl::Duration kOverdue = absl::Minutes(1);
constexpr absl::Duration kAnyWhile = absl::Nanoseconds(1);

// Requests that differ only in the number of nodes and the duration.
std::vector<int64_t> KindOf(const Request& request, const Place& place) {
  std::vector<int64_t> kind(request.per_node.begin(), request.per_node.end());
  kind.insert(kind.end(), place.types.begin(), place.types.end());
  for (const PoolNeed& need : place.pools) {
    kind.push_back(-1 - need.pool);
    kind.push_back(need.amount);
  }
  kind.push_back(absl::ToUnixMicros(place.opens));
  kind.push_back(absl::ToUnixMicros(place.closes));
  return kind;
}

bool Share(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](int node) { return std::binary_search(b.begin(), b.end(), node); });
}

// Counts jobs against the caps of the options.
class Caps {
 public:
  explicit Caps(const PlanOptions& options) : options_(options) {}

  bool LookAt(const WaitingJob& job) {
    const int partition = job.places.empty() ? -1 : job.places[0].partition;
    if (looked_at_ == options_.max_job_test || IsFull(users_, job.user, options_.max_job_user) ||
        IsFull(associations_, job.association, options_.max_job_assoc) ||
        IsFull(partitions_, partition, options_.max_job_part)) {
      return false;
    }
    ++looked_at_;
    ++users_[job.user];
    ++associations_[job.association];
    ++partitions_[partition];
    return true;
  }

 private:
  using Counts = absl::flat_hash_map<int, int>;

  static bool IsFull(const Counts& counts, int key, int most) {
    const auto count = counts.find(key);
    return most > 0 && count != counts.end() && count->second >= most;
  }

  const PlanOptions& options_;
  int looked_at_ = 0;
  Counts users_, associations_, partitions_;
};

// One run of the planner.
class Planner {
 public:
  Planner(const Cluster& cluster, absl::Span<const RunningJob> running,
          absl::Span<const WaitingJob> waiting, absl::Time now, const PlanOptions& options)
      : idle_(cluster),
        profile_(cluster),
        running_(running),
        waiting_(waiting),
        now_(now),
        options_(options),
        plans_(waiting.size()),
        first_reserved_(cluster.types.size(), -1) {
    profile_.Close(cluster.closures);
    const Occupancy occupancy = Occupy(cluster, running);
    for (size_t job = 0; job < running.size(); ++job) {
      const absl::Time end = std::max(running[job].end, now + kOverdue);
      profile_.Reserve(running[job].request, running[job].place, occupancy.nodes[job], now, end);
      ends_.emplace(end, Holder{static_cast<int>(job), -1, occupancy.nodes[job]});
    }
  }

  std::vector<JobPlan> Plan() {
    Caps caps(options_);
    for (size_t job = 0; job < waiting_.size(); ++job) {
      if (!caps.LookAt(waiting_[job])) continue;
      if (!FitsWhenIdle(waiting_[job])) {
        plans_[job].wait = Wait::kNeverFits;
      } else if (options_.backfill == Backfill::kConservative) {
        Reserve(job);
      } else {
        StartOrReserve(job);
      }
    }
    for (const size_t job : left_over_) {
      if (IsForetold(job)) EstimateStart(job);
    }
    return std::move(plans_);
  }

 private:
  struct Holder {
    int running;
    int waiting;
    std::vector<int> nodes;
  };
  // What is known about one kind of request.
  struct Kind {
    StartBounds bounds;
    int too_many_now = std::numeric_limits<int>::max();  // This many nodes are not free now.
    int too_many_ever = std::numeric_limits<int>::max();
    int fit_ever = 0;
  };

  Kind& KindOf(const WaitingJob& job, const Place& place) {
    return kinds_[plan::KindOf(job.request, place)];
  }

  bool FitsWhenIdle(const WaitingJob& job) {
    return std::any_of(job.places.begin(), job.places.end(),
                       [&](const Place& place) { return FitsWhenIdle(job, place); });
  }

  bool FitsWhenIdle(const WaitingJob& job, const Place& place) {
    if (std::max(now_, place.opens) >= place.closes) return false;
    Kind& kind = KindOf(job, place);
    const int nodes = job.request.nodes;
    if (nodes <= kind.fit_ever) return true;
    if (nodes >= kind.too_many_ever) return false;
    const bool fits =
        idle_.FullPoolAt(now_, place) < 0 && idle_.HasNodesAt(now_, job.request, place);
    (fits ? kind.fit_ever : kind.too_many_ever) = nodes;
    return fits;
  }

  // Starts it now for the longest duration, whatever is reserved for later.
  bool HasNodesNow(const WaitingJob& job, const Place& place) {
    Kind& kind = KindOf(job, place);
    if (job.request.nodes >= kind.too_many_now) return false;
    if (profile_.HasNodesAt(now_, job.request, place)) return true;
    kind.too_many_now = job.request.nodes;
    return false;
  }

  std::optional<ClusterProfile::Slot> Now(const WaitingJob& job, const Place& place) {
    if (!HasNodesNow(job, place)) return std::nullopt;
    StartBounds& bounds = KindOf(job, place).bounds;
    if (bounds.Of(job.request.nodes, job.time_limit) > now_) return std::nullopt;
    auto slot = profile_.At(job.request, place, job.time_limit, now_);
    if (!slot) bounds.Note(job.request.nodes, job.time_limit, now_ + kAnyWhile);
    return slot;
  }

  std::optional<ClusterProfile::Slot> Earliest(const WaitingJob& job, const Place& place) {
    StartBounds& bounds = KindOf(job, place).bounds;
    const absl::Time from = std::max(now_, bounds.Of(job.request.nodes, job.time_limit));
    const absl::Time latest = now_ + options_.window;
    if (from > latest || from == absl::InfiniteFuture()) return std::nullopt;
    auto slot = profile_.At(job.request, place, job.time_limit, from);
    if (!slot) slot = profile_.Earliest(job.request, place, job.time_limit, from, latest);
    bounds.Note(job.request.nodes, job.time_limit, slot ? slot->start : absl::InfiniteFuture());
    return slot;
  }

  // The place with the earliest start.
  std::optional<ClusterProfile::Slot> Earliest(size_t job) {
    std::optional<ClusterProfile::Slot> best;
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (!FitsWhenIdle(waiting_[job], waiting_[job].places[place])) continue;
      auto slot = Earliest(waiting_[job], waiting_[job].places[place]);
      if (!slot || (best && best->start <= slot->start)) continue;
      best = std::move(slot);
      plans_[job].place = static_cast<int>(place);
    }
    return best;
  }

  // Plans with the main loop and EASY.
  void StartOrReserve(size_t job) {
    const int before = FirstReservedBefore(job);
    if (before < 0 || options_.backfill != Backfill::kNone) {
      for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
        auto slot = Now(waiting_[job], waiting_[job].places[place]);
        if (!slot) continue;
        plans_[job].place = static_cast<int>(place);
        plans_[job].backfilled = before >= 0;
        plans_[job].wait = Wait::kNone;
        return Reserve(job, *std::move(slot));
      }
    }
    SetWait(job, before);
    if (!waiting_[job].reserves) return;
    if (plans_[job].wait == Wait::kPool || before >= 0) {
      left_over_.push_back(job);
    } else {
      HoldUpOthers(job);
      plans_[job].reserved = EstimateStart(job);
    }
  }

  void Reserve(size_t job) {
    const int before = FirstReservedBefore(job);
    SetWait(job, before);
    auto slot = Earliest(job);
    if (!slot || (slot->start > now_ && !waiting_[job].reserves)) return;
    if (slot->start == now_) {
      plans_[job].wait = Wait::kNone;
      plans_[job].pool = plans_[job].behind_waiting = -1;
      plans_[job].backfilled = before >= 0;
    } else {
      plans_[job].reserved = true;
      HoldUpOthers(job);
      FindWhoIsBefore(job, *slot);
    }
    Reserve(job, *std::move(slot));
  }

  // With the main loop alone, the start of a job behind another one cannot be estimated.
  bool IsForetold(size_t job) const {
    return options_.estimate_starts &&
           (options_.backfill != Backfill::kNone || plans_[job].wait == Wait::kPool);
  }

  // Sets the start of the job and reserves its nodes; false if there is none within the window.
  bool EstimateStart(size_t job) {
    auto slot = Earliest(job);
    if (!slot) return false;
    FindWhoIsBefore(job, *slot);
    Reserve(job, *std::move(slot));
    return true;
  }

  void Reserve(size_t job, ClusterProfile::Slot slot) {
    const WaitingJob& waits = waiting_[job];
    const Place& place = waits.places[plans_[job].place];
    const absl::Time end = std::min(slot.start + waits.time_limit, place.closes);
    profile_.Reserve(waits.request, place, slot.nodes, slot.start, end);
    ends_.emplace(end, Holder{-1, static_cast<int>(job), slot.nodes});
    plans_[job].start = slot.start;
    plans_[job].nodes = std::move(slot.nodes);
  }

  // The first job that may not be delayed and could use one of its nodes; -1 = none.
  int FirstReservedBefore(size_t job) const {
    int first = -1;
    for (const Place& place : waiting_[job].places) {
      for (const int type : place.types) {
        const int reserved = first_reserved_[type];
        if (reserved >= 0 && (first < 0 || reserved < first)) first = reserved;
      }
    }
    return first;
  }

  void HoldUpOthers(size_t job) {
    for (const Place& place : waiting_[job].places) {
      for (const int type : place.types) {
        if (first_reserved_[type] < 0) first_reserved_[type] = static_cast<int>(job);
      }
    }
  }

  // Why it does not start now. REQUIRES: it does not.
  void SetWait(size_t job, int before) {
    JobPlan& plan = plans_[job];
    const auto& places = waiting_[job].places;
    for (size_t place = 0; place < places.size(); ++place) {
      if (profile_.FullPoolAt(now_, places[place]) >= 0) continue;
      const bool has_nodes = HasNodesNow(waiting_[job], places[place]);
      plan.wait = has_nodes && before >= 0 ? Wait::kPriority : Wait::kResources;
      if (plan.wait != Wait::kPriority) continue;
      plan.behind_waiting = before;
      return;
    }
    if (plan.wait == Wait::kResources) return;
    plan.wait = Wait::kPool;
    plan.pool = profile_.FullPoolAt(now_, places[0]);
  }

  void FindWhoIsBefore(size_t job, const ClusterProfile::Slot& slot) {
    if (plans_[job].wait != Wait::kResources) return;
    for (auto [holder, end] = ends_.equal_range(slot.start); holder != end; ++holder) {
      if (!Share(slot.nodes, holder->second.nodes)) continue;
      plans_[job].behind_running = holder->second.running;
      plans_[job].behind_waiting = holder->second.waiting;
      return;
    }
  }

  const ClusterProfile idle_;
  ClusterProfile profile_;
  const absl::Span<const RunningJob> running_;
  const absl::Span<const WaitingJob> waiting_;
  const absl::Time now_;
  const PlanOptions& options_;
  std::vector<JobPlan> plans_;
  std::vector<int> first_reserved_;  // By type; -1 = none.
  std::vector<size_t> left_over_;    // Jobs without a start and without a reservation.
  std::multimap<absl::Time, Holder> ends_;
  absl::flat_hash_map<std::vector<int64_t>, Kind> kinds_;
};

}  // namespace

std::vector<JobPlan> PlanStarts(const Cluster& cluster, absl::Span<const RunningJob> running,
                                absl::Span<const WaitingJob> waiting, absl::Time now,
                                const PlanOptions& options) {
  return Planner(cluster, running, waiting, now, options).Plan();
}

}  // namespace priorityd::plan
