#include "server/usage/counters.h"

#include <map>
#include <string>
#include <utility>
#include <variant>

#include "server/usage/running_jobs.h"
#include "storage/running_job_store.h"

namespace priorityd::usage {
namespace {

using Jobs = std::map<std::pair<std::string, std::string>, storage::RunningJob>;

std::pair<std::string, std::string> KeyOf(const storage::RunningJob& job) {
  return {job.source, job.job_id};
}

absl::StatusOr<Jobs> LockJobs(storage::RunningJobStore& store, int32_t cluster_id,
                              absl::Span<UsageBatch* const> batches) {
  Jobs jobs;
  for (const UsageBatch* batch : batches) {
    for (size_t place : batch->counters) {
      storage::RunningJob job = NewJob(batch->submissions[place]);
      jobs.try_emplace(KeyOf(job), job);
    }
  }
  if (jobs.empty()) return jobs;
  std::vector<storage::RunningJob> rows;
  for (const auto& [key, job] : jobs) rows.push_back(job);
  auto locked = store.Lock(cluster_id, rows);
  if (!locked.ok()) return locked.status();
  for (storage::RunningJob& job : *locked) {
    const auto key = KeyOf(job);
    jobs[key] = std::move(job);
  }
  return jobs;
}

// The record of these counters, and the job's state after them; else their result.
std::variant<storage::UsageRecord, RecordResult> Take(const UsageSubmission& counters,
                                                      const PriceBook& book,
                                                      const UsageBatch& batch,
                                                      storage::RunningJob* job) {
  auto interval = IntervalOf(counters, *job);
  if (RecordResult* result = std::get_if<RecordResult>(&interval)) return std::move(*result);
  UsageSubmission& submission = std::get<UsageSubmission>(interval);
  auto price = book.PriceOf(submission);
  if (Rejection* rejection = std::get_if<Rejection>(&price)) {
    return RecordResult{RecordStatus::kRejected, std::move(*rejection)};
  }
  const std::string record_id = IntervalId(counters);
  submission.record_id = record_id;
  Advance(counters, job);
  return ToStorage(submission, std::get<Price>(price), batch.tres_numbers);
}

}  // namespace

absl::StatusOr<std::vector<Interval>> MakeIntervals(storage::Transaction& transaction,
                                                    int32_t cluster_id, const PriceBook& book,
                                                    absl::Span<UsageBatch* const> batches) {
  std::vector<Interval> intervals;
  storage::RunningJobStore store(transaction);
  absl::StatusOr<Jobs> jobs = LockJobs(store, cluster_id, batches);
  if (!jobs.ok()) return jobs.status();
  for (UsageBatch* batch : batches) {
    for (size_t place : batch->counters) {
      const UsageSubmission& counters = batch->submissions[place];
      storage::RunningJob& job = jobs->at(KeyOf(NewJob(counters)));
      auto taken = Take(counters, book, *batch, &job);
      if (RecordResult* result = std::get_if<RecordResult>(&taken)) {
        batch->results[place] = std::move(*result);
      } else {
        intervals.push_back({batch, place, std::get<storage::UsageRecord>(std::move(taken))});
      }
    }
  }
  std::vector<storage::RunningJob> rows;
  for (auto& [key, job] : *jobs) rows.push_back(std::move(job));
  absl::Status written = store.Write(cluster_id, rows);
  if (!written.ok()) return written;
  return intervals;
}

}  // namespace priorityd::usage
