// The time until which each job of a cluster has been charged, kept between recalculations.
#ifndef PRIORITYD_SERVER_RECALCULATION_JOB_ENDS_H_
#define PRIORITYD_SERVER_RECALCULATION_JOB_ENDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"
#include "storage/ledger/ledger_tail.h"

namespace priorityd::recalculation {

// The latest end among each job's counted records that end after a given time. Read once from the
// ledger, then from the records appended to it; after a correction of a job's latest record, that
// job is read again.
class JobEnds {
 public:
  // Reads the changes. If `since` goes back, which is rare, everything is read again. REQUIRES:
  // called in Database::Read, always for the same cluster and the same incarnation of the database.
  absl::Status Update(storage::Transaction& transaction, int32_t cluster_id, absl::Time since);

  // By job_id; ends after the last `since`.
  const absl::flat_hash_map<std::string, absl::Time>& ends() const { return ends_; }

  // Of the last Update; InfinitePast() = there was none.
  absl::Time since() const { return since_; }

  // The number of records or jobs that the last Update read.
  int64_t last_read() const { return last_read_; }

 private:
  absl::Status ReadAll(storage::Transaction& transaction, int32_t cluster_id, absl::Time since);
  absl::Status ReadAppended(storage::Transaction& transaction, int32_t cluster_id, absl::Time since,
                            int64_t seq);
  // Reads jobs again whose latest record is in `replaced`.
  absl::Status TakeOut(storage::Transaction& transaction, int32_t cluster_id, absl::Time since,
                       const std::vector<storage::JobEnd>& replaced);
  void Add(const std::vector<storage::JobEnd>& jobs, absl::Time since);
  void NoteSight(const storage::LedgerSight& sight);

  absl::flat_hash_map<std::string, absl::Time> ends_;
  // The visibility of the last readings, oldest first. Everything that the last reading did not see
  // was appended after the first one. Empty = not read yet.
  std::vector<storage::LedgerSight> sights_;
  absl::Time since_ = absl::InfinitePast();
  int64_t last_read_ = 0;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_JOB_ENDS_H_
