// The fewest jobs to take away so that a request fits some nodes.
#ifndef PRIORITYD_SERVER_PLAN_VICTIM_SEARCH_H_
#define PRIORITYD_SERVER_PLAN_VICTIM_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "server/plan/amounts.h"
#include "server/plan/cluster.h"

namespace priorityd::plan {

// Some who could be taken away, in the order in which they are to go.
struct Candidate {
  int running = 0;             // Its number.
  Amounts per_node;            // Of each of its nodes.
  std::vector<int> nodes;      // Places in VictimSearch's nodes.
  std::vector<int64_t> pools;  // What it holds of each of the request's pools.
};

// Looks for the fewest, with a bound on the work.
class VictimSearch {
 public:
  struct Found {
    std::vector<int> candidates;  // Ascending; places in those given.
    bool fewest = true;
  };

  // `free`: of the nodes; `free_of_pools`: of the request's pools, in the order of `needs`. The
  // candidates outlive this.
  VictimSearch(const Request& request, std::vector<Amounts> free,
               std::vector<int64_t> free_of_pools, std::vector<int64_t> needs,
               const std::vector<Candidate>& candidates);

  // See ChooseVictims. Unset: not even without all of them.
  std::optional<Found> Run();

 private:
  bool Fits() const { return fitting_ >= request_.nodes && pools_short_ == 0; }
  void Take(const Candidate& candidate) { Change(candidate, 1); }
  void GiveBack(const Candidate& candidate) { Change(candidate, -1); }
  void Change(const Candidate& candidate, int sign);

  // Those in front until it fits, without those that can be spared.
  std::optional<std::vector<int>> FrontUntilItFits();
  // Adds `count` of the candidates before `end` so that it fits; false: no such are there, or the
  // work is done.
  bool Choose(int count, int end, std::vector<int>* chosen);
  // Whether so many more could do, by how much they are at most.
  bool MayDo(int count) const;

  const Request& request_;
  std::vector<Amounts> free_;
  std::vector<int64_t> free_of_pools_;
  const std::vector<int64_t> needs_;
  const std::vector<Candidate>& candidates_;
  int fitting_ = 0;  // Nodes that the request fits.
  int pools_short_ = 0;
  int widest_ = 0;   // Nodes of a candidate.
  Amounts largest_;  // Of a node of a candidate, by resource.
  int last_in_front_ = 0;
  int64_t work_ = 0;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_VICTIM_SEARCH_H_
