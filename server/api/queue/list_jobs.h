// ListJobs: the tracked queue, page by page.
#ifndef PRIORITYD_SERVER_API_QUEUE_LIST_JOBS_H_
#define PRIORITYD_SERVER_API_QUEUE_LIST_JOBS_H_

#include <cstdint>
#include <deque>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "priority/v1/queue.pb.h"
#include "server/authorization/visibility.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::rpc {

struct JobList;

// The source of a list.
struct JobListKey {
  // A list is shared for this long by callers with the same request for the same queue: dashboards
  // repeat requests while nothing changes, and their rankings differ only by this much age.
  static constexpr absl::Duration kShared = absl::Seconds(1);

  std::shared_ptr<const queue::QueueState> state;
  uint64_t request = 0;            // PageTokens::fingerprint.
  authorization::Visibility sees;  // Visibility of the caller of its first page.
  absl::Time as_of;                // The time of the ranking.

  // Whether a list with this key serves a request with the other key.
  bool Serves(const JobListKey& asked) const;
};

// Keeps the lists that are being paged through, so that a page token finds the queue unchanged and
// no page sorts it again. Thread-safe.
class JobLists {
 public:
  JobLists();

  // Adds a list and returns its number, by which it can be found while it is among the last ones.
  int64_t Keep(std::shared_ptr<const JobList> list);
  std::shared_ptr<const JobList> Find(int64_t number);
  // A kept list that serves `key`, with its number; null = none.
  std::shared_ptr<const JobList> FindBegun(const JobListKey& key, int64_t* number);

 private:
  static constexpr size_t kKept = 8;

  absl::Mutex mutex_;
  // Distinguishes numbers of other servers and of earlier runs.
  int64_t next_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<int64_t, std::shared_ptr<const JobList>>> lists_ ABSL_GUARDED_BY(mutex_);
};

// `state`: the present queue. A list that is no longer kept, or was started at another replica,
// continues in it after the last listed job. Lists and counts the jobs that the caller may see.
// `as_of`: the time of a requested ranking at the start of a list; a shared list may be up to
// JobListKey::kShared older. REQUIRES: the request is valid. INVALID_ARGUMENT (INVALID_PAGE_TOKEN).
absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state,
                      const authorization::Visibility& sees, absl::Time as_of, JobLists& lists,
                      const ::priority::v1::ListJobsRequest& request,
                      ::priority::v1::ListJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_QUEUE_LIST_JOBS_H_
