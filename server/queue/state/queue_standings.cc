#include "server/queue/state/queue_standings.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/explanation/reason_text.h"
#include "engine/priority/ranking/row_answers.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"
#include "server/queue/state/dependency_text.h"

namespace priorityd::queue {
namespace {

using priority::Reason;

std::string ReasonText(const QueueState& state, const TrackedJob& job,
                       const priority::IneligibleRow& row) {
  const bool depends = row.why.reason == Reason::kDependency && job.job.dependency_unmet;
  if ((depends || row.why.reason == Reason::kDependencyNever) && !job.dependency.empty()) {
    return DependencyText(job);
  }
  return explanation::ReasonText(state.snapshot(), job.job, row, row.why);
}

// The standing of a job that is not ranked.
JobStanding Unranked(const QueueState& state, const priority::ScoredQueue& queue,
                     const priority::RankOptions& options, const TrackedJob& tracked,
                     uint32_t job) {
  priority::Ranking ranking;
  priority::RowAnswers(queue, options, {}, &ranking).AddUnranked(job, true);
  JobStanding standing;
  if (!ranking.running.empty()) standing.priority = ranking.running.front().priority;
  if (ranking.ineligible.empty()) return standing;
  const priority::IneligibleRow& row = ranking.ineligible.front();
  standing.priority = row.priority;
  standing.reason = std::string(ReasonName(state.snapshot().limits(), row.why));
  standing.text = ReasonText(state, tracked, row);
  return standing;
}

JobStanding OfRanked(uint32_t rank, std::optional<uint32_t> priority) {
  if (rank == 1) return {rank, priority, "Resources", "is the next to start"};
  return {rank, priority, "Priority",
          absl::StrCat("waits for ", rank - 1, rank == 2 ? " job" : " jobs", " before it")};
}

}  // namespace

QueueStandings::QueueStandings(std::shared_ptr<const QueueState> state, absl::Time as_of)
    : state_(std::move(state)), as_of_(as_of) {
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  priority::FirstRows rows(kAll, /*best_only=*/true, state_->rows());
  ChunkScorer scorer(*state_, as_of);
  for (uint32_t chunk = 0; chunk < state_->chunks().size(); ++chunk) {
    scorer.Look(chunk, nullptr);
    scorer.Score();
    rows.Add(chunk, scorer.Order());
    ranked_.emplace_back(scorer.table().jobs());
  }
  uint32_t rank = 0;
  for (const priority::FirstRows::Row& row : std::move(rows).Take()) {
    const priority::JobTable& table = state_->chunks()[row.table]->table();
    const uint32_t job = table.job[row.row];
    ranked_[row.table][job] = {++rank, row.row - table.first_row[job]};
  }
}

std::vector<JobStanding> QueueStandings::Of(absl::Span<const JobPlace> places) const {
  std::vector<TrackedJob> tracked;
  std::vector<priority::Job> jobs;
  std::vector<uint8_t> accrue_limited;
  const ChunkScorer scorer(*state_, as_of_);
  for (const JobPlace& place : places) {
    tracked.push_back(state_->chunks()[place.chunk]->job(place.job));
    jobs.push_back(state_->chunks()[place.chunk]->ranked_job(place.job));
    accrue_limited.push_back(scorer.AccrueLimited(place));
  }
  const priority::WholeQueue whole{&state_->counts(), accrue_limited};
  const priority::ScoredQueue queue(state_->snapshot(), jobs, as_of_, &whole);
  priority::RankOptions options;
  options.as_of = as_of_;
  std::vector<JobStanding> standings;
  for (uint32_t i = 0; i < places.size(); ++i) {
    const Ranked& ranked = ranked_[places[i].chunk][places[i].job];
    if (ranked.rank == 0) {
      standings.push_back(Unranked(*state_, queue, options, tracked[i], i));
      continue;
    }
    priority::JobRow row;
    queue.FillRow(queue.table().first_row[i] + ranked.row, false, row);
    standings.push_back(OfRanked(ranked.rank, row.priority));
  }
  return standings;
}

}  // namespace priorityd::queue
