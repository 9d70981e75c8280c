// A queue as columns: everything about its jobs that scoring and ordering read,
// resolved once.
#ifndef PRIORITYD_SERVER_PRIORITY_JOB_TABLE_H_
#define PRIORITYD_SERVER_PRIORITY_JOB_TABLE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job.h"
#include "server/priority/reason.h"

namespace priorityd::priority {

// One entry per job in the first columns, one row per pair (job, partition,
// QOS) in the others; the rows of a job stand together, in the order it names
// them. Contributions are those of a snapshot; age alone depends on the moment.
struct JobTable {
  // Bits of `flags`. Those of kAdjusted make Score look twice.
  enum Flag : uint8_t {
    kPreemptor = 1,
    kReservation = 2,
    kRunning = 4,            // Or suspended: never ranked.
    kBeginsLater = 8,        // begin_us is to be compared.
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
  std::vector<Reason> unresolved;   // Why the job has no rows; kNone = it has.
  std::vector<uint32_t> first_row;  // One more than there are jobs.
  bool one_row_each = true;         // No job has several rows.
  // Pending jobs of which accrual_stopped says otherwise than this snapshot, ascending.
  std::vector<uint32_t> accrual_moved;
  // Of the rows with kBeginsLater.
  int64_t latest_begin_us = std::numeric_limits<int64_t>::min();

  // --- By row --------------------------------------------------------------------

  std::vector<uint32_t> job;
  std::vector<int32_t> partition;  // -1 = none.
  std::vector<int32_t> qos;        // -1 = none.
  std::vector<Reason> reason;      // Leaves kBeginTime out (see ReasonAt), and kLimit
                                   // until LimitCheck::Apply puts it in.
  std::vector<uint8_t> flags;
  std::vector<double> accrue_us;  // Microseconds since 1970, or kNever.
  std::vector<int64_t> begin_us;
  std::vector<int64_t> submit_us;
  std::vector<double> assoc;  // Contributions from here to site.
  std::vector<double> fair_share;
  std::vector<double> job_size;
  std::vector<double> tres;  // The sum.
  std::vector<double> site;
  std::vector<int32_t> nice;  // To be subtracted.
  std::vector<uint32_t> admin_priority;
  std::vector<uint32_t> previous_priority;

  size_t jobs() const { return job_id.size(); }
  size_t rows() const { return job.size(); }
  bool Running(size_t row) const { return (flags[row] & kRunning) != 0; }
  bool BegunAt(size_t row, int64_t as_of_us) const {
    return latest_begin_us <= as_of_us || (flags[row] & kBeginsLater) == 0 ||
           begin_us[row] <= as_of_us;
  }
  // Why the row's pair cannot start at that moment.
  Reason ReasonAt(size_t row, int64_t as_of_us) const {
    return BegunAt(row, as_of_us) ? reason[row] : std::min(reason[row], Reason::kBeginTime);
  }
};

// Resolves `jobs`. The second of two equal job_ids is kInvalidJob, and so is a
// job with a violation. Times that a job leaves out: submit_time = as_of,
// eligible_time = submit_time, accrue_time = eligible_time; only an
// eligible_time that is given holds a job back.
//
// A pending job accrues (at all, as_of aside) unless AgeRule has its age stand still; one whose
// accrual_stopped is set and whose age does not stand still by this snapshot goes on from when
// that was computed. Under ACCRUE_ALWAYS it
// accrues from submit_time, whatever its state. `jobs` and `scale` must outlive
// the table. A table serves moments from `as_of` on.
JobTable BuildJobTable(const FactorScale& scale, absl::Span<const Job> jobs, absl::Time as_of);

// Makes such tables one after another, keeping what it found out about the
// snapshot. Equal job_ids in different tables are not looked for. `scale` must
// outlive it. Thread-compatible.
class JobTableBuilder {
 public:
  JobTableBuilder(const FactorScale& scale, absl::Time as_of);
  ~JobTableBuilder();
  JobTableBuilder(const JobTableBuilder&) = delete;
  JobTableBuilder& operator=(const JobTableBuilder&) = delete;

  JobTable Build(absl::Span<const Job> jobs);

 private:
  class Rows;

  std::unique_ptr<Rows> rows_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_JOB_TABLE_H_
