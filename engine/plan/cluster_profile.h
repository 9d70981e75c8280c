// The free resources of a cluster over time, and when a request fits.
#ifndef PRIORITYD_ENGINE_PLAN_CLUSTER_PROFILE_H_
#define PRIORITYD_ENGINE_PLAN_CLUSTER_PROFILE_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/cluster.h"
#include "engine/plan/occupancy.h"
#include "engine/plan/step_profile.h"

namespace priorityd::plan {

// One profile per node and pool. A search for n of N nodes takes O(N log N) steps at most, and O(n)
// if they are free at the beginning of the search.
class ClusterProfile {
 public:
  struct Slot {
    absl::Time start;
    std::vector<int> nodes;  // The first nodes that fit, ascending.
  };

  // That of an idle cluster: what its closures leave.
  explicit ClusterProfile(const Cluster& cluster);

  // The earliest time in [from, latest] from which the request fits for `duration`; nullopt = none.
  std::optional<Slot> Earliest(const Request& request, const Place& place, absl::Duration duration,
                               absl::Time from, absl::Time latest);
  // The nodes on which the request fits for `duration` from `start` on; nullopt = it does not fit.
  std::optional<Slot> At(const Request& request, const Place& place, absl::Duration duration,
                         absl::Time start) const;
  // Whether enough nodes have room at the instant `time`; ignores pools.
  bool HasNodesAt(absl::Time time, const Request& request, const Place& place) const;
  // The first nodes with room at the instant `time`, ascending; fewer than requested if not enough
  // have room. Ignores pools.
  std::vector<int> FirstAt(absl::Time time, const Request& request, const Place& place) const;
  // The first pool of the place without room at `time`, as an index into Place::pools; -1 = none.
  int FullPoolAt(absl::Time time, const Place& place) const;

  // Reserves the request on those nodes and in the place's pools for [from, until).
  void Reserve(const Request& request, const Place& place, absl::Span<const int> nodes,
               absl::Time from, absl::Time until);
  // Undoes that.
  void Release(const Request& request, const Place& place, absl::Span<const int> nodes,
               absl::Time from, absl::Time until);

 private:
  // A window in which one node has room.
  struct NodeWindow {
    int node;
    absl::Time first;
    absl::Time last;
  };

  // The earliest time from `from` on at which all pools of the place have room for `duration`.
  std::optional<absl::Time> PoolsFrom(const Place& place, absl::Duration duration,
                                      absl::Time from) const;
  // The same for enough nodes.
  std::optional<absl::Time> NodesFrom(const Request& request, const Place& place,
                                      absl::Duration duration, absl::Time from, absl::Time latest);
  std::optional<absl::Time> Sweep(const Request& request, const Place& place,
                                  absl::Duration duration, absl::Time from, absl::Time latest);
  std::vector<int> NodesAt(const Request& request, const Place& place, absl::Duration duration,
                           absl::Time start) const;
  // Queues the node's next window if it begins by `latest`; returns the time at which it begins.
  std::optional<absl::Time> Offer(int node, const Request& request, const Place& place,
                                  absl::Duration duration, absl::Time from, absl::Time latest);

  std::vector<int> first_node_;  // By type; the last entry is the number of nodes.
  std::vector<StepProfile> nodes_;
  std::vector<StepProfile> pools_;
  // Heaps of the current search: future windows by their begin, open windows by their end.
  std::vector<NodeWindow> coming_;
  std::vector<NodeWindow> open_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_CLUSTER_PROFILE_H_
