// A digest for comparing the computations of two replicas.
#ifndef PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_DIGEST_H_
#define PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_DIGEST_H_

#include <cstdint>

#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::recalculation {

// A digest of all computed numbers of a snapshot: usage, TRES and wall time, each step of
// fair-share. A difference in a single bit changes the digest, except with probability 2^-64.
// Digests are stored, so the function is the same in every process and version.
int64_t DigestOf(const priority::Snapshot& snapshot);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_DIGEST_H_
