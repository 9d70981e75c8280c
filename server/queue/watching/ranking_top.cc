#include "server/queue/watching/ranking_top.h"

#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace priorityd::queue {
namespace {

using Name = std::tuple<absl::string_view, absl::string_view, absl::string_view>;

Name NameOf(const TopRow& row) { return {row.job_id, row.partition, row.qos}; }

bool Same(const priority::PriorityFactors& a, const priority::PriorityFactors& b) {
  const auto all = [](const priority::PriorityFactors& f) {
    return std::tie(f.age, f.assoc, f.fair_share, f.job_size, f.partition, f.qos, f.tres, f.site,
                    f.nice);
  };
  return all(a) == all(b);
}

bool Same(const std::unique_ptr<const priority::PriorityFactors>& a,
          const std::unique_ptr<const priority::PriorityFactors>& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return Same(*a, *b);
}

// Compares two rows of the same name.
bool Same(const TopRow& a, const TopRow& b) {
  return a.rank == b.rank && a.priority == b.priority && a.best_of_job == b.best_of_job &&
         a.user == b.user && a.account == b.account && a.priority_tier == b.priority_tier &&
         a.start == b.start && Same(a.factors, b.factors) && Same(a.contributions, b.contributions);
}

bool Same(const WaitingJob& a, const WaitingJob& b) {
  return NameOf(a.row) == NameOf(b.row) && a.reason == b.reason && a.message == b.message &&
         Same(a.row, b.row);
}

void CompareIneligible(const RankingTop& before, const RankingTop& after, bool same_tres,
                       TopDelta* delta) {
  absl::flat_hash_map<absl::string_view, uint32_t> places;
  places.reserve(before.ineligible.size());
  for (uint32_t i = 0; i < before.ineligible.size(); ++i) {
    places.emplace(before.ineligible[i].row.job_id, i);
  }
  std::vector<bool> stays(before.ineligible.size());
  for (uint32_t i = 0; i < after.ineligible.size(); ++i) {
    const WaitingJob& job = after.ineligible[i];
    const auto place = places.find(job.row.job_id);
    const bool known = place != places.end();
    if (known) stays[place->second] = true;
    if (known && same_tres && Same(before.ineligible[place->second], job)) continue;
    delta->ineligible.push_back(i);
  }
  for (uint32_t i = 0; i < stays.size(); ++i) {
    if (!stays[i]) delta->eligible.push_back(i);
  }
}

}  // namespace

TopDelta Compare(const RankingTop& before, const RankingTop& after) {
  absl::flat_hash_map<Name, uint32_t> places;
  places.reserve(before.rows.size());
  for (uint32_t i = 0; i < before.rows.size(); ++i) places.emplace(NameOf(before.rows[i]), i);
  // The same factors under other TRES names are different factors.
  const bool same_tres = before.tres == after.tres;
  std::vector<bool> stays(before.rows.size());
  TopDelta delta;
  for (uint32_t i = 0; i < after.rows.size(); ++i) {
    const auto place = places.find(NameOf(after.rows[i]));
    if (place == places.end()) {
      delta.entered.push_back(i);
      continue;
    }
    stays[place->second] = true;
    if (same_tres && Same(before.rows[place->second], after.rows[i])) continue;
    delta.changed.push_back({place->second, i});
  }
  for (uint32_t i = 0; i < before.rows.size(); ++i) {
    if (!stays[i]) delta.left.push_back(i);
  }
  CompareIneligible(before, after, same_tres, &delta);
  return delta;
}

}  // namespace priorityd::queue
