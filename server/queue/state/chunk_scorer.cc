#include "server/queue/state/chunk_scorer.h"

namespace priorityd::queue {

ChunkScorer::ChunkScorer(const QueueState& state, absl::Time as_of)
    : state_(state),
      as_of_(as_of),
      as_of_us_(absl::ToUnixMicros(as_of)),
      limits_(state.snapshot(), state.counts(), as_of),
      limited_marks_(state.LimitMarksBy(limits_)),
      marks_(state.AccrueMarksAt(as_of)) {}

void ChunkScorer::Look(uint32_t index, priority::RowFilter* filter) {
  const priority::JobTable& table = state_.chunks()[index]->table();
  Look(index, {0, static_cast<uint32_t>(table.jobs())}, filter);
}

void ChunkScorer::Look(uint32_t index, priority::JobRange jobs, priority::RowFilter* filter) {
  table_ = &state_.chunks()[index]->table();
  jobs_ = jobs;
  flags_ = marks_->flags[index];
  wanted_.clear();
  open_.clear();
  limited_ = {};
  if (limited_marks_ != nullptr) limited_ = limited_marks_->limited[index];
  if (filter != nullptr && !filter->PassesAll()) FindWanted(*filter);
  if (!limited_.empty()) CloseLimited();
}

void ChunkScorer::FindWanted(priority::RowFilter& filter) {
  wanted_.resize(table_->rows());
  for (size_t row = begin_row(); row < end_row(); ++row) {
    wanted_[row] = filter.PassesRow(*table_, row);
  }
  open_ = wanted_;
}

void ChunkScorer::CloseLimited() {
  if (open_.empty()) open_.assign(table_->rows(), 1);
  for (size_t row = begin_row(); row < end_row(); ++row) {
    if (limited_[row] != 0) open_[row] = 0;
  }
}

void ChunkScorer::Score() {
  priorities_.resize(table_->rows());
  priority::ScoreRows(*table_, state_.scale().factors, as_of_, begin_row(), end_row(),
                      absl::MakeSpan(priorities_), flags_);
}

priority::StartOrder ChunkScorer::Order() const {
  return priority::StartOrder(state_.scale().tiers, *table_, jobs_, priorities_, as_of_, open_);
}

}  // namespace priorityd::queue
