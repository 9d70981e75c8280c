// Searches the smallest set of jobs whose removal makes a request fit.
#ifndef PRIORITYD_ENGINE_PLAN_VICTIM_SEARCH_H_
#define PRIORITYD_ENGINE_PLAN_VICTIM_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/plan/amounts.h"
#include "engine/plan/cluster.h"
#include "engine/plan/victim_work.h"

namespace priorityd::plan {

// A job that can be removed. Candidates are in the order in which they should be removed.
struct Candidate {
  int running = 0;             // The number of the running job.
  Amounts per_node;            // Its amounts on each of its nodes.
  std::vector<int> nodes;      // Indices into the nodes of VictimSearch.
  std::vector<int64_t> pools;  // Its amount in each of the request's pools.
};

// An exhaustive search with a bound on its work.
class VictimSearch {
 public:
  struct Found {
    std::vector<int> candidates;  // Ascending indices into the candidates.
    bool fewest = true;
  };

  // `free`: the free amounts by node; `free_of_pools`: those of the request's pools, in the order
  // of `needs`. `request` and `candidates` must outlive it.
  VictimSearch(const Request& request, std::vector<Amounts> free,
               std::vector<int64_t> free_of_pools, std::vector<int64_t> needs,
               const std::vector<Candidate>& candidates);

  // See ChooseVictims. nullopt = removing all candidates is not enough. Takes its work off `work`,
  // which it exceeds by what it takes to stop, some hundreds at most.
  std::optional<Found> Run(VictimWork& work);

 private:
  bool Fits() const { return fitting_ >= request_.nodes && pools_short_ == 0; }
  void Remove(const Candidate& candidate) { Change(candidate, 1); }
  void Restore(const Candidate& candidate) { Change(candidate, -1); }
  void Change(const Candidate& candidate, int sign);

  // Removes candidates in order until the request fits, then returns those that cannot be spared.
  std::optional<std::vector<int>> FrontUntilItFits();
  // The fewest that are enough, `most` or fewer; nullopt = the bound on the work was reached first.
  std::optional<std::vector<int>> Fewest(int most);
  // Adds `count` of the candidates before `end` so that the request fits; false if there are none,
  // or if the bound on the work is reached.
  bool Choose(int count, int end, std::vector<int>* chosen);
  // Whether `count` more candidates could be enough, by an upper bound on what they release.
  bool MayDo(int count) const;

  const Request& request_;
  std::vector<Amounts> free_;
  std::vector<int64_t> free_of_pools_;
  const std::vector<int64_t> needs_;
  const std::vector<Candidate>& candidates_;
  int fitting_ = 0;      // Nodes on which the request fits.
  int pools_short_ = 0;  // Pools without room.
  int widest_ = 0;       // The largest number of nodes of a candidate.
  Amounts largest_;      // The largest amount per node of a candidate, by resource.
  int last_in_front_ = 0;
  int64_t work_ = 0;
  int64_t most_work_ = 0;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_VICTIM_SEARCH_H_
