// Until when the jobs of a cluster are charged, kept from one recalculation to the next.
#ifndef PRIORITYD_SERVER_RECALCULATION_JOB_ENDS_H_
#define PRIORITYD_SERVER_RECALCULATION_JOB_ENDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "storage/ledger_tail.h"
#include "storage/transaction.h"

namespace priorityd::recalculation {

// The latest end of each job that has a record that counts and ends after a time. Read once
// from the ledger, then from what is appended to it; a correction of a job's latest record has
// the ledger read again for that job.
class JobEnds {
 public:
  // Brings it up to date. `since` hardly ever goes back: then all is read again. REQUIRES: in
  // Database::Read; always the same cluster, and the same incarnation of the database.
  absl::Status Update(storage::Transaction& transaction, int32_t cluster_id, absl::Time since);

  // By job_id; those that end after the last `since`.
  const absl::flat_hash_map<std::string, absl::Time>& ends() const { return ends_; }

  // Of how many records or jobs the last Update was told.
  int64_t last_read() const { return last_read_; }

 private:
  absl::Status ReadAll(storage::Transaction& transaction, int32_t cluster_id, absl::Time since);
  absl::Status ReadAppended(storage::Transaction& transaction, int32_t cluster_id, absl::Time since,
                            int64_t seq);
  // Jobs of which one of these was the latest are read again.
  absl::Status TakeOut(storage::Transaction& transaction, int32_t cluster_id, absl::Time since,
                       const std::vector<storage::JobEnd>& replaced);
  void Add(const std::vector<storage::JobEnd>& jobs, absl::Time since);
  void NoteSight(const storage::LedgerSight& sight);

  absl::flat_hash_map<std::string, absl::Time> ends_;
  // What the last readings saw, oldest first: the first saw the ledger before anything was
  // appended that the last did not see; none = not read yet.
  std::vector<storage::LedgerSight> sights_;
  absl::Time since_ = absl::InfinitePast();
  int64_t last_read_ = 0;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_JOB_ENDS_H_
