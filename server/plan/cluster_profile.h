// What is free of a whole cluster over time, and when a request fits.
#ifndef PRIORITYD_SERVER_PLAN_CLUSTER_PROFILE_H_
#define PRIORITYD_SERVER_PLAN_CLUSTER_PROFILE_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/plan/cluster.h"
#include "server/plan/occupancy.h"
#include "server/plan/step_profile.h"

namespace priorityd::plan {

// A profile for each node and pool. Time is spent in what is looked for: n nodes of N take O(N log
// N) steps at most, and O(n) where they are free when one begins to look.
class ClusterProfile {
 public:
  struct Slot {
    absl::Time start;
    std::vector<int> nodes;  // The first that fit, ascending.
  };

  explicit ClusterProfile(const Cluster& cluster);

  // From when on, at `from` or later, up to `latest`, the request fits for that long; unset: at no
  // such time.
  std::optional<Slot> Earliest(const Request& request, const Place& place, absl::Duration duration,
                               absl::Time from, absl::Time latest);
  // Whether it fits for that long from `start` on.
  std::optional<Slot> At(const Request& request, const Place& place, absl::Duration duration,
                         absl::Time start) const;
  // Whether so many nodes have room at `time`, for however short a while; pools aside.
  bool HasNodesAt(absl::Time time, const Request& request, const Place& place) const;
  // The first pool of the place without room at `time`, by its place in `pools`; -1 = all have.
  int FullPoolAt(absl::Time time, const Place& place) const;

  // Takes what the request wants of those nodes and the place's pools, for [from, until).
  void Take(const Request& request, const Place& place, absl::Span<const int> nodes,
            absl::Time from, absl::Time until);

 private:
  // A window of a node.
  struct NodeWindow {
    int node;
    absl::Time first;
    absl::Time last;
  };

  // When all pools of the place have room.
  std::optional<absl::Time> PoolsFrom(const Place& place, absl::Duration duration,
                                      absl::Time from) const;
  // When enough nodes have.
  std::optional<absl::Time> NodesFrom(const Request& request, const Place& place,
                                      absl::Duration duration, absl::Time from, absl::Time latest);
  std::optional<absl::Time> Sweep(const Request& request, const Place& place,
                                  absl::Duration duration, absl::Time from, absl::Time latest);
  std::vector<int> NodesAt(const Request& request, const Place& place, absl::Duration duration,
                           absl::Time start) const;
  // The node's next window, if it begins by `latest`.
  std::optional<absl::Time> Offer(int node, const Request& request, absl::Duration duration,
                                  absl::Time from, absl::Time latest);

  std::vector<int> first_node_;  // Of each type, and one behind.
  std::vector<StepProfile> nodes_;
  std::vector<StepProfile> pools_;
  // Of one search: those to come by their beginning, those open by their end.
  std::vector<NodeWindow> coming_;
  std::vector<NodeWindow> open_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_CLUSTER_PROFILE_H_
