// From when on sacct is read.
#ifndef PRIORITYD_CLIENT_SLURM_RECORDS_SINCE_H_
#define PRIORITYD_CLIENT_SLURM_RECORDS_SINCE_H_

#include "absl/time/time.h"

namespace priorityd::slurm_frontend {

// The begin of each reading of sacct. A reading begins two hours before the last successful one,
// for records that reach slurmdbd late; each counts once. slurmctld keeps its records while
// slurmdbd is unreachable, however long, and sends them after the first reading, perhaps: so for an
// hour after it, readings begin where the first one began. No clock, no I/O; not thread-safe.
class RecordsSince {
 public:
  // The first reading looks back by `first`.
  explicit RecordsSince(absl::Duration first) : first_(first) {}

  // The begin of a reading at `now`.
  absl::Time Begin(absl::Time now) const;
  // Everything that sacct printed at `now` is recorded.
  void Recorded(absl::Time now);

 private:
  absl::Duration first_;
  absl::Time last_ = absl::InfinitePast();  // The last successful reading.
  absl::Time outage_begin_ = absl::InfiniteFuture();
  absl::Time outage_read_until_ = absl::InfinitePast();
};

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_RECORDS_SINCE_H_
