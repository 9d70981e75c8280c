// Converts priority.v1.Job to the engine's Job without copying texts.
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

namespace priorityd::rpc {

// The jobs of one request as engine jobs: they point into the request, which must outlive this. An
// invalid job has its violation set; this object owns the texts of violations.
class InlineQueue {
 public:
  // How to treat an ended job: as invalid, or accepted for the caller to handle.
  enum class Ended { kIsFault, kIsTaken };

  explicit InlineQueue(const google::protobuf::RepeatedPtrField<::priority::v1::Job>& jobs,
                       Ended ended = Ended::kIsFault);
  InlineQueue(const InlineQueue&) = delete;
  InlineQueue& operator=(const InlineQueue&) = delete;

  const std::vector<priority::Job>& jobs() const { return jobs_; }

 private:
  void Convert(const ::priority::v1::Job& proto, priority::Job* job);
  // Each returns the violation; empty if there is none.
  std::string ConvertTimes(const ::priority::v1::Job& proto, priority::Job* job);
  std::string ConvertTres(const ::priority::v1::Job& proto, priority::Job* job);
  // The number of the canonical TRES name; -1 for an unknown type.
  int TresNumber(absl::string_view name);

  const Ended ended_;
  std::vector<priority::Job> jobs_;
  std::deque<std::string> violations_;
  absl::flat_hash_map<absl::string_view, int> tres_numbers_;  // By the name as given.
  absl::flat_hash_map<std::string, int> canonical_tres_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_CONVERT_JOB_H_
