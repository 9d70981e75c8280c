// The slurm.conf of a captured configuration.
#ifndef PRIORITYD_TESTS_ORACLE_CAPTURED_POLICY_H_
#define PRIORITYD_TESTS_ORACLE_CAPTURED_POLICY_H_

#include <string>

#include "server/priority/snapshot.h"

namespace priorityd {

// Policy, cluster and partitions; the rest is left as it is by default.
SnapshotSource ReadConfiguration(const std::string& path);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_ORACLE_CAPTURED_POLICY_H_
