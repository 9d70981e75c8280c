#include "engine/plan/cluster_profile.h"

#include <algorithm>
#include <utility>

namespace priorityd::plan {
namespace {

constexpr absl::Duration kFirstLook = absl::Hours(1);

absl::Time LatestStart(const Place& place) { return place.closes - absl::Nanoseconds(1); }

}  // namespace

ClusterProfile::ClusterProfile(const Cluster& cluster) : first_node_{0} {
  for (const NodeType& type : cluster.types) {
    nodes_.insert(nodes_.end(), type.nodes, StepProfile(type.each));
    first_node_.push_back(static_cast<int>(nodes_.size()));
  }
  for (const int64_t size : cluster.pools) pools_.emplace_back(Amounts{size});
  for (const Closure& closure : cluster.closures) {
    for (int node = first_node_[closure.type]; node < first_node_[closure.type + 1]; ++node) {
      nodes_[node].Reserve(closure.from, closure.until, closure.each);
    }
  }
}

std::optional<ClusterProfile::Slot> ClusterProfile::Earliest(const Request& request,
                                                             const Place& place,
                                                             absl::Duration duration,
                                                             absl::Time from, absl::Time latest) {
  latest = std::min(latest, LatestStart(place));
  for (absl::Time time = std::max(from, place.opens);;) {
    const std::optional<absl::Time> pools = PoolsFrom(place, duration, time);
    if (!pools.has_value() || *pools > latest) return std::nullopt;
    const std::optional<absl::Time> nodes = NodesFrom(request, place, duration, *pools, latest);
    if (!nodes.has_value()) return std::nullopt;
    if (*nodes == *pools) return Slot{*nodes, NodesAt(request, place, duration, *nodes)};
    time = *nodes;
  }
}

std::optional<ClusterProfile::Slot> ClusterProfile::At(const Request& request, const Place& place,
                                                       absl::Duration duration,
                                                       absl::Time start) const {
  if (start < place.opens || start > LatestStart(place)) return std::nullopt;
  if (PoolsFrom(place, duration, start) != start) return std::nullopt;
  std::vector<int> nodes = NodesAt(request, place, duration, start);
  if (nodes.size() < static_cast<size_t>(request.nodes)) return std::nullopt;
  return Slot{start, std::move(nodes)};
}

bool ClusterProfile::HasNodesAt(absl::Time time, const Request& request, const Place& place) const {
  int found = 0;
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      found += Fits(request.per_node, nodes_[node].FreeAt(time));
      if (found == request.nodes) return true;
    }
  }
  return false;
}

std::vector<int> ClusterProfile::FirstAt(absl::Time time, const Request& request,
                                         const Place& place) const {
  std::vector<int> nodes;
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      if (nodes.size() == static_cast<size_t>(request.nodes)) return nodes;
      if (Fits(request.per_node, nodes_[node].FreeAt(time))) nodes.push_back(node);
    }
  }
  return nodes;
}

int ClusterProfile::FullPoolAt(absl::Time time, const Place& place) const {
  for (size_t i = 0; i < place.pools.size(); ++i) {
    const PoolNeed& need = place.pools[i];
    if (pools_[need.pool].FreeAt(time)[0] < need.amount) return static_cast<int>(i);
  }
  return -1;
}

void ClusterProfile::Reserve(const Request& request, const Place& place,
                             absl::Span<const int> nodes, absl::Time from, absl::Time until) {
  for (const int node : nodes) nodes_[node].Reserve(from, until, request.per_node);
  for (const PoolNeed& need : place.pools) pools_[need.pool].Reserve(from, until, {need.amount});
}

void ClusterProfile::Release(const Request& request, const Place& place,
                             absl::Span<const int> nodes, absl::Time from, absl::Time until) {
  for (const int node : nodes) nodes_[node].Release(from, until, request.per_node);
  for (const PoolNeed& need : place.pools) pools_[need.pool].Release(from, until, {need.amount});
}

std::optional<absl::Time> ClusterProfile::PoolsFrom(const Place& place, absl::Duration duration,
                                                    absl::Time from) const {
  absl::Time time = from;
  for (size_t agreed = 0, i = 0; agreed < place.pools.size(); i = (i + 1) % place.pools.size()) {
    const PoolNeed& need = place.pools[i];
    const auto window = pools_[need.pool].NextWindow(time, duration, {need.amount},
                                                     LatestStart(place), place.closes);
    if (!window.has_value()) return std::nullopt;
    agreed = window->first == time ? agreed + 1 : 1;
    time = window->first;
  }
  return time;
}

std::vector<int> ClusterProfile::NodesAt(const Request& request, const Place& place,
                                         absl::Duration duration, absl::Time start) const {
  std::vector<int> found;
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      const auto window =
          nodes_[node].NextWindow(start, duration, request.per_node, start, place.closes);
      if (!window.has_value()) continue;
      found.push_back(node);
      if (found.size() == static_cast<size_t>(request.nodes)) return found;
    }
  }
  return found;
}

std::optional<absl::Time> ClusterProfile::Offer(int node, const Request& request,
                                                const Place& place, absl::Duration duration,
                                                absl::Time from, absl::Time latest) {
  const auto window =
      nodes_[node].NextWindow(from, duration, request.per_node, latest, place.closes);
  if (!window.has_value()) return std::nullopt;
  coming_.push_back({node, window->first, window->last});
  return window->first;
}

// The start is usually soon, so searches a short horizon before the full one.
std::optional<absl::Time> ClusterProfile::NodesFrom(const Request& request, const Place& place,
                                                    absl::Duration duration, absl::Time from,
                                                    absl::Time latest) {
  for (absl::Duration ahead = kFirstLook; from + ahead < latest; ahead *= 4) {
    if (auto time = Sweep(request, place, duration, from, from + ahead)) return time;
  }
  return Sweep(request, place, duration, from, latest);
}

// Sweeps over time: opens and closes the windows of nodes; when a window closes, searches the next
// one of its node.
std::optional<absl::Time> ClusterProfile::Sweep(const Request& request, const Place& place,
                                                absl::Duration duration, absl::Time from,
                                                absl::Time latest) {
  const auto begins_later = [](const NodeWindow& a, const NodeWindow& b) {
    return a.first > b.first;
  };
  const auto ends_later = [](const NodeWindow& a, const NodeWindow& b) { return a.last > b.last; };
  coming_.clear();
  open_.clear();
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      const auto first = Offer(node, request, place, duration, from, latest);
      if (request.nodes == 1) latest = std::min(latest, first.value_or(latest));
    }
  }
  std::make_heap(coming_.begin(), coming_.end(), begins_later);
  while (!coming_.empty()) {
    std::pop_heap(coming_.begin(), coming_.end(), begins_later);
    const NodeWindow opening = coming_.back();
    coming_.pop_back();
    while (!open_.empty() && open_.front().last < opening.first) {
      std::pop_heap(open_.begin(), open_.end(), ends_later);
      const bool has_next =
          Offer(open_.back().node, request, place, duration, opening.first, latest).has_value();
      if (has_next) std::push_heap(coming_.begin(), coming_.end(), begins_later);
      open_.pop_back();
    }
    open_.push_back(opening);
    std::push_heap(open_.begin(), open_.end(), ends_later);
    if (open_.size() == static_cast<size_t>(request.nodes)) return opening.first;
  }
  return std::nullopt;
}

}  // namespace priorityd::plan
