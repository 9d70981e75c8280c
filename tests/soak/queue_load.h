// Jobs sent to the tracked queues, and what became of them.
#ifndef PRIORITYD_TESTS_SOAK_QUEUE_LOAD_H_
#define PRIORITYD_TESTS_SOAK_QUEUE_LOAD_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "priority/v1/queue.pb.h"
#include "tests/soak/load.h"

namespace priorityd::soak {

// The only frontend of its clusters: every `stride`-th one from `first` on. Repeats each update
// until it is answered.
class Frontend : public Load {
 public:
  Frontend(int first, int stride, const LoadOptions& options);

  void Step() override;
  std::string Summary() const override;

  // Nice of each job, by cluster, as acknowledged.
  const std::map<int, std::map<std::string, int64_t>>& queues() const { return queues_; }

 private:
  ::priority::v1::UpdateJobsRequest NextUpdate(int cluster);
  void Check(const ::priority::v1::UpdateJobsRequest& request,
             const ::priority::v1::UpdateJobsResponse& response);
  void Note(int cluster, const ::priority::v1::UpdateJobsRequest& request);

  const int first_, stride_;
  std::map<int, std::map<std::string, int64_t>> queues_;
  int64_t updates_ = 0;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_QUEUE_LOAD_H_
