// A queue as columns: the job attributes that scoring and ordering read, resolved once.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_TABLE_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_TABLE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"

namespace priorityd::priority {

// The first columns have one entry per job, the others one row per pair (job, partition, QOS). The
// rows of a job are contiguous, in the order in which it names the pairs. Contributions belong to
// one snapshot; only the age depends on the time of scoring.
struct JobTable {
  // Bits of `flags`. Rows with a bit of kAdjusted take a slower path in Score.
  enum Flag : uint8_t {
    kPreemptor = 1,
    kReservation = 2,
    kRunning = 4,            // Running or suspended: never ranked.
    kBeginsLater = 8,        // The row cannot start before begin_us.
    kHeld = 16,              // Priority 0.
    kAdminPriority = 32,     // admin_priority replaces the sum.
    kPreviousPriority = 64,  // previous_priority is a lower bound.
    kNoAccrual = 128,        // Over an accrue limit: age 0.
  };
  static constexpr uint8_t kAdjusted =
      kBeginsLater | kHeld | kAdminPriority | kPreviousPriority | kNoAccrual;
  // accrue_us of a job that does not accrue.
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // --- By job --------------------------------------------------------------------

  std::vector<absl::string_view> job_id;
  std::vector<AssociationIndex> association;
  std::vector<Reason> unresolved;   // The reason for no rows; kNone = the job has rows.
  std::vector<uint32_t> first_row;  // Has one more entry than there are jobs.
  bool one_row_each = true;         // No job has several rows.
  // Pending jobs that have to start or stop accruing by this snapshot: their accrual_stopped is out
  // of date. Ascending.
  std::vector<uint32_t> accrual_moved;
  // The times at which jobs of reservations may start: [from_us, until_us). By job, ascending; any
  // other job may start at any time.
  struct OpenTime {
    uint32_t job;
    int64_t from_us;
    int64_t until_us;
  };
  std::vector<OpenTime> open_times;
  // The jobs of merged users, with the name that was sent. By job, ascending.
  struct MergedUser {
    uint32_t job;
    absl::string_view user;
  };
  std::vector<MergedUser> merged_users;
  // The largest begin_us of the rows with kBeginsLater.
  int64_t latest_begin_us = std::numeric_limits<int64_t>::min();

  // --- By row --------------------------------------------------------------------

  std::vector<uint32_t> job;
  std::vector<int32_t> partition;   // -1 = none.
  std::vector<int32_t> qos;         // -1 = none.
  std::vector<int32_t> factor_qos;  // Snapshot::FactorQos; empty = `qos`, as no grant demotes.
  std::vector<Reason> reason;       // Without kBeginTime (see ReasonAt), and without kLimit
                                    // until LimitCheck::Apply sets it.
  std::vector<uint8_t> flags;
  std::vector<double> accrue_us;  // Microseconds since 1970, or kNever.
  std::vector<int64_t> begin_us;
  std::vector<int64_t> submit_us;
  std::vector<double> assoc;  // From here to `site`: contributions.
  std::vector<double> fair_share;
  std::vector<double> job_size;
  std::vector<double> tres;  // The sum over all TRES.
  std::vector<double> site;
  std::vector<int32_t> nice;  // Subtracted from the sum.
  std::vector<uint32_t> admin_priority;
  std::vector<uint32_t> previous_priority;

  size_t jobs() const { return job_id.size(); }
  size_t rows() const { return job.size(); }
  // By row: the QOS whose factor counts; -1 = none.
  absl::Span<const int32_t> FactorQos() const { return factor_qos.empty() ? qos : factor_qos; }
  bool Running(size_t row) const { return (flags[row] & kRunning) != 0; }
  bool BegunAt(size_t row, int64_t as_of_us) const {
    return latest_begin_us <= as_of_us || (flags[row] & kBeginsLater) == 0 ||
           begin_us[row] <= as_of_us;
  }
  // Whether the reservation of the row's job, if it has one, lets it start at that time.
  bool OpenAt(size_t row, int64_t as_of_us) const {
    return open_times.empty() || (flags[row] & kReservation) == 0 || IsOpen(job[row], as_of_us);
  }
  // The name that was sent if the user is merged; otherwise empty.
  absl::string_view MergedUserOf(uint32_t number) const;
  // Whether the begin time of the row has passed is BegunAt; this is why its pair cannot start at
  // `as_of_us` (microseconds since 1970); kNone = it can.
  Reason ReasonAt(size_t row, int64_t as_of_us) const {
    if (!BegunAt(row, as_of_us)) return std::min(reason[row], Reason::kBeginTime);
    return OpenAt(row, as_of_us) ? reason[row] : std::min(reason[row], Reason::kReservation);
  }

 private:
  bool IsOpen(uint32_t number, int64_t as_of_us) const;
};

// Resolves `jobs`. A job with a violation, and the second of two jobs with the same job_id, gets
// kInvalidJob. Defaults of missing times: submit_time = as_of, eligible_time = submit_time,
// accrue_time = eligible_time; only an explicit eligible_time delays a job.
//
// A pending job accrues unless AgeRule stops its age. If its accrual_stopped is set and this
// snapshot no longer stops its age, it accrues again from the time at which the snapshot was
// computed. Under ACCRUE_ALWAYS it accrues from submit_time in every state. `jobs` and `scale`
// must outlive the table. A table is valid for times from `as_of` on.
JobTable BuildJobTable(const FactorScale& scale, absl::Span<const Job> jobs, absl::Time as_of);

// Sets what depends on fair-share, from a row on, to that of the scale's snapshot, which is of the
// same site as the one from which the table was built. REQUIRES: LimitCheck::Apply has not been
// called.
void UpdateFairShare(const FactorScale& scale, size_t first_row, JobTable* table);
// The same for the QOS factors that used up grants lower. REQUIRES: the table was built from a
// snapshot that demotes, or neither does.
void UpdateDemotions(const Snapshot& snapshot, size_t first_row, JobTable* table);

// Builds several tables; caches look-ups in the snapshot. Does not detect equal job_ids in
// different tables. `scale` must outlive it. Thread-compatible.
class JobTableBuilder {
 public:
  JobTableBuilder(const FactorScale& scale, absl::Time as_of);
  ~JobTableBuilder();
  JobTableBuilder(const JobTableBuilder&) = delete;
  JobTableBuilder& operator=(const JobTableBuilder&) = delete;

  JobTable Build(absl::Span<const Job> jobs);
  // Adds a job to a table that this builder has built. Does not detect an equal job_id.
  void Append(const Job& job, JobTable* table);

 private:
  class Rows;

  std::unique_ptr<Rows> rows_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_TABLE_H_
