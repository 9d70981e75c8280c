// The access of jobs to reservations.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_RESERVATION_ACCESS_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_RESERVATION_ACCESS_H_

#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/site/reservation.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// Whether the reservation's lists allow a job of `user` that is charged to `association`
// (kNoAssociation = none: an account list then allows nothing).
bool MayUse(const Reservation& reservation, absl::string_view user, AssociationIndex association,
            const AssociationTree& tree);

// The verdict on the reservation that a job names.
enum class ReservationUse {
  kNone,       // It names none, or the cluster has no reservations: the name alone counts.
  kMissing,    // It names one that does not exist.
  kForbidden,  // It names one that it may not use.
  kAllowed,
};
ReservationUse ReservationUseOf(const Snapshot& snapshot, const Job& job,
                                AssociationIndex association);

// The reservation by whose rules the job runs; null for all verdicts but kAllowed.
const Reservation* ReservationOf(const Snapshot& snapshot, const Job& job,
                                 AssociationIndex association);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_RESERVATION_ACCESS_H_
