#include "server/usage/ingest_measures.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/errors/bounds.h"

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
  for (size_t i = 0; i < group.size(); ++i) CountRejected(group[i]->submitted, (*results)[i]);
}

std::map<std::string, int64_t>::iterator IngestMeasures::LabelOf(absl::string_view source) {
  std::string label(source.size() <= errors::kMaxNameBytes ? source : kOtherSources);
  if (rejected_.size() >= kMaxSources && !rejected_.contains(label)) label = kOtherSources;
  return rejected_.try_emplace(std::move(label), 0).first;
}

void IngestMeasures::CountRejected(const SubmittedBatch& batch, const RecordResults& results) {
  auto counted = rejected_.end();  // Records of one source mostly follow each other.
  for (size_t i = 0; i < results.size(); ++i) {
    const absl::string_view source = batch.submissions[i].source;
    if (counted == rejected_.end() || counted->first != source) counted = LabelOf(source);
    counted->second += results[i].status == RecordStatus::kRejected ? 1 : 0;
  }
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

std::map<std::string, int64_t> IngestMeasures::rejected() const {
  absl::MutexLock lock(&mutex_);
  return rejected_;
}

int64_t IngestMeasures::failed_commits() const {
  absl::MutexLock lock(&mutex_);
  return failed_commits_;
}

}  // namespace priorityd::usage
