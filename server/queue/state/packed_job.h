// Jobs in few bytes: what keeps a million of them in memory.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_PACKED_JOB_H_
#define PRIORITYD_SERVER_QUEUE_STATE_PACKED_JOB_H_

#include <string>

#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Appends the job; equal jobs make equal bytes, whatever the order of their TRES.
// Times are cut to microseconds. The form is for memory, not for keeping.
void PackJob(const TrackedJob& job, std::string* packed);
std::string PackJob(const TrackedJob& job);

// The job in `packed`, which must be all of what PackJob appended; its texts point
// there.
TrackedJob UnpackJob(absl::string_view packed);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_PACKED_JOB_H_
