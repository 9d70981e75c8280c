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

// What a list is made of.
struct JobListKey {
  // For so long a list is begun again for others who ask the same of the same queue: dashboards
  // ask for what has not changed, and their rankings differ by no more than so much age.
  static constexpr absl::Duration kShared = absl::Seconds(1);

  std::shared_ptr<const queue::QueueState> state;
  uint64_t request = 0;            // PageTokens::fingerprint.
  authorization::Visibility sees;  // Of whom it was made for.
  absl::Time as_of;                // Of the ranking.

  // Whether a list that this is the key of answers who asks with that one.
  bool Serves(const JobListKey& asked) const;
};

// Keeps the lists that are being paged through, so that a page token finds its
// queue as it was, and no page sorts it again. Thread-safe.
class JobLists {
 public:
  JobLists();

  // Gives the list a number, by which it can be found while it is among the last
  // ones kept.
  int64_t Keep(std::shared_ptr<const JobList> list);
  std::shared_ptr<const JobList> Find(int64_t number);
  // A list kept that serves `key`, and its number; null = there is none.
  std::shared_ptr<const JobList> FindBegun(const JobListKey& key, int64_t* number);

 private:
  static constexpr size_t kKept = 8;

  absl::Mutex mutex_;
  // Numbers of another server, or of one before a restart, must not be found here.
  int64_t next_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<int64_t, std::shared_ptr<const JobList>>> lists_ ABSL_GUARDED_BY(mutex_);
};

// `state` is the queue as it is now: a list that is no longer kept, or was begun at another
// replica, goes on in it after the last job that was listed. Lists and counts the jobs that the
// caller is shown. `as_of`: of the ranking, where one is asked for and the list begins; one of
// JobListKey::kShared before it may be told. REQUIRES: the request is valid. INVALID_ARGUMENT
// (INVALID_PAGE_TOKEN).
absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state,
                      const authorization::Visibility& sees, absl::Time as_of, JobLists& lists,
                      const ::priority::v1::ListJobsRequest& request,
                      ::priority::v1::ListJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_JOBS_H_
