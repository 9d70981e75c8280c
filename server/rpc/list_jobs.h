// ListJobs: the tracked queue, page by page.
#ifndef PRIORITYD_SERVER_RPC_LIST_JOBS_H_
#define PRIORITYD_SERVER_RPC_LIST_JOBS_H_

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

// Keeps the lists that are being paged through, so that a page token finds its
// queue as it was, and no page sorts it again. Thread-safe.
class JobLists {
 public:
  JobLists();

  // Gives the list a number, by which it can be found while it is among the last
  // ones kept.
  int64_t Keep(std::shared_ptr<const JobList> list);
  std::shared_ptr<const JobList> Find(int64_t number);

 private:
  static constexpr size_t kKept = 8;

  absl::Mutex mutex_;
  // Numbers of another server, or of one before a restart, must not be found here.
  int64_t next_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<int64_t, std::shared_ptr<const JobList>>> lists_ ABSL_GUARDED_BY(mutex_);
};

// `state` is the queue as it is now: a list that is no longer kept, or was begun at another
// replica, goes on in it after the last job that was listed. Lists and counts the jobs that the
// caller is shown. `as_of`: of the ranking, where one is asked for and the list begins. REQUIRES:
// the request is valid. INVALID_ARGUMENT (INVALID_PAGE_TOKEN).
absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state,
                      const authorization::Visibility& sees, absl::Time as_of, JobLists& lists,
                      const ::priority::v1::ListJobsRequest& request,
                      ::priority::v1::ListJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_JOBS_H_
