// How long a text may be and how many of a thing may come: the one table of bounds on what
// callers send. Bounds of whole calls (jobs, records, bytes) are flags.
#ifndef PRIORITYD_SERVER_ERRORS_BOUNDS_H_
#define PRIORITYD_SERVER_ERRORS_BOUNDS_H_

#include <cstddef>

namespace priorityd::errors {

// --- Bytes -----------------------------------------------------------------------
//
// A row of a btree of PostgreSQL holds about 2,700 bytes; no key of ours has more than two
// texts of kMaxTextBytes or three names.

// What a site configures: a cluster, account, user, QOS, partition. Also who sends jobs.
inline constexpr size_t kMaxNameBytes = 255;
// Any other text, and any name that is only looked up: job_id, record_id, source, TRES.
inline constexpr size_t kMaxTextBytes = 1024;
// What may list many jobs or tasks: dependency, array_task_ids.
inline constexpr size_t kMaxExpressionBytes = 64 << 10;
// A comment of an operator, which the audit keeps.
inline constexpr size_t kMaxCommentBytes = 16 << 10;
// A policy, and one file of it.
inline constexpr size_t kMaxPolicyBytes = 16 << 20;

// --- How many --------------------------------------------------------------------

// TRES of a usage record or a job.
inline constexpr size_t kMaxTresNames = 64;
// Different TRES that a cluster has ever used, beside Slurm's own eight.
inline constexpr size_t kMaxTresOfCluster = 1000;
// Partitions of a job, QOS of a job, and pairs of the two, each of which is a row of a ranking.
inline constexpr size_t kMaxPairNames = 256;
inline constexpr size_t kMaxPairsOfJob = 1024;
// Pairs of partition and QOS of all jobs of a call, for each job that it may have.
inline constexpr size_t kMaxPairsPerJob = 10;
// Names in one filter of a request.
inline constexpr size_t kMaxFilterNames = 10'000;
// Settings of a change, and associations of one that creates them.
inline constexpr size_t kMaxSettings = 100;
inline constexpr size_t kMaxNewAssociations = 100'000;

// --- In answers --------------------------------------------------------------------

// Of a text that a message repeats.
inline constexpr size_t kShownBytes = 64;

}  // namespace priorityd::errors

#endif  // PRIORITYD_SERVER_ERRORS_BOUNDS_H_
