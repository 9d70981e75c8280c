#include "server/queue/state/queue_state.h"

#include <utility>

#include "engine/priority/ranking/accrue_limits.h"
#include "engine/priority/ranking/limit_rooms.h"

namespace priorityd::queue {

std::vector<std::shared_ptr<const JobChunk>> Rescale(
    const std::vector<std::shared_ptr<const JobChunk>>& chunks, const QueueScale& scale) {
  priority::JobTableBuilder builder(scale.factors, absl::InfinitePast());
  std::vector<std::shared_ptr<const JobChunk>> rescaled;
  rescaled.reserve(chunks.size());
  for (const auto& chunk : chunks) {
    rescaled.push_back(std::make_shared<const JobChunk>(chunk->jobs(), scale, builder));
  }
  return rescaled;
}

namespace {

priority::LimitCounts CountAll(const priority::Snapshot& snapshot,
                               const std::vector<std::shared_ptr<const JobChunk>>& chunks) {
  priority::LimitCounts counts(snapshot.limits());
  for (const auto& chunk : chunks) {
    chunk->demands().CountAll(snapshot, chunk->table(), true, &counts);
  }
  return counts;
}

std::shared_ptr<const LimitMarks> MarkLimited(
    const std::vector<std::shared_ptr<const JobChunk>>& chunks, const priority::LimitCheck& check) {
  auto marks = std::make_shared<LimitMarks>();
  marks->kept = check.kept();
  marks->fits = {-1, -1};
  marks->limited.resize(chunks.size());
  priority::LimitRooms rooms(check);
  for (size_t i = 0; i < chunks.size(); ++i) {
    const priority::JobTable& table = chunks[i]->table();
    std::vector<uint8_t>& limited = marks->limited[i];
    check.ForEachLimited(table, chunks[i]->demands(), rooms,
                         [&](size_t row, const priority::ExceededLimit& exceeded) {
                           limited.resize(table.rows());
                           limited[row] = 1;
                           check.RaiseTo(exceeded, &marks->fits);
                         });
  }
  return marks;
}

}  // namespace

QueueState::QueueState(std::shared_ptr<const QueueScale> scale,
                       std::vector<std::shared_ptr<const JobChunk>> chunks, EndedJobs ended)
    : QueueState(scale, chunks, std::move(ended), CountAll(*scale->snapshot, chunks)) {}

QueueState::QueueState(std::shared_ptr<const QueueScale> scale,
                       std::vector<std::shared_ptr<const JobChunk>> chunks, EndedJobs ended,
                       priority::LimitCounts counts)
    : scale_(std::move(scale)),
      chunks_(std::move(chunks)),
      ended_(std::move(ended)),
      counts_(std::move(counts)) {
  summaries_.reserve(chunks_.size());
  for (const auto& chunk : chunks_) {
    summaries_.push_back(chunk->digest().summary());
    jobs_ += chunk->size();
    rows_ += chunk->table().rows();
  }
}

std::shared_ptr<const QueueState> QueueState::For(
    std::shared_ptr<const priority::Snapshot> snapshot) const {
  auto scale = std::make_shared<const QueueScale>(std::move(snapshot));
  std::vector<std::shared_ptr<const JobChunk>> chunks = Rescale(chunks_, *scale);
  return std::make_shared<const QueueState>(std::move(scale), std::move(chunks), ended_);
}

std::shared_ptr<const AccrueMarks> QueueState::AccrueMarksAt(absl::Time as_of) const {
  const int64_t as_of_us = absl::ToUnixMicros(as_of);
  absl::MutexLock lock(&mutex_);
  if (marks_ == nullptr || as_of_us < marks_->from_us || as_of_us >= marks_->until_us) {
    marks_ = MakeMarks(as_of);
  }
  return marks_;
}

std::shared_ptr<const LimitMarks> QueueState::LimitMarksBy(
    const priority::LimitCheck& check) const {
  if (check.empty()) return nullptr;
  absl::MutexLock lock(&mutex_);
  if (limit_marks_ == nullptr || !limit_marks_->HoldFor(check.kept())) {
    limit_marks_ = MarkLimited(chunks_, check);
  }
  return limit_marks_;
}

std::shared_ptr<const AccrueMarks> QueueState::MakeMarks(absl::Time as_of) const {
  std::vector<const priority::JobTable*> tables;
  tables.reserve(chunks_.size());
  for (const auto& chunk : chunks_) tables.push_back(&chunk->table());
  const priority::AccrueLimited found = priority::FindAccrueLimited(snapshot(), as_of, tables);
  auto marks = std::make_shared<AccrueMarks>();
  marks->from_us = found.from_us;
  marks->until_us = found.until_us;
  marks->limited.resize(chunks_.size());
  marks->flags.resize(chunks_.size());
  for (const auto& [chunk, job] : found.jobs) {
    const priority::JobTable& table = *tables[chunk];
    auto& limited = marks->limited[chunk];
    auto& flags = marks->flags[chunk];
    if (limited.empty()) limited.resize(table.jobs());
    if (flags.empty()) flags = table.flags;
    limited[job] = 1;
    for (uint32_t row = table.first_row[job]; row < table.first_row[job + 1]; ++row) {
      flags[row] |= priority::JobTable::kNoAccrual;
    }
  }
  return marks;
}

}  // namespace priorityd::queue
