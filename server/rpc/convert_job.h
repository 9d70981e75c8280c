// priority.v1.Job to the engine's Job, without copying.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_JOB_H_
#define PRIORITYD_SERVER_RPC_CONVERT_JOB_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "priority/v1/job.pb.h"
#include "server/priority/job.h"

namespace priorityd::rpc {

// The jobs of one request in the engine's terms: views into the request, which
// must outlive this. A job that cannot be taken as it is has its violation set; the
// text of the violations lives here.
class InlineQueue {
 public:
  // What a job that has ended is taken as: faulty, or for the caller to deal with.
  enum class Ended { kIsFault, kIsTaken };

  explicit InlineQueue(const google::protobuf::RepeatedPtrField<::priority::v1::Job>& jobs,
                       Ended ended = Ended::kIsFault);
  InlineQueue(const InlineQueue&) = delete;
  InlineQueue& operator=(const InlineQueue&) = delete;

  const std::vector<priority::Job>& jobs() const { return jobs_; }

 private:
  void Convert(const ::priority::v1::Job& proto, priority::Job* job);
  // Each returns the violation, empty if there is none.
  std::string ConvertTimes(const ::priority::v1::Job& proto, priority::Job* job);
  std::string ConvertTres(const ::priority::v1::Job& proto, priority::Job* job);
  // A number per canonical TRES name, -1 for a name of no known type.
  int TresNumber(absl::string_view name);

  const Ended ended_;
  std::vector<priority::Job> jobs_;
  std::deque<std::string> violations_;
  absl::flat_hash_map<absl::string_view, int> tres_numbers_;  // By the name as given.
  absl::flat_hash_map<std::string, int> canonical_tres_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_JOB_H_
