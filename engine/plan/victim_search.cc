#include "engine/plan/victim_search.h"

#include <algorithm>
#include <utility>

namespace priorityd::plan {

VictimSearch::VictimSearch(const Request& request, std::vector<Amounts> free,
                           std::vector<int64_t> free_of_pools, std::vector<int64_t> needs,
                           const std::vector<Candidate>& candidates)
    : request_(request),
      free_(std::move(free)),
      free_of_pools_(std::move(free_of_pools)),
      needs_(std::move(needs)),
      candidates_(candidates),
      largest_(request.per_node.size(), 0) {
  for (const Amounts& node : free_) fitting_ += plan::Fits(request_.per_node, node);
  for (size_t i = 0; i < needs_.size(); ++i) pools_short_ += free_of_pools_[i] < needs_[i];
  for (const Candidate& candidate : candidates_) {
    widest_ = std::max(widest_, static_cast<int>(candidate.nodes.size()));
    for (size_t i = 0; i < largest_.size(); ++i) {
      largest_[i] = std::max(largest_[i], candidate.per_node[i]);
    }
  }
}

std::optional<VictimSearch::Found> VictimSearch::Run(VictimWork& work) {
  std::optional<std::vector<int>> front = FrontUntilItFits();
  if (!front.has_value()) return std::nullopt;
  most_work_ = std::min(work.left, VictimWork::kMostOfSearch);
  std::optional<std::vector<int>> fewest = Fewest(static_cast<int>(front->size()));
  work.left -= work_;
  if (fewest.has_value()) return Found{*std::move(fewest), true};
  return Found{*std::move(front), false};
}

std::optional<std::vector<int>> VictimSearch::Fewest(int most) {
  for (int count = 0; count <= most; ++count) {
    std::vector<int> chosen;
    if (Choose(count, static_cast<int>(candidates_.size()), &chosen)) {
      std::reverse(chosen.begin(), chosen.end());
      return chosen;
    }
    if (work_ > most_work_) break;
  }
  return std::nullopt;
}

void VictimSearch::Change(const Candidate& candidate, int sign) {
  work_ += 1 + static_cast<int64_t>(candidate.nodes.size());
  for (const int node : candidate.nodes) {
    fitting_ -= plan::Fits(request_.per_node, free_[node]);
    for (size_t i = 0; i < candidate.per_node.size(); ++i) {
      free_[node][i] += sign * candidate.per_node[i];
    }
    fitting_ += plan::Fits(request_.per_node, free_[node]);
  }
  for (size_t i = 0; i < needs_.size(); ++i) {
    pools_short_ -= free_of_pools_[i] < needs_[i];
    free_of_pools_[i] += sign * candidate.pools[i];
    pools_short_ += free_of_pools_[i] < needs_[i];
  }
}

std::optional<std::vector<int>> VictimSearch::FrontUntilItFits() {
  std::vector<int> front;
  for (int i = 0; i < static_cast<int>(candidates_.size()) && !Fits(); ++i) {
    Remove(candidates_[i]);
    front.push_back(i);
  }
  const bool fits = Fits();
  last_in_front_ = static_cast<int>(front.size()) - 1;
  std::vector<int> needed;
  for (auto i = front.rbegin(); fits && i != front.rend(); ++i) {
    Restore(candidates_[*i]);
    if (Fits()) continue;
    Remove(candidates_[*i]);
    needed.push_back(*i);
  }
  for (const int i : fits ? needed : front) Restore(candidates_[i]);
  work_ = 0;
  if (!fits) return std::nullopt;
  std::reverse(needed.begin(), needed.end());
  return needed;
}

// Chooses the last candidate first, as early in the order as possible.
bool VictimSearch::Choose(int count, int end, std::vector<int>* chosen) {
  if (count == 0) return Fits();
  if (!MayDo(count)) return false;
  const int first = chosen->empty() ? std::max(count - 1, last_in_front_) : count - 1;
  for (int i = first; i < end && work_ <= most_work_; ++i) {
    Remove(candidates_[i]);
    chosen->push_back(i);
    const bool done = Choose(count - 1, i, chosen);
    Restore(candidates_[i]);
    if (done) return true;
    chosen->pop_back();
  }
  return false;
}

bool VictimSearch::MayDo(int count) const {
  if (fitting_ + int64_t{count} * widest_ < request_.nodes) return false;
  if (free_.size() != 1) return true;
  for (size_t i = 0; i < largest_.size(); ++i) {
    const int64_t need = request_.per_node[i];
    if (need > 0 && free_[0][i] + count * largest_[i] < need) return false;
  }
  return true;
}

}  // namespace priorityd::plan
