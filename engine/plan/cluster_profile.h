// The free resources of a cluster over time, and the times at which a request fits.
#ifndef PRIORITYD_ENGINE_PLAN_CLUSTER_PROFILE_H_
#define PRIORITYD_ENGINE_PLAN_CLUSTER_PROFILE_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/cluster.h"
#include "engine/plan/releases.h"
#include "engine/plan/step_profile.h"

namespace priorityd::plan {

// One profile per node and pool, and the releases of each node type in order of time: a request
// that does not fit at some time fits no earlier than at the next release. A search for n of N
// nodes looks at each node once, then at the releases up to the start.
class ClusterProfile {
 public:
  struct Slot {
    absl::Time start;
    std::vector<int> nodes;  // The first nodes that fit, ascending.
  };

  // The profile of an idle cluster: the resources that its closures leave.
  explicit ClusterProfile(const Cluster& cluster);

  int type_of(int node) const { return type_of_[node]; }

  // The earliest time in [from, latest] from which the request fits for `duration`; nullopt = none.
  std::optional<Slot> Earliest(const Request& request, const Place& place, absl::Duration duration,
                               absl::Time from, absl::Time latest);
  // The same without a look at each node. REQUIRES: the place is open and has no pools, and shortly
  // before `from` the request fitted on no node of it.
  std::optional<Slot> EarliestRelease(const Request& request, const Place& place,
                                      absl::Duration duration, absl::Time from, absl::Time latest);
  // The nodes on which the request fits for `duration` from `start` on; nullopt = it does not fit.
  std::optional<Slot> At(const Request& request, const Place& place, absl::Duration duration,
                         absl::Time start) const;
  // The number of nodes with room at the instant `time`, at most those requested; ignores pools.
  int CountNodesAt(absl::Time time, const Request& request, const Place& place) const;
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
  // Nodes on which a job of the current search may start, each up to a last time.
  struct OpenNode {
    absl::Time last;
    int node;
  };
  struct Search {
    const Request& request;
    const Place& place;
    absl::Duration duration;
  };

  // The earliest time from `from` on at which all pools of the place have room for `duration`.
  std::optional<absl::Time> PoolsFrom(const Place& place, absl::Duration duration,
                                      absl::Time from) const;
  // The earliest slot from `from` on as far as nodes matter.
  std::optional<Slot> NodesFrom(const Search& search, absl::Time from, absl::Time latest);
  // Opens the nodes on which the search may start at `from`, the first ones if these are enough.
  void OpenNodesAt(const Search& search, absl::Time from);
  // Opens and closes nodes as time passes.
  std::optional<Slot> Sweep(const Search& search, const Releases::Key& from, absl::Time latest);
  bool HasEnoughOpen(const Search& search) const {
    return open_.size() >= static_cast<size_t>(search.request.nodes);
  }
  // The first of the open nodes.
  Slot SlotOfOpen(const Search& search, absl::Time start) const;
  std::vector<int> NodesAt(const Request& request, const Place& place, absl::Duration duration,
                           absl::Time start) const;
  template <typename Change>
  void ChangeNode(int node, absl::Time from, absl::Time until, Change change);

  std::vector<int> first_node_;  // By type; the last entry is the number of nodes.
  std::vector<int> type_of_;     // By node.
  std::vector<StepProfile> nodes_;
  std::vector<StepProfile> pools_;
  std::vector<Releases> releases_;  // By type: those of nodes_.
  std::vector<OpenNode> open_;      // A heap by their last times.
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_CLUSTER_PROFILE_H_
