#include "server/queue/state/shown_ranking.h"

#include <limits>
#include <utility>
#include <vector>

namespace priorityd::queue {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

template <typename Row>
size_t TakeOut(const JobFilter& shown, absl::Span<const priority::Job> jobs,
               std::vector<Row>* rows) {
  return std::erase_if(*rows, [&](const Row& row) { return !shown(jobs[row.job]); });
}

template <typename Row>
void Cut(size_t limit, std::vector<Row>* rows) {
  if (rows->size() > limit) rows->erase(rows->begin() + static_cast<ptrdiff_t>(limit), rows->end());
}

// The same for rows without ranks; returns the number of hidden rows.
template <typename Row>
size_t TakeOutUnranked(const priority::RankOptions& options, size_t limit, const JobFilter& shown,
                       absl::Span<const priority::Job> jobs, std::vector<Row>* rows,
                       size_t* total) {
  const size_t others = TakeOut(shown, jobs, rows);
  if (!KeepPlaces(options)) *total = rows->size();
  Cut(limit, rows);
  return KeepPlaces(options) ? others : 0;
}

}  // namespace

bool KeepPlaces(const priority::RankOptions& options) {
  return options.users.empty() && options.accounts.empty();
}

priority::RankOptions OptionsToTakeOutOf(const priority::RankOptions& options) {
  priority::RankOptions all = options;
  if (!KeepPlaces(options)) all.limit = kAll;
  return all;
}

size_t TakeOutRanked(const priority::RankOptions& options, const JobFilter& shown,
                     absl::Span<const priority::Job> jobs, priority::Ranking* ranking) {
  std::vector<priority::RankedRow>& rows = ranking->ranked;
  const size_t others = TakeOut(shown, jobs, &rows);
  if (KeepPlaces(options)) return others;
  for (size_t i = 0; i < rows.size(); ++i) rows[i].rank = static_cast<uint32_t>(i + 1);
  ranking->ranked_total = rows.size();
  Cut(options.limit, &rows);
  return 0;
}

size_t TakeOutIneligible(const priority::RankOptions& options, const JobFilter& shown,
                         absl::Span<const priority::Job> jobs, priority::Ranking* ranking) {
  return TakeOutUnranked(options, options.ineligible_limit, shown, jobs, &ranking->ineligible,
                         &ranking->ineligible_total);
}

QueueRanking RankShown(std::shared_ptr<const QueueState> state,
                       const priority::RankOptions& options, size_t running_limit,
                       const JobFilter& shown, RowsTakenOut* taken_out) {
  if (shown == nullptr) return Rank(std::move(state), options, running_limit);
  priority::RankOptions all = OptionsToTakeOutOf(options);
  all.ineligible_limit = kAll;
  QueueRanking answer = Rank(std::move(state), all, kAll);
  priority::Ranking& ranking = answer.ranking;
  taken_out->ranked = TakeOutRanked(options, shown, answer.jobs, &ranking);
  taken_out->ineligible = TakeOutIneligible(options, shown, answer.jobs, &ranking);
  taken_out->running = TakeOutUnranked(options, running_limit, shown, answer.jobs, &ranking.running,
                                       &answer.running_total);
  return answer;
}

}  // namespace priorityd::queue
