#include "tests/engine/plan/naive_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/types/span.h"

namespace priorityd::plan {
namespace {

constexpr int kMinutes = 300;
constexpr int kNever = -1;

struct Grid {
  std::vector<int> type_of;
  std::vector<std::vector<Amounts>> nodes;  // Free, by node and minute.
  std::vector<std::vector<int64_t>> pools;  // Free, by pool and minute.
};

Grid Idle(const Cluster& cluster) {
  Grid grid;
  for (size_t type = 0; type < cluster.types.size(); ++type) {
    for (int i = 0; i < cluster.types[type].nodes; ++i) {
      grid.type_of.push_back(static_cast<int>(type));
      grid.nodes.push_back(std::vector<Amounts>(kMinutes, cluster.types[type].each));
    }
  }
  for (const int64_t size : cluster.pools) grid.pools.emplace_back(kMinutes, size);
  return grid;
}

int Minutes(absl::Duration duration) {
  return static_cast<int>(std::min<int64_t>(kMinutes, absl::ToInt64Minutes(duration)));
}

bool Room(const Amounts& free, const Amounts& need) {
  for (size_t i = 0; i < need.size(); ++i) {
    if (need[i] > 0 && free[i] < need[i]) return false;
  }
  return true;
}

bool NodeRoom(const Grid& grid, int node, const Request& request, int from, int until) {
  for (int minute = from; minute < std::min(until, kMinutes); ++minute) {
    if (!Room(grid.nodes[node][minute], request.per_node)) return false;
  }
  return true;
}

bool PoolRoom(const Grid& grid, const Place& place, int from, int until) {
  for (const PoolNeed& need : place.pools) {
    for (int minute = from; minute < std::min(until, kMinutes); ++minute) {
      if (grid.pools[need.pool][minute] < need.amount) return false;
    }
  }
  return true;
}

// All nodes with room.
std::vector<int> NodesWithRoom(const Grid& grid, const Request& request, const Place& place,
                               int from, int until) {
  std::vector<int> nodes;
  for (size_t node = 0; node < grid.nodes.size(); ++node) {
    const std::set<int> types(place.types.begin(), place.types.end());
    if (types.count(grid.type_of[node]) == 0) continue;
    if (NodeRoom(grid, node, request, from, until)) nodes.push_back(node);
  }
  return nodes;
}

bool FitsAt(const Grid& grid, const Request& request, const Place& place, int from, int until) {
  return PoolRoom(grid, place, from, until) &&
         NodesWithRoom(grid, request, place, from, until).size() >= size_t(request.nodes);
}

void Take(const Request& request, const Place& place, const std::vector<int>& nodes, int from,
          int until, Grid* grid) {
  for (int minute = from; minute < std::min(until, kMinutes); ++minute) {
    for (const int node : nodes) {
      for (size_t i = 0; i < request.per_node.size(); ++i) {
        grid->nodes[node][minute][i] -= request.per_node[i];
      }
    }
    for (const PoolNeed& need : place.pools) grid->pools[need.pool][minute] -= need.amount;
  }
}

struct Naive {
  const Cluster& cluster;
  const std::vector<WaitingJob>& waiting;
  const absl::Time now;
  const PlanOptions& options;
  Grid grid;
  Grid idle;
  std::vector<JobPlan> plans;
  StartGate* gate = nullptr;
  std::vector<int> holding_up;
  std::vector<int> overtaken;   // By those behind it that start on nodes that it could use.
  std::set<const Place*> held;  // By the gate.

  const Request& RequestIn(int job, const Place& place) const {
    return place.request.has_value() ? *place.request : waiting[job].request;
  }

  int Until(int job, const Place& place, int from) const {
    const absl::Duration limit = place.time_limit.value_or(waiting[job].time_limit);
    return std::min(from + Minutes(limit), Minutes(place.closes - now));
  }

  static bool IsOpen(const Place& place, absl::Time start) {
    return place.opens <= start && start < place.closes;
  }

  bool EverFits(int job, const Place& place) const {
    return IsOpen(place, std::max(now, place.opens)) &&
           FitsAt(idle, RequestIn(job, place), place, 0, kMinutes);
  }
  bool Ever(int job, const Place& place) const {
    return held.count(&place) == 0 && EverFits(job, place);
  }

  // Whether the gate lets the job start in one of the places that it fits.
  bool AskGate(int job) {
    int first_held = -1;
    bool may_start = false;
    for (size_t place = 0; place < waiting[job].places.size(); ++place) {
      if (!EverFits(job, waiting[job].places[place])) continue;
      if (gate == nullptr || gate->MayStart(job, place)) {
        may_start = true;
        continue;
      }
      held.insert(&waiting[job].places[place]);
      if (first_held < 0) first_held = static_cast<int>(place);
    }
    if (may_start) return true;
    plans[job].wait = Wait::kGate;
    plans[job].place = first_held;
    return false;
  }

  // (minute, place) of the earliest start.
  std::pair<int, int> Earliest(int job) const {
    for (int minute = 0; minute < 200 && absl::Minutes(minute) <= options.window; ++minute) {
      for (size_t place = 0; place < waiting[job].places.size(); ++place) {
        const Place& where = waiting[job].places[place];
        if (!Ever(job, where) || !IsOpen(where, now + absl::Minutes(minute))) continue;
        if (IsSkipped(job, where)) continue;
        if (FitsAt(grid, RequestIn(job, where), where, minute, Until(job, where, minute))) {
          return {minute, static_cast<int>(place)};
        }
      }
    }
    return {kNever, 0};
  }

  void Put(int job, int minute, int place) {
    const Place& where = waiting[job].places[place];
    const int until = Until(job, where, minute);
    auto nodes = NodesWithRoom(grid, RequestIn(job, where), where, minute, until);
    nodes.resize(waiting[job].request.nodes);
    Take(RequestIn(job, where), where, nodes, minute, until, &grid);
    plans[job].start = now + absl::Minutes(minute);
    plans[job].place = place;
    plans[job].nodes = nodes;
  }

  int HeldUpBy(int job, absl::Span<const Place> places) const {
    for (const int before : holding_up) {
      for (const Place& a : waiting[before].places) {
        for (const Place& b : places) {
          if (!Ever(before, a) || !Ever(job, b)) continue;
          for (const int type : a.types) {
            if (std::count(b.types.begin(), b.types.end(), type) > 0) return before;
          }
        }
      }
    }
    return -1;
  }

  // The main loop alone skips a place for whose nodes a job before it waits.
  bool IsSkipped(int job, const Place& place) const {
    if (options.backfill != Backfill::kNone) return false;
    const int first = HeldUpBy(job, absl::MakeSpan(&place, 1));
    return first >= 0 && first < job;
  }

  // Whether the job gets its start after those that others wait for.
  bool IsHeldUp(int job) const {
    const auto& places = waiting[job].places;
    if (options.backfill != Backfill::kNone) return HeldUpBy(job, places) >= 0;
    return std::all_of(places.begin(), places.end(), [&](const Place& place) {
      return !Ever(job, place) || IsSkipped(job, place);
    });
  }

  bool Overtakes(int job) const {
    for (const int before : overtaken) {
      for (const Place& place : waiting[before].places) {
        if (!Ever(before, place)) continue;
        for (const int node : plans[job].nodes) {
          if (std::count(place.types.begin(), place.types.end(), grid.type_of[node]) > 0) {
            return true;
          }
        }
      }
    }
    return false;
  }

  void SayWhy(int job) {
    bool some_pool = false;
    int behind = -1;
    const Place* full = nullptr;
    for (const Place& place : waiting[job].places) {
      if (!Ever(job, place)) continue;
      if (full == nullptr) full = &place;
      if (!PoolRoom(grid, place, 0, 1)) continue;
      some_pool = true;
      const size_t free = NodesWithRoom(grid, RequestIn(job, place), place, 0, 1).size();
      if (behind >= 0 || free < size_t(waiting[job].request.nodes)) continue;
      behind = HeldUpBy(job, absl::MakeSpan(&place, 1));
    }
    if (!some_pool) {
      plans[job].wait = Wait::kPool;
      plans[job].place = static_cast<int>(full - waiting[job].places.data());
      const auto has_no_room = [&](const PoolNeed& need) {
        return grid.pools[need.pool][0] < need.amount;
      };
      plans[job].pool = std::find_if(full->pools.begin(), full->pools.end(), has_no_room)->pool;
    } else if (behind >= 0) {
      plans[job].wait = Wait::kPriority;
      plans[job].behind_waiting = behind;
    } else {
      plans[job].wait = Wait::kResources;
    }
  }

  bool StartsNow(int job) {
    const auto [minute, place] = Earliest(job);
    if (minute != 0) return false;
    Put(job, 0, place);
    if (gate != nullptr) gate->Start(job, place);
    plans[job].wait = Wait::kNone;
    plans[job].backfilled = Overtakes(job);
    return true;
  }

  // True if it is to be planned later, after those with a reserved start.
  bool Decide(int job) {
    if (StartsNow(job)) return false;
    SayWhy(job);
    const bool gets_one = options.backfill == Backfill::kConservative ||
                          (!IsHeldUp(job) && plans[job].wait != Wait::kPool);
    if (!gets_one) return true;
    overtaken.push_back(job);
    const auto [minute, place] = Earliest(job);
    const bool easy = options.backfill != Backfill::kConservative;
    if (minute != kNever || easy) holding_up.push_back(job);
    if (minute == kNever) return false;
    Put(job, minute, place);
    plans[job].reserved = true;
    return false;
  }
};

}  // namespace

std::vector<JobPlan> NaivePlan(const Cluster& cluster, const std::vector<RunningJob>& running,
                               const std::vector<WaitingJob>& waiting, absl::Time now,
                               const PlanOptions& options, StartGate* gate) {
  Naive naive{cluster,
              waiting,
              now,
              options,
              Idle(cluster),
              Idle(cluster),
              std::vector<JobPlan>(waiting.size()),
              gate};
  for (const bool said : {true, false}) {
    for (const RunningJob& job : running) {
      if (job.nodes.empty() == said) continue;
      std::vector<int> nodes = job.nodes;
      if (!said) {
        nodes = NodesWithRoom(naive.grid, job.request, job.place, 0, 1);
        nodes.resize(std::min<size_t>(nodes.size(), job.request.nodes));
      }
      const int until = std::max(1, Minutes(job.end - now));
      Take(job.request, job.place, nodes, 0, until, &naive.grid);
    }
  }
  for (const Closure& closure : cluster.closures) {
    std::vector<int> nodes;
    for (size_t node = 0; node < naive.grid.nodes.size(); ++node) {
      if (naive.grid.type_of[node] == closure.type) nodes.push_back(static_cast<int>(node));
    }
    const int from = std::max(0, Minutes(closure.from - now));
    Take({.per_node = closure.each}, {}, nodes, from, Minutes(closure.until - now), &naive.grid);
  }
  std::map<int, int> users, associations, partitions;
  int looked_at = 0;
  bool any_waits = false;
  std::vector<int> later;
  const auto full = [](int count, int most) { return most > 0 && count >= most; };
  for (size_t job = 0; job < waiting.size(); ++job) {
    const WaitingJob& waits = waiting[job];
    const int partition = waits.places[0].partition;
    if (looked_at >= options.max_job_test || full(users[waits.user], options.max_job_user) ||
        full(associations[waits.association], options.max_job_assoc) ||
        full(partitions[partition], options.max_job_part)) {
      continue;
    }
    if (std::none_of(waits.places.begin(), waits.places.end(),
                     [&](const Place& place) { return naive.Ever(job, place); })) {
      naive.plans[job].wait = Wait::kNeverFits;
      continue;
    }
    if (!naive.AskGate(job)) continue;
    if (naive.Decide(job)) later.push_back(job);
    any_waits |= naive.plans[job].wait != Wait::kNone;
    if (!any_waits) continue;
    ++looked_at, ++users[waits.user], ++associations[waits.association], ++partitions[partition];
  }
  for (const int job : later) {
    if (options.backfill == Backfill::kNone && naive.plans[job].wait != Wait::kPool) continue;
    const auto [minute, place] = naive.Earliest(job);
    if (minute != kNever) naive.Put(job, minute, place);
  }
  return naive.plans;
}

}  // namespace priorityd::plan
