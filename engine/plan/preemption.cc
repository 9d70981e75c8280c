#include "engine/plan/preemption.h"

#include <algorithm>
#include <utility>

#include "engine/plan/occupancy.h"
#include "engine/plan/victim_search.h"

namespace priorityd::plan {
namespace {

// The search in one place of the job.
class Search {
 public:
  Search(const Occupancy& occupancy, absl::Span<const RunningJob> running, const Request& request,
         const Place& place, absl::Span<const int> candidates, VictimWork& work)
      : request_(request), place_(place), work_(work) {
    FindNodes(occupancy);
    for (const PoolNeed& need : place.pools) {
      needs_.push_back(need.amount);
      free_of_pools_.push_back(occupancy.free_of_pool[need.pool]);
      has_pools_ = has_pools_ && free_of_pools_.back() >= need.amount;
    }
    for (const int job : candidates) Consider(job, running[job], occupancy.nodes[job]);
  }

  std::optional<Victims> Run() {
    auto found = IsNodeByNode() ? NodeByNode() : Together();
    if (!found.has_value()) return std::nullopt;
    Victims victims{.fewest = found->fewest};
    for (const int i : found->candidates) Remove(candidates_[i], &victims);
    for (size_t i = 0; i < free_.size(); ++i) {
      if (victims.nodes.size() == static_cast<size_t>(request_.nodes)) break;
      if (Fits(request_.per_node, free_[i])) victims.nodes.push_back(nodes_[i]);
    }
    return victims;
  }

 private:
  using Found = VictimSearch::Found;

  void FindNodes(const Occupancy& occupancy) {
    place_of_node_.assign(occupancy.free.size(), -1);
    for (size_t node = 0; node < occupancy.free.size(); ++node) {
      const int type = occupancy.type_of[node];
      if (!std::binary_search(place_.types.begin(), place_.types.end(), type)) continue;
      place_of_node_[node] = static_cast<int>(nodes_.size());
      nodes_.push_back(static_cast<int>(node));
      free_.push_back(occupancy.free[node]);
    }
  }

  void Consider(int number, const RunningJob& job, const std::vector<int>& nodes) {
    Candidate candidate{.running = number, .per_node = job.request.per_node};
    for (const int node : nodes) {
      if (place_of_node_[node] >= 0) candidate.nodes.push_back(place_of_node_[node]);
    }
    bool helps = !candidate.nodes.empty();
    for (const PoolNeed& need : place_.pools) {
      int64_t held = 0;
      for (const PoolNeed& has : job.place.pools) {
        if (has.pool == need.pool) held += has.amount;
      }
      candidate.pools.push_back(held);
      helps = helps || held > 0;
    }
    if (helps) candidates_.push_back(std::move(candidate));
  }

  // If no candidate uses two nodes and the pools have room, the victims of nodes are disjoint.
  bool IsNodeByNode() const {
    return has_pools_ && std::all_of(candidates_.begin(), candidates_.end(),
                                     [](const auto& job) { return job.nodes.size() == 1; });
  }

  std::optional<Found> Together() const {
    return VictimSearch(request_, free_, free_of_pools_, needs_, candidates_).Run(work_);
  }

  // Finds the victims of each node, then takes the nodes with the fewest. The last victim breaks
  // ties: no two nodes share it.
  std::optional<Found> NodeByNode() const {
    std::vector<Found> by_node;
    int wanted = request_.nodes;
    std::vector<std::vector<int>> on_node(free_.size());
    for (size_t i = 0; i < candidates_.size(); ++i) {
      on_node[candidates_[i].nodes[0]].push_back(static_cast<int>(i));
    }
    for (size_t node = 0; node < free_.size(); ++node) {
      if (Fits(request_.per_node, free_[node])) {
        --wanted;
      } else if (auto found = OfNode(static_cast<int>(node), on_node[node])) {
        by_node.push_back(*std::move(found));
      }
    }
    if (static_cast<int>(by_node.size()) < wanted) return std::nullopt;
    std::sort(by_node.begin(), by_node.end(), [](const Found& a, const Found& b) {
      return a.candidates.size() != b.candidates.size() ? a.candidates.size() < b.candidates.size()
                                                        : a.candidates.back() < b.candidates.back();
    });
    Found all;
    for (const Found& node : by_node) all.fewest = all.fewest && node.fewest;
    for (int i = 0; i < wanted; ++i) {
      all.candidates.insert(all.candidates.end(), by_node[i].candidates.begin(),
                            by_node[i].candidates.end());
    }
    std::sort(all.candidates.begin(), all.candidates.end());
    return all;
  }

  std::optional<Found> OfNode(int node, const std::vector<int>& jobs) const {
    const Request one = {1, request_.per_node};
    std::vector<Candidate> there;
    for (const int i : jobs) {
      there.push_back(candidates_[i]);
      there.back().nodes = {0};
      there.back().pools.clear();
    }
    auto found = VictimSearch(one, {free_[node]}, {}, {}, there).Run(work_);
    if (!found.has_value()) return std::nullopt;
    for (int& i : found->candidates) i = jobs[i];
    return found;
  }

  void Remove(const Candidate& victim, Victims* victims) {
    victims->running.push_back(victim.running);
    for (const int node : victim.nodes) Add(victim.per_node, &free_[node]);
  }

  const Request& request_;
  const Place& place_;
  VictimWork& work_;
  std::vector<int> nodes_;          // The nodes of the place's types.
  std::vector<int> place_of_node_;  // Index into nodes_; -1 = not among them.
  std::vector<Amounts> free_;
  std::vector<int64_t> needs_, free_of_pools_;
  bool has_pools_ = true;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::optional<Victims> ChooseVictims(const Cluster& cluster, absl::Span<const RunningJob> running,
                                     const WaitingJob& job, absl::Span<const int> candidates,
                                     VictimWork& work) {
  const Occupancy occupancy = Occupy(cluster, running);
  std::optional<Victims> best;
  for (size_t place = 0; place < job.places.size(); ++place) {
    auto victims =
        Search(occupancy, running, job.request, job.places[place], candidates, work).Run();
    if (!victims.has_value()) continue;
    if (best.has_value() && best->running.size() <= victims->running.size()) continue;
    best = std::move(victims);
    best->place = static_cast<int>(place);
  }
  return best;
}

}  // namespace priorityd::plan
