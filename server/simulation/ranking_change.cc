#include "server/simulation/ranking_change.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "engine/priority/jobs/job_id.h"

namespace priorityd::simulation {
namespace {

// For each name in `of`, its index in `in`; -1 if missing.
template <typename Named>
std::vector<int> IndexIn(absl::Span<const Named> of, absl::Span<const Named> in) {
  absl::flat_hash_map<absl::string_view, int> index;
  for (size_t i = 0; i < in.size(); ++i) index[in[i].name] = static_cast<int>(i);
  std::vector<int> found;
  for (const Named& named : of) {
    const auto at = index.find(named.name);
    found.push_back(at == index.end() ? -1 : at->second);
  }
  return found;
}

// Whether a pair after equals one before, by name.
class SamePair {
 public:
  SamePair(const priority::Snapshot& before, const priority::Snapshot& after)
      : partitions_(IndexIn(after.partitions(), before.partitions())),
        qos_(IndexIn(after.qos(), before.qos())) {}

  bool operator()(const priority::JobRow& before, const priority::JobRow& after) const {
    return Same(partitions_, before.partition, after.partition) &&
           Same(qos_, before.qos, after.qos);
  }

 private:
  static bool Same(const std::vector<int>& index, int before, int after) {
    return after < 0 ? before < 0 : before >= 0 && index[after] == before;
  }

  std::vector<int> partitions_;
  std::vector<int> qos_;
};

// A number for each job, the same in both lists.
class JobNumbers {
 public:
  JobNumbers(absl::Span<const priority::Job> before, absl::Span<const priority::Job> after)
      : size_(before.size()) {
    if (before.data() == after.data()) return;
    absl::flat_hash_map<absl::string_view, uint32_t> numbers;
    for (uint32_t i = 0; i < before.size(); ++i) numbers[before[i].job_id] = i;
    for (const priority::Job& job : after) {
      const auto [number, is_new] = numbers.try_emplace(job.job_id, static_cast<uint32_t>(size_));
      if (is_new) ++size_;
      after_.push_back(number->second);
    }
  }

  size_t size() const { return size_; }
  uint32_t before(uint32_t job) const { return job; }
  uint32_t after(uint32_t job) const { return after_.empty() ? job : after_[job]; }

 private:
  size_t size_;
  std::vector<uint32_t> after_;  // Empty = unchanged.
};

// The places in one ranking by job, in start order within a job.
class PlacesByJob {
 public:
  template <typename NumberOf>
  PlacesByJob(const RankedQueue& queue, size_t jobs, const NumberOf& number_of) : first_(jobs + 2) {
    const priority::Ranking& ranking = queue.ranking;
    const priority::Limits& limits = queue.snapshot.limits();
    const auto each = [&](const auto& visit) {
      for (const priority::RankedRow& row : ranking.ranked) visit({&row, row.rank, {}});
      for (const priority::IneligibleRow& row : ranking.ineligible) {
        visit({&row, 0, priority::ReasonName(limits, row.why)});
      }
    };
    each([&](const RowPlace& place) { ++first_[number_of(place.row->job) + 2]; });
    for (size_t i = 2; i < first_.size(); ++i) first_[i] += first_[i - 1];
    places_.resize(ranking.ranked.size() + ranking.ineligible.size());
    each([&](const RowPlace& place) { places_[first_[number_of(place.row->job) + 1]++] = place; });
  }

  absl::Span<const RowPlace> Of(uint32_t job) const {
    return absl::MakeSpan(places_).subspan(first_[job], first_[job + 1] - first_[job]);
  }

 private:
  std::vector<size_t> first_;  // Shifted by one place while being filled.
  std::vector<RowPlace> places_;
};

// Matches the places of one job.
void Match(absl::Span<const RowPlace> before, absl::Span<const RowPlace> after,
           const SamePair& same, bool by_job, std::vector<RowChange>* changes) {
  const auto find = [&](const RowPlace& of) {
    return std::find_if(before.begin(), before.end(),
                        [&](const RowPlace& place) { return same(*place.row, *of.row); });
  };
  std::vector<bool> taken(before.size());
  const bool one_row =
      !before.empty() && !after.empty() && (by_job || before[0].rank == 0 || after[0].rank == 0);
  // Of the rows after: the one that goes with what is one row before.
  size_t partner = 0;
  if (one_row && before.size() == 1) {
    const auto found = std::find_if(after.begin(), after.end(), [&](const RowPlace& place) {
      return same(*before[0].row, *place.row);
    });
    if (found != after.end()) partner = found - after.begin();
  }
  for (size_t i = 0; i < after.size(); ++i) {
    auto found = find(after[i]);
    if (one_row && i == partner && found == before.end()) found = before.begin();
    RowChange change{{}, after[i]};
    if (found != before.end()) {
      change.before = *found;
      taken[found - before.begin()] = true;
    }
    changes->push_back(change);
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!taken[i]) changes->push_back({before[i], {}});
  }
}

absl::string_view JobIdOf(const RowChange& change, const RankedQueue& before,
                          const RankedQueue& after) {
  if (change.after.row != nullptr) return after.jobs[change.after.row->job].job_id;
  return before.jobs[change.before.row->job].job_id;
}

}  // namespace

Move RowChange::move() const {
  if (before.rank == after.rank) return Move::kNone;
  if (after.rank == 0) return Move::kDown;
  return before.rank == 0 || after.rank < before.rank ? Move::kUp : Move::kDown;
}

std::vector<RowChange> CompareRankings(const RankedQueue& before, const RankedQueue& after,
                                       bool by_job) {
  const JobNumbers numbers(before.jobs, after.jobs);
  const SamePair same(before.snapshot, after.snapshot);
  const PlacesByJob places_before(before, numbers.size(),
                                  [&](uint32_t job) { return numbers.before(job); });
  const PlacesByJob places_after(after, numbers.size(),
                                 [&](uint32_t job) { return numbers.after(job); });
  std::vector<RowChange> changes;
  for (uint32_t job = 0; job < numbers.size(); ++job) {
    Match(places_before.Of(job), places_after.Of(job), same, by_job, &changes);
  }
  const auto middle = std::partition(changes.begin(), changes.end(), [](const RowChange& change) {
    return change.after.rank != 0;
  });
  std::sort(changes.begin(), middle,
            [](const RowChange& a, const RowChange& b) { return a.after.rank < b.after.rank; });
  std::sort(middle, changes.end(), [&](const RowChange& a, const RowChange& b) {
    const int order = priority::CompareJobIds(JobIdOf(a, before, after), JobIdOf(b, before, after));
    return order != 0 ? order < 0 : a.before.rank < b.before.rank;
  });
  return changes;
}

}  // namespace priorityd::simulation
