// A compact encoding that keeps millions of jobs in memory.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_PACKED_JOB_H_
#define PRIORITYD_SERVER_QUEUE_STATE_PACKED_JOB_H_

#include <string>

#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Appends the encoded job; equal jobs have equal bytes, regardless of the order of TRES. Times are
// truncated to microseconds. The encoding is for memory only, not for storage.
void PackJob(const TrackedJob& job, std::string* packed);
std::string PackJob(const TrackedJob& job);

// Decodes `packed`, exactly what PackJob appended; the job's texts point into it.
TrackedJob UnpackJob(absl::string_view packed);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_PACKED_JOB_H_
