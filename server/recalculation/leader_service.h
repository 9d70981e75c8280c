// The leader's answers to other replicas' requests for a recalculation.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEADER_SERVICE_H_
#define PRIORITYD_SERVER_RECALCULATION_LEADER_SERVICE_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/recalculation/pending_demands.h"
#include "storage/database/database.h"
#include "storage/snapshots/recalculation_request_store.h"

namespace priorityd::recalculation {

// The counterpart of LeaderClient. For the loop's thread.
class LeaderService {
 public:
  // Lists requests through `database`; the recalculation threads store the answers through
  // `recalculations`. Requests older than `patience` are ignored: nobody waits for them. All
  // pointers must outlive it.
  LeaderService(storage::Database* database, storage::Database* recalculations,
                absl::Duration patience, PendingDemands* demands)
      : database_(database),
        recalculations_(recalculations),
        patience_(patience),
        demands_(demands) {}

  // Demands a recalculation for each request that has no answer and no demand yet. Does not wait
  // for the recalculations. Errors of the database.
  absl::Status AnswerAll();

 private:
  void Answer(const storage::RecalculationRequest& request);

  storage::Database* const database_;
  storage::Database* const recalculations_;
  const absl::Duration patience_;
  PendingDemands* const demands_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEADER_SERVICE_H_
