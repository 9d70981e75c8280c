// The bounds on lengths and counts in requests. Bounds of whole calls (jobs, records, bytes) are
// flags.
#ifndef PRIORITYD_ENGINE_ERRORS_BOUNDS_H_
#define PRIORITYD_ENGINE_ERRORS_BOUNDS_H_

#include <cstddef>

namespace priorityd::errors {

// --- Bytes -----------------------------------------------------------------------
//
// An entry of a PostgreSQL btree index holds about 2,700 bytes; no key of priorityd has more than
// two texts of kMaxTextBytes or three names.

// A configured name: of a cluster, account, user, QOS or partition; also the sender of jobs.
inline constexpr size_t kMaxNameBytes = 255;
// Any other text, and names that are only looked up: job_id, record_id, source, TRES.
inline constexpr size_t kMaxTextBytes = 1024;
// An expression that may list many jobs or tasks: dependency, array_task_ids.
inline constexpr size_t kMaxExpressionBytes = 64 << 10;
// The nodes of a job, as a hostlist.
inline constexpr size_t kMaxNodeListBytes = 32 << 10;
// The comment of an operator, kept in the audit log.
inline constexpr size_t kMaxCommentBytes = 16 << 10;
// A policy, and each of its files.
inline constexpr size_t kMaxPolicyBytes = 16 << 20;

// --- Counts ----------------------------------------------------------------------

// TRES of a usage record or a job.
inline constexpr size_t kMaxTresNames = 64;
// Different TRES that a cluster has ever used, besides Slurm's eight static ones.
inline constexpr size_t kMaxTresOfCluster = 1000;
// Partitions of a job; QOS of a job; their pairs, each of which is a row of a ranking.
inline constexpr size_t kMaxPairNames = 256;
inline constexpr size_t kMaxPairsOfJob = 1024;
// The bound on the pairs of all jobs of a call, as a multiple of the bound on its jobs.
inline constexpr size_t kMaxPairsPerJob = 10;
// Names in one filter of a request.
inline constexpr size_t kMaxFilterNames = 10'000;
// Names of settings without effect that an import accepts.
inline constexpr int kMaxAccepted = 256;
// Settings of one change; associations that one change creates.
inline constexpr size_t kMaxSettings = 100;
inline constexpr size_t kMaxNewAssociations = 100'000;

// --- In answers --------------------------------------------------------------------

// The part of a text that an error message repeats.
inline constexpr size_t kShownBytes = 64;

}  // namespace priorityd::errors

#endif  // PRIORITYD_ENGINE_ERRORS_BOUNDS_H_
