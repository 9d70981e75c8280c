#include "server/queue/state/chunk_scorer.h"

#include "absl/algorithm/container.h"

namespace priorityd::queue {

ChunkScorer::ChunkScorer(const QueueState& state, absl::Time as_of)
    : state_(state),
      as_of_(as_of),
      as_of_us_(absl::ToUnixMicros(as_of)),
      limits_(state.snapshot(), state.running(), as_of),
      marks_(state.AccrueMarksAt(as_of)) {}

bool ChunkScorer::Score(uint32_t index, priority::RowFilter* filter) {
  const JobChunk& chunk = *state_.chunks()[index];
  table_ = &chunk.table();
  wanted_.clear();
  if (filter != nullptr) wanted_ = filter->Wanted(*table_);
  const bool each_job_has_a_row = table_->one_row_each && table_->rows() == table_->jobs();
  if (each_job_has_a_row && !wanted_.empty() && !absl::c_linear_search(wanted_, 1)) return false;
  open_ = wanted_;
  if (!limits_.empty()) FindLimited(chunk);
  flags_ = marks_->flags[index];
  priorityd::priority::Score(*table_, state_.scale().factors, as_of_, priorities_, flags_);
  return true;
}

void ChunkScorer::FindLimited(const JobChunk& chunk) {
  if (open_.empty()) open_.assign(table_->rows(), 1);
  limited_.assign(table_->rows(), 0);
  for (size_t row = 0; row < table_->rows(); ++row) {
    if (limits_.ReasonAt(*table_, chunk.demands(), row) == priority::Reason::kNone) continue;
    limited_[row] = 1;
    open_[row] = 0;
  }
}

priority::StartOrder ChunkScorer::Order() const {
  return priority::StartOrder(state_.scale().tiers, *table_, priorities_, as_of_, open_);
}

}  // namespace priorityd::queue
