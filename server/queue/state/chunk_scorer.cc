#include "server/queue/state/chunk_scorer.h"

namespace priorityd::queue {

ChunkScorer::ChunkScorer(const QueueState& state, absl::Time as_of)
    : state_(state),
      as_of_(as_of),
      as_of_us_(absl::ToUnixMicros(as_of)),
      limits_(state.snapshot(), state.running(), as_of),
      marks_(state.AccrueMarksAt(as_of)) {}

void ChunkScorer::Look(uint32_t index, priority::RowFilter* filter) {
  const priority::JobTable& table = state_.chunks()[index]->table();
  Look(index, {0, static_cast<uint32_t>(table.jobs())}, filter);
}

void ChunkScorer::Look(uint32_t index, priority::JobRange jobs, priority::RowFilter* filter) {
  const JobChunk& chunk = *state_.chunks()[index];
  table_ = &chunk.table();
  jobs_ = jobs;
  flags_ = marks_->flags[index];
  wanted_.clear();
  open_.clear();
  limited_.clear();
  if (filter != nullptr && !filter->PassesAll()) FindWanted(*filter);
  if (!limits_.empty()) FindLimited(chunk);
}

void ChunkScorer::FindWanted(priority::RowFilter& filter) {
  wanted_.resize(table_->rows());
  for (size_t row = begin_row(); row < end_row(); ++row) {
    wanted_[row] = filter.PassesRow(*table_, row);
  }
  open_ = wanted_;
}

void ChunkScorer::FindLimited(const JobChunk& chunk) {
  if (open_.empty()) open_.assign(table_->rows(), 1);
  limited_.assign(table_->rows(), 0);
  for (size_t row = begin_row(); row < end_row(); ++row) {
    if (limits_.ReasonAt(*table_, chunk.demands(), row) == priority::Reason::kNone) continue;
    limited_[row] = 1;
    open_[row] = 0;
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
