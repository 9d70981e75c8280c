// What must hold when the soak is over, and on the way, by a second count of its own.
#ifndef PRIORITYD_TESTS_SOAK_CHECKS_H_
#define PRIORITYD_TESTS_SOAK_CHECKS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "storage/database/database.h"
#include "tests/soak/faults.h"
#include "tests/soak/policy_load.h"
#include "tests/soak/queue_load.h"
#include "tests/soak/usage_load.h"

namespace priorityd::soak {

// Each fails the test, saying what it found.

// The ledger has what was acknowledged, nothing twice, and else only what was sent without an
// answer; the usage that each replica shows is that of the ledger's records by their contents.
void ExpectUsageOnce(const Replicas& replicas, storage::Database& database, int clusters,
                     const std::vector<std::unique_ptr<UsageSender>>& senders);

// Every replica has the same shares of the same generation of each cluster, and logged of none
// that it came to other numbers than the leader.
void ExpectSameShares(const Replicas& replicas, int clusters);

// Every replica lists the jobs that were acknowledged, and no other.
void ExpectQueues(const Replicas& replicas,
                  const std::vector<std::unique_ptr<Frontend>>& frontends);

void ExpectPolicies(const Replicas& replicas, const Operator& policies);

// Between two generations of a cluster lies no more than its period of a minute, the time in
// which nobody could lead, and some for the machine. Returns the longest lateness.
absl::Duration ExpectSchedulesKept(storage::Database& database, absl::Time begin, absl::Time end,
                                   const std::vector<Disturbance>& faults);

// Waits until each replica answers with the newest generation of each cluster.
void AwaitAll(const Replicas& replicas, int clusters);

// Recalculates every cluster now.
void RecalculateAll(const Replicas& replicas, int clusters);

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_CHECKS_H_
