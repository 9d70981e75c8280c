// Runs of jobs that are charged by their frontends' reports of their ends (UsageFromJobEnd).
#ifndef STORAGE_LEDGER_JOB_END_STORE_H_
#define STORAGE_LEDGER_JOB_END_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/transaction.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::storage {

// The record_id of a record of a job's end begins so; no client may choose such a record_id.
inline constexpr absl::string_view kJobEndPrefix = "job-end:";

// A run of a job, in whole microseconds.
struct JobRun {
  absl::string_view job_id;
  absl::Time start_time;
  absl::Time end_time;
};

// Whether two runs of one job have time in common, or the same start.
inline bool Overlap(const JobRun& a, const JobRun& b) {
  return (a.start_time < b.end_time && b.start_time < a.end_time) || a.start_time == b.start_time;
}

// A charged run and its record of the ledger.
struct JobEndRow {
  std::string job_id;
  absl::Time start_time;
  absl::Time end_time;
  std::string source;
  std::string record_id;
  bool operator==(const JobEndRow&) const = default;

  JobRun run() const { return {job_id, start_time, end_time}; }
};

struct ChargedRun {
  JobEndRow row;
  // The record that counts in its place: the same one, or the last of those that replaced it.
  UsageRecord record;

  bool is_replaced() const { return record.submitted.record_id != row.record_id; }
};

class JobEndStore {
 public:
  explicit JobEndStore(Transaction& transaction) : transaction_(transaction) {}

  // Jobs that start at this time or later are charged by their ends: infinite = none any more.
  // nullopt = none ever was.
  absl::StatusOr<std::optional<absl::Time>> Since(int32_t cluster_id);
  // Switches it on, for jobs that start at `since` or later, unless it is on. REQUIRES: the cluster
  // is locked by ClusterStore::Lock.
  absl::Status SwitchOn(int32_t cluster_id, absl::Time since);
  absl::Status SwitchOff(int32_t cluster_id);

  // The charged runs that overlap one of `runs` of the same job, each once, in no particular order.
  // Runs whose record was rolled up are missing.
  absl::StatusOr<std::vector<ChargedRun>> FindCharged(int32_t cluster_id,
                                                      absl::Span<const JobRun> runs);

  // Adds runs that records of collectors are of.
  absl::Status InsertCollected(int32_t cluster_id, absl::Span<const JobRun> runs);
  // The places of those `runs` that overlap one of these of the same job, whatever became of its
  // record.
  absl::StatusOr<std::vector<size_t>> FindCollected(int32_t cluster_id,
                                                    absl::Span<const JobRun> runs);

  // A run of the same job and start, whose record was rolled up, is overwritten.
  absl::Status Insert(int32_t cluster_id, const std::vector<JobEndRow>& rows);
  absl::Status Delete(int32_t cluster_id, const std::vector<JobEndRow>& rows);

  // Deletes at most `limit` runs of each kind that ended before `horizon`, the horizon of the
  // ledger. Returns the larger of the two numbers.
  absl::StatusOr<int64_t> DeleteBefore(int32_t cluster_id, absl::Time horizon, int64_t limit);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_JOB_END_STORE_H_
