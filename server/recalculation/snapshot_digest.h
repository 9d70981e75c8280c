// Whether two replicas computed the same.
#ifndef PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_DIGEST_H_
#define PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_DIGEST_H_

#include <cstdint>

#include "server/priority/snapshot.h"

namespace priorityd::recalculation {

// A digest of all numbers of a snapshot that are computed: usage, TRES and wall time, each
// step of fair-share. One that differs in the last bit of one of them has another digest but
// for chance (2^-64). It is stored, so it is the same in every process and version.
int64_t DigestOf(const priority::Snapshot& snapshot);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_DIGEST_H_
