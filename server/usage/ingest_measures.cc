#include "server/usage/ingest_measures.h"

#include <algorithm>
#include <cstddef>

namespace priorityd::usage {
namespace {

void Count(const RecordResults& results, RecordCounts* counts) {
  for (const RecordResult& result : results) {
    switch (result.status) {
      case RecordStatus::kAccepted:
        ++counts->accepted;
        break;
      case RecordStatus::kDuplicate:
        ++counts->duplicate;
        break;
      case RecordStatus::kRejected:
        ++counts->rejected;
        break;
    }
  }
}

}  // namespace

void IngestMeasures::NoteCommit(absl::Span<const std::unique_ptr<QueuedBatch>> group,
                                const absl::StatusOr<std::vector<RecordResults>>& results,
                                absl::Duration took, absl::Time now) {
  commit_seconds_.Add(absl::ToDoubleSeconds(took));
  if (!results.ok()) {
    absl::MutexLock lock(&mutex_);
    ++failed_commits_;
    return;
  }
  RecordCounts counts;
  for (size_t i = 0; i < group.size(); ++i) {
    Count((*results)[i], &counts);
    NoteLateness(group[i]->submitted, (*results)[i], now);
  }
  commit_records_.Add(static_cast<double>(counts.accepted + counts.duplicate + counts.rejected));
  absl::MutexLock lock(&mutex_);
  RecordCounts& all = records_[group.front()->submitted.cluster];
  all.accepted += counts.accepted;
  all.duplicate += counts.duplicate;
  all.rejected += counts.rejected;
}

void IngestMeasures::NoteLateness(const SubmittedBatch& batch, const RecordResults& results,
                                  absl::Time now) {
  for (size_t i = 0; i < results.size(); ++i) {
    const auto& end = batch.submissions[i].end_time;
    if (results[i].status != RecordStatus::kAccepted || !end.has_value()) continue;
    lateness_seconds_.Add(std::max(0.0, absl::ToDoubleSeconds(now - *end)));
  }
}

std::map<std::string, RecordCounts> IngestMeasures::records() const {
  absl::MutexLock lock(&mutex_);
  return records_;
}

int64_t IngestMeasures::failed_commits() const {
  absl::MutexLock lock(&mutex_);
  return failed_commits_;
}

}  // namespace priorityd::usage
