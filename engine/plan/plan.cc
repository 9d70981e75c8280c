#include "engine/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "engine/plan/caps.h"
#include "engine/plan/cluster_profile.h"
#include "engine/plan/start_bounds.h"

namespace priorityd::plan {
namespace {

// The shortest duration: between it and 0 no resources are released.
const absl::Duration kAnyWhile = absl::Nanoseconds(1) / 4;

// The first of two jobs; -1 = none.
int FirstOf(int a, int b) { return a < 0 || b < 0 ? std::max(a, b) : std::min(a, b); }

// One run of the planner.
class Planner {
 public:
  Planner(RunningJobs* running, absl::Span<const WaitingJob> waiting, absl::Time now,
          const PlanOptions& options, StartGate* gate)
      : running_(*running),
        profile_(running->FreeFrom(now)),
        waiting_(waiting),
        now_(now),
        options_(options),
        gate_(gate),
        plans_(waiting.size()),
        first_reserved_(running->cluster().types.size(), -1),
        is_awaited_(running->cluster().types.size()),
        kinds_of_(waiting.size()) {}

  std::vector<JobPlan> Plan() {
    Caps caps(options_);
    for (size_t job = 0; job < waiting_.size() && !MustStop(); ++job) {
      if (!caps.HaveRoomFor(waiting_[job])) continue;
      FindKinds(job);
      if (!FitsWhenIdle(job)) {
        // slurmctld refuses it or holds it: it takes the place of no other job.
        plans_[job].wait = Wait::kNeverFits;
        continue;
      }
      if (!AskGate(job)) {
        plans_[job].wait = Wait::kGate;
        continue;
      }
      if (options_.backfill == Backfill::kConservative) {
        StartOrReserveInOrder(job);
      } else {
        StartOrReserve(job);
      }
      caps.Count(waiting_[job], plans_[job]);
    }
    for (const size_t job : left_over_) {
      if (MustStop()) break;
      if (IsForetold(job)) EstimateStart(job);
    }
    ReleaseAll();
    return std::move(plans_);
  }

 private:
  static constexpr size_t kClosed = std::numeric_limits<size_t>::max();

  // The known facts about one kind of request.
  struct Kind {
    int most_ever = 0;  // The largest number of nodes that an idle cluster has for it.
    int too_many_now = std::numeric_limits<int>::max();  // This many nodes are not free now.
    StartBounds bounds;
  };

  bool MustStop() const { return options_.must_stop != nullptr && options_.must_stop(); }

  Kind& KindOf(size_t job, size_t place) { return kinds_[kinds_of_[job][place]]; }

  void FindKinds(size_t job) {
    const WaitingJob& waits = waiting_[job];
    for (size_t place = 0; place < waits.places.size(); ++place) {
      const Request& request = waits.RequestAt(place);
      const Place& where = waits.places[place];
      const auto [number, is_new] = number_of_.emplace(KindOfNodes(request, where), kinds_.size());
      if (is_new) kinds_.push_back({.most_ever = MostEver(request, where)});
      kinds_of_[job].push_back(number->second);
    }
  }

  int MostEver(const Request& request, const Place& place) const {
    const Cluster& cluster = running_.cluster();
    for (const PoolNeed& need : place.pools) {
      if (cluster.pools[need.pool] < need.amount) return 0;
    }
    int most = 0;
    for (const int type : place.types) {
      if (Fits(request.per_node, cluster.types[type].each)) most += cluster.types[type].nodes;
    }
    return most;
  }

  bool FitsWhenIdle(size_t job) {
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (FitsWhenIdle(job, place)) return true;
    }
    return false;
  }

  bool FitsWhenIdle(size_t job, size_t place) {
    const Place& where = waiting_[job].places[place];
    return std::max(now_, where.opens) < where.closes &&
           waiting_[job].request.nodes <= KindOf(job, place).most_ever;
  }

  // Whether the job may start in this place, now or later.
  bool IsUsable(size_t job, size_t place) {
    return kinds_of_[job][place] != kClosed && FitsWhenIdle(job, place);
  }

  // Whether the job may be planned in this place: the main loop alone skips a place whose nodes a
  // job before it waits for.
  bool IsOpen(size_t job, size_t place) {
    if (!IsUsable(job, place)) return false;
    if (options_.backfill != Backfill::kNone) return true;
    const int first = FirstReserved(job, place);
    return first < 0 || first >= static_cast<int>(job);
  }

  // Closes the places in which the job may not start; false = all are.
  bool AskGate(size_t job) {
    if (gate_ == nullptr) return true;
    std::optional<size_t> first_closed;
    bool any_open = false;
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (!FitsWhenIdle(job, place)) continue;
      if (gate_->MayStart(job, place)) {
        any_open = true;
      } else {
        if (!first_closed.has_value()) first_closed = place;
        kinds_of_[job][place] = kClosed;
      }
    }
    if (!any_open) plans_[job].place = static_cast<int>(*first_closed);
    return any_open;
  }

  void Start(size_t job, ClusterProfile::Slot slot) {
    plans_[job].wait = Wait::kNone;
    plans_[job].pool = plans_[job].behind_waiting = -1;
    plans_[job].backfilled = std::any_of(slot.nodes.begin(), slot.nodes.end(), [&](int node) {
      return is_awaited_[profile_.type_of(node)];
    });
    if (gate_ != nullptr) gate_->Start(job, plans_[job].place);
    Reserve(job, std::move(slot));
  }

  // Whether it has enough nodes at this instant, whatever is reserved for later.
  bool HasNodesNow(size_t job, size_t place) {
    Kind& kind = KindOf(job, place);
    const Request& request = waiting_[job].RequestAt(place);
    if (request.nodes >= kind.too_many_now) return false;
    const int nodes = profile_.CountNodesAt(now_, request, waiting_[job].places[place]);
    if (nodes == request.nodes) return true;
    kind.too_many_now = nodes + 1;
    kind.bounds.Note(nodes + 1, kAnyWhile, now_ + kAnyWhile);
    return false;
  }

  std::optional<ClusterProfile::Slot> Now(size_t job, size_t place) {
    if (!HasNodesNow(job, place)) return std::nullopt;
    const Request& request = waiting_[job].RequestAt(place);
    const absl::Duration limit = waiting_[job].TimeLimitAt(place);
    StartBounds& bounds = KindOf(job, place).bounds;
    if (bounds.Of(request.nodes, limit) > now_) return std::nullopt;
    auto slot = profile_.At(request, waiting_[job].places[place], limit, now_);
    if (!slot) bounds.Note(request.nodes, limit, now_ + kAnyWhile);
    return slot;
  }

  std::optional<ClusterProfile::Slot> Earliest(size_t job, size_t place) {
    const Request& request = waiting_[job].RequestAt(place);
    const absl::Duration limit = waiting_[job].TimeLimitAt(place);
    const Place& where = waiting_[job].places[place];
    StartBounds& bounds = KindOf(job, place).bounds;
    const absl::Time from = std::max(now_, bounds.Of(request.nodes, limit));
    const absl::Time latest = now_ + options_.window;
    if (from > latest || from == absl::InfiniteFuture()) return std::nullopt;
    // Until then not even one node has room for it.
    const absl::Time first = bounds.Of(1, limit);
    auto slot = first > std::max(now_, where.opens) && where.pools.empty()
                    ? profile_.EarliestRelease(request, where, limit, first, latest)
                    : profile_.Earliest(request, where, limit, from, latest);
    bounds.Note(request.nodes, limit, slot ? slot->start : absl::InfiniteFuture());
    return slot;
  }

  // The place with the earliest start.
  std::optional<ClusterProfile::Slot> Earliest(size_t job) {
    std::optional<ClusterProfile::Slot> best;
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (!IsOpen(job, place)) continue;
      auto slot = Earliest(job, place);
      if (!slot || (best && best->start <= slot->start)) continue;
      best = std::move(slot);
      plans_[job].place = static_cast<int>(place);
    }
    return best;
  }

  // Plans with the main loop and EASY.
  void StartOrReserve(size_t job) {
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (!IsOpen(job, place)) continue;
      auto slot = Now(job, place);
      if (!slot) continue;
      plans_[job].place = static_cast<int>(place);
      return Start(job, *std::move(slot));
    }
    SetWait(job);
    if (!waiting_[job].reserves) return;
    if (plans_[job].wait == Wait::kPool || IsBehindAnother(job)) {
      left_over_.push_back(job);
    } else {
      Await(job);
      plans_[job].reserved = EstimateStart(job);
      HoldUpOthers(job);
    }
  }

  // Plans with conservative backfill.
  void StartOrReserveInOrder(size_t job) {
    SetWait(job);
    auto slot = Earliest(job);
    if (slot && slot->start == now_) return Start(job, *std::move(slot));
    if (!waiting_[job].reserves) return;
    Await(job);
    if (!slot) return;
    plans_[job].reserved = true;
    HoldUpOthers(job);
    FindWhoIsBefore(job, *slot);
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
    plans_[job].start = slot.start;
    plans_[job].nodes = std::move(slot.nodes);
    profile_.Reserve(waiting_[job].RequestAt(plans_[job].place), PlaceOf(job), plans_[job].nodes,
                     slot.start, EndOf(job));
    for (const int node : plans_[job].nodes)
      ends_.emplace(std::pair(EndOf(job), node), planned_.size());
    planned_.push_back(job);
  }

  void ReleaseAll() {
    for (const size_t job : planned_) {
      profile_.Release(waiting_[job].RequestAt(plans_[job].place), PlaceOf(job), plans_[job].nodes,
                       *plans_[job].start, EndOf(job));
    }
  }

  const Place& PlaceOf(size_t job) const { return waiting_[job].places[plans_[job].place]; }
  absl::Time EndOf(size_t job) const {
    return std::min(*plans_[job].start + waiting_[job].TimeLimitAt(plans_[job].place),
                    PlaceOf(job).closes);
  }

  // Calls `use` with each type of which the job could use nodes.
  template <typename Use>
  void ForEachType(size_t job, Use use) {
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (!IsUsable(job, place)) continue;
      for (const int type : waiting_[job].places[place].types) use(type);
    }
  }

  // The first job that may not be delayed and could use a node of the place; -1 = none.
  int FirstReserved(size_t job, size_t place) const {
    int first = -1;
    for (const int type : waiting_[job].places[place].types) {
      first = FirstOf(first, first_reserved_[type]);
    }
    return first;
  }

  // Whether a job before it that may not be delayed could use a node of one of its places; with
  // the main loop alone, of each.
  bool IsBehindAnother(size_t job) {
    bool in_some = false;
    bool in_all = true;
    for (size_t place = 0; place < waiting_[job].places.size(); ++place) {
      if (!IsUsable(job, place)) continue;
      const bool is_behind = FirstReserved(job, place) >= 0;
      in_some |= is_behind;
      in_all &= is_behind;
    }
    return options_.backfill == Backfill::kNone ? in_all : in_some;
  }

  void HoldUpOthers(size_t job) {
    ForEachType(job, [&](int type) {
      if (first_reserved_[type] < 0) first_reserved_[type] = static_cast<int>(job);
    });
  }

  // A job behind it that starts now on one of its nodes overtakes it.
  void Await(size_t job) {
    ForEachType(job, [&](int type) { is_awaited_[type] = true; });
  }

  // Sets the reason that the job does not start now. REQUIRES: it does not.
  void SetWait(size_t job) {
    JobPlan& plan = plans_[job];
    const auto& places = waiting_[job].places;
    std::optional<size_t> first_full;
    for (size_t place = 0; place < places.size(); ++place) {
      if (!IsUsable(job, place)) continue;
      if (profile_.FullPoolAt(now_, places[place]) >= 0) {
        if (!first_full.has_value()) first_full = place;
        continue;
      }
      const bool has_nodes = HasNodesNow(job, place);
      const int before = FirstReserved(job, place);
      plan.wait = has_nodes && before >= 0 ? Wait::kPriority : Wait::kResources;
      if (plan.wait != Wait::kPriority) continue;
      plan.behind_waiting = before;
      return;
    }
    if (plan.wait == Wait::kResources) return;
    plan.wait = Wait::kPool;
    plan.place = static_cast<int>(*first_full);
    plan.pool = places[*first_full].pools[profile_.FullPoolAt(now_, places[*first_full])].pool;
  }

  void FindWhoIsBefore(size_t job, const ClusterProfile::Slot& slot) {
    if (plans_[job].wait != Wait::kResources) return;
    if (const auto running = running_.HolderUntil(slot.start, slot.nodes)) {
      plans_[job].behind_running = static_cast<int>(*running);
      return;
    }
    size_t first = planned_.size();
    for (const int node : slot.nodes) {
      const auto planned = ends_.find(std::pair(slot.start, node));
      if (planned != ends_.end()) first = std::min(first, planned->second);
    }
    if (first < planned_.size()) plans_[job].behind_waiting = static_cast<int>(planned_[first]);
  }

  const RunningJobs& running_;
  ClusterProfile& profile_;  // With reservations, which are released in the end.
  const absl::Span<const WaitingJob> waiting_;
  const absl::Time now_;
  const PlanOptions& options_;
  StartGate* const gate_;  // Null = none.
  std::vector<JobPlan> plans_;
  std::vector<int> first_reserved_;  // By type; -1 = none.
  std::vector<bool> is_awaited_;     // By type: whether a job waits for its nodes.
  std::vector<size_t> left_over_;    // Jobs without a start and without a reservation.
  std::vector<size_t> planned_;      // Jobs with planned starts, in the order of decision.
  // The first job, by its index in planned_, that uses a node until a time.
  absl::flat_hash_map<std::pair<absl::Time, int>, size_t> ends_;
  std::vector<absl::InlinedVector<size_t, 1>> kinds_of_;  // By job and place; or kClosed.
  std::vector<Kind> kinds_;
  absl::flat_hash_map<std::vector<int64_t>, size_t> number_of_;  // Of kinds.
};

}  // namespace

std::vector<JobPlan> PlanStarts(const Cluster& cluster, absl::Span<const RunningJob> running,
                                absl::Span<const WaitingJob> waiting, absl::Time now,
                                const PlanOptions& options, StartGate* gate) {
  RunningJobs jobs(cluster);
  for (size_t job = 0; job < running.size(); ++job) jobs.Start(job, running[job]);
  return PlanStarts(&jobs, waiting, now, options, gate);
}

std::vector<JobPlan> PlanStarts(RunningJobs* running, absl::Span<const WaitingJob> waiting,
                                absl::Time now, const PlanOptions& options, StartGate* gate) {
  return Planner(running, waiting, now, options, gate).Plan();
}

}  // namespace priorityd::plan
