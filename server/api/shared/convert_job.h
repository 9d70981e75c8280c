// Converts jobs from and to the API; texts are not copied.
#ifndef PRIORITYD_SERVER_API_SHARED_CONVERT_JOB_H_
#define PRIORITYD_SERVER_API_SHARED_CONVERT_JOB_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job.h"
#include "priority/v1/job.pb.h"
#include "priority/v1/queue.pb.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::rpc {

// Reads the messages of one request, which must outlive the jobs. An invalid job has its violation
// set; this object owns the texts of violations. What a message has for which member is in
// server/queue/state/job_members.h; source and keeps_state are not of the message.
class JobReader {
 public:
  JobReader() = default;
  JobReader(const JobReader&) = delete;
  JobReader& operator=(const JobReader&) = delete;

  // An ended job is invalid.
  void Read(const ::priority::v1::Job& proto, priority::Job* job);
  void Read(const ::priority::v1::Job& proto, queue::TrackedJob* job);

 private:
  class Reading;

  void Read(const ::priority::v1::Job& proto, bool takes_ended, priority::Job* job,
            queue::TrackedJob* tracked);
  // The number of the canonical TRES name; -1 for an unknown type.
  int TresNumber(absl::string_view name);

  queue::TrackedJob ignored_;  // The members that an inline job does not have.
  std::deque<std::string> violations_;
  absl::flat_hash_map<absl::string_view, int> tres_numbers_;  // By the name as given.
  absl::flat_hash_map<std::string, int> canonical_tres_;
};

// The jobs of one request as engine jobs: they point into the request, which must outlive this.
class InlineQueue {
 public:
  explicit InlineQueue(const google::protobuf::RepeatedPtrField<::priority::v1::Job>& jobs);

  const std::vector<priority::Job>& jobs() const { return jobs_; }

 private:
  JobReader reader_;
  std::vector<priority::Job> jobs_;
};

void ToProto(const queue::TrackedJob& job, ::priority::v1::TrackedJob* proto);

::priority::v1::JobState StateOf(const queue::TrackedJob& job);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_CONVERT_JOB_H_
