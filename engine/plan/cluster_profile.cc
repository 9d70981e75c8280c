#include "engine/plan/cluster_profile.h"

#include <algorithm>
#include <utility>

namespace priorityd::plan {
namespace {

absl::Time LatestStart(const Place& place) { return place.closes - absl::Nanoseconds(1); }

}  // namespace

ClusterProfile::ClusterProfile(const Cluster& cluster)
    : first_node_{0}, releases_(cluster.types.size()) {
  for (size_t type = 0; type < cluster.types.size(); ++type) {
    const NodeType& nodes = cluster.types[type];
    nodes_.insert(nodes_.end(), nodes.nodes, StepProfile(nodes.each));
    type_of_.insert(type_of_.end(), nodes.nodes, static_cast<int>(type));
    first_node_.push_back(static_cast<int>(nodes_.size()));
  }
  for (const int64_t size : cluster.pools) pools_.emplace_back(Amounts{size});
  for (const Closure& closure : cluster.closures) {
    for (int node = first_node_[closure.type]; node < first_node_[closure.type + 1]; ++node) {
      ChangeNode(node, closure.from, closure.until, [&](StepProfile* profile) {
        profile->Reserve(closure.from, closure.until, closure.each);
      });
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
    std::optional<Slot> slot = NodesFrom({request, place, duration}, *pools, latest);
    if (!slot.has_value() || PoolsFrom(place, duration, slot->start) == slot->start) return slot;
    time = slot->start;
  }
}

std::optional<ClusterProfile::Slot> ClusterProfile::EarliestRelease(const Request& request,
                                                                    const Place& place,
                                                                    absl::Duration duration,
                                                                    absl::Time from,
                                                                    absl::Time latest) {
  open_.clear();
  return Sweep({request, place, duration}, {from, 0}, std::min(latest, LatestStart(place)));
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

int ClusterProfile::CountNodesAt(absl::Time time, const Request& request,
                                 const Place& place) const {
  int found = 0;
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      found += Fits(request.per_node, nodes_[node].FreeAt(time));
      if (found == request.nodes) return found;
    }
  }
  return found;
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
  for (const int node : nodes) {
    ChangeNode(node, from, until,
               [&](StepProfile* profile) { profile->Reserve(from, until, request.per_node); });
  }
  for (const PoolNeed& need : place.pools) pools_[need.pool].Reserve(from, until, {need.amount});
}

void ClusterProfile::Release(const Request& request, const Place& place,
                             absl::Span<const int> nodes, absl::Time from, absl::Time until) {
  for (const int node : nodes) {
    ChangeNode(node, from, until,
               [&](StepProfile* profile) { profile->Release(from, until, request.per_node); });
  }
  for (const PoolNeed& need : place.pools) pools_[need.pool].Release(from, until, {need.amount});
}

template <typename Change>
void ClusterProfile::ChangeNode(int node, absl::Time from, absl::Time until, Change change) {
  Releases& releases = releases_[type_of_[node]];
  StepProfile& profile = nodes_[node];
  absl::InlinedVector<absl::Time, 8> before;
  profile.ForEachRise(from, until,
                      [&](const StepProfile::Rise& rise) { before.push_back(rise.time); });
  change(&profile);
  auto old = before.begin();
  profile.ForEachRise(from, until, [&](const StepProfile::Rise& rise) {
    for (; old != before.end() && *old < rise.time; ++old) releases.Erase({*old, node});
    const bool was_there = old != before.end() && *old == rise.time;
    if (was_there) {
      releases.Update(node, rise);
      ++old;
    } else {
      releases.Insert(node, rise);
    }
  });
  for (; old != before.end(); ++old) releases.Erase({*old, node});
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

std::optional<ClusterProfile::Slot> ClusterProfile::NodesFrom(const Search& search, absl::Time from,
                                                              absl::Time latest) {
  open_.clear();
  OpenNodesAt(search, from);
  if (HasEnoughOpen(search)) return SlotOfOpen(search, from);
  return Sweep(search, {from, static_cast<int>(nodes_.size())}, latest);
}

void ClusterProfile::OpenNodesAt(const Search& search, absl::Time from) {
  for (const int type : search.place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      const auto window = nodes_[node].NextWindow(from, search.duration, search.request.per_node,
                                                  from, search.place.closes);
      if (!window.has_value()) continue;
      open_.push_back({window->last, node});
      if (HasEnoughOpen(search)) return;
    }
  }
}

std::optional<ClusterProfile::Slot> ClusterProfile::Sweep(const Search& search,
                                                          const Releases::Key& from,
                                                          absl::Time latest) {
  const auto ends_later = [](const OpenNode& a, const OpenNode& b) { return a.last > b.last; };
  std::make_heap(open_.begin(), open_.end(), ends_later);
  const Releases::Need need = {search.request.per_node, search.duration, search.place.closes};
  MergedWalk walk(releases_, search.place.types, need, from);
  while (!walk.is_done() && walk.key().time <= latest) {
    const absl::Time time = walk.key().time;
    while (!open_.empty() && open_.front().last < time) {
      std::pop_heap(open_.begin(), open_.end(), ends_later);
      open_.pop_back();
    }
    for (; !walk.is_done() && walk.key().time == time; walk.Next()) {
      const int node = walk.key().node;
      const auto last = nodes_[node].WindowThatOpensAt(
          time, search.duration, search.request.per_node, search.place.closes);
      if (!last.has_value()) continue;
      if (search.request.nodes == 1) return Slot{time, {node}};
      open_.push_back({*last, node});
      std::push_heap(open_.begin(), open_.end(), ends_later);
    }
    if (HasEnoughOpen(search)) return SlotOfOpen(search, time);
  }
  return std::nullopt;
}

ClusterProfile::Slot ClusterProfile::SlotOfOpen(const Search& search, absl::Time start) const {
  Slot slot{start};
  for (const OpenNode& open : open_) slot.nodes.push_back(open.node);
  std::sort(slot.nodes.begin(), slot.nodes.end());
  slot.nodes.resize(search.request.nodes);
  return slot;
}

}  // namespace priorityd::plan
