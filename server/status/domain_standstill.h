// Whether a usage domain stands still: then its members keep the fair-share that they have.
#ifndef PRIORITYD_SERVER_STATUS_DOMAIN_STANDSTILL_H_
#define PRIORITYD_SERVER_STATUS_DOMAIN_STANDSTILL_H_

#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::status {

// The recalculations of a cluster that has a snapshot.
struct ClusterPace {
  bool is_manual = false;  // On a manual clock; the others are 0 then.
  absl::Duration period;
  absl::Duration late_by;  // Since the end of the newest snapshot's period.
};

enum class Standstill {
  kNone,
  kManualClock,  // The domain is on a manual clock, and the member is not.
  kOverdue,      // By more than two periods of the domain, and a minute.
};

// At `now`, by the site's clock.
ClusterPace PaceOf(const priority::Snapshot& snapshot, absl::Time now);

// For a member. One on a manual clock stands still itself: kNone.
Standstill StandstillOf(const ClusterPace& domain, bool member_is_manual);

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_DOMAIN_STANDSTILL_H_
