#include "engine/priority/ranking/row_answers.h"

namespace priorityd::priority {
namespace {

constexpr int kNoRow = -1;   // The job has none.
constexpr int kHidden = -2;  // The filter leaves the job out.

}  // namespace

RowAnswers::RowAnswers(const ScoredQueue& queue, const RankOptions& options,
                       absl::Span<const uint8_t> wanted, Ranking* ranking)
    : queue_(queue), options_(options), wanted_(wanted), ranking_(ranking) {}

void RowAnswers::AddRanked(uint32_t row, bool best_of_job) {
  RankedRow& ranked = ranking_->ranked.emplace_back();
  queue_.FillRow(row, options_.with_factors, ranked);
  ranked.rank = static_cast<uint32_t>(ranking_->ranked.size());
  ranked.best_of_job = best_of_job;
}

void RowAnswers::AddUnranked(uint32_t job, bool wanted_unresolved) {
  const bool running = queue_.Started(job);
  int row = kNoRow;
  if (queue_.table().unresolved[job] == Reason::kNone) {
    row = ShownRow(job, running);
  } else if (!wanted_unresolved) {
    row = kHidden;
  }
  if (row == kHidden) return;
  running ? AddRunning(job, row) : AddIneligible(job, row);
}

// The row that represents a job: of a running job the first wanted one, of an ineligible job the
// one whose reason comes last.
int RowAnswers::ShownRow(uint32_t job, bool running) const {
  const JobTable& table = queue_.table();
  int shown = kHidden;
  for (uint32_t row = table.first_row[job]; row < table.first_row[job + 1]; ++row) {
    if (!wanted_.empty() && wanted_[row] == 0) continue;
    if (shown == kHidden || (!running && queue_.ReasonOf(row) > queue_.ReasonOf(shown))) {
      shown = row;
    }
  }
  return shown;
}

void RowAnswers::AddRunning(uint32_t job, int row) {
  JobRow& running = ranking_->running.emplace_back();
  const bool calculate = queue_.policy().calculate_running;
  if (row == kNoRow) {
    queue_.FillUnresolved(job, running);
  } else {
    queue_.FillRow(row, calculate && options_.with_factors, running);
    if (!calculate) running.priority.reset();
  }
}

void RowAnswers::AddIneligible(uint32_t job, int row) {
  if (++ranking_->ineligible_total > options_.ineligible_limit) return;
  IneligibleRow& ineligible = ranking_->ineligible.emplace_back();
  if (row == kNoRow) {
    queue_.FillUnresolved(job, ineligible);
  } else {
    queue_.FillRow(row, options_.with_factors, ineligible);
  }
  ineligible.why = row == kNoRow ? queue_.WhyUnresolved(job) : queue_.WhyIneligible(row);
}

}  // namespace priorityd::priority
