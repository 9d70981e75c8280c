// The frontend's cluster in priorityd: its tracked queue, its usage, its clock.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_REMOTE_CLUSTER_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_REMOTE_CLUSTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/priority_client.h"

namespace priorityd::batch_frontend {

namespace v1 = ::priority::v1;

// The time of one kind of call so far.
struct CallCount {
  int64_t calls = 0;
  absl::Duration time;
};

// Every error that it returns ends the simulation: the client has retried transient ones. Not
// thread-safe.
class RemoteCluster {
 public:
  // `client` outlives this and names the cluster.
  explicit RemoteCluster(const client::PriorityClient* client) : client_(*client) {}

  // Imports a site's files; creates the cluster if it does not exist. FAILED_PRECONDITION
  // if the policy has no Clock=manual.
  absl::Status Import(const std::string& slurm_conf, const std::string& sacctmgr_dump);

  // Of the policy. REQUIRES: Import().
  absl::Duration calc_period() const { return calc_period_; }
  absl::Duration half_life() const { return half_life_; }  // 0 = no decay.

  // Sets the cluster's time and recalculates.
  absl::Status Recalculate(absl::Time as_of);

  // Sends jobs that are new or have changed. The results are in their order.
  absl::StatusOr<std::vector<v1::JobUpdateResult>> UpdateJobs(std::vector<v1::Job> jobs);

  // The start times of the jobs of the queue, and the victims of a job's preemption.
  absl::StatusOr<v1::PlanStartsResponse> PlanStarts(v1::PlanStartsRequest request);
  absl::StatusOr<v1::SuggestPreemptionResponse> SuggestPreemption(
      v1::SuggestPreemptionRequest request);

  // The number of jobs in the queue that cannot start, by Slurm's reason.
  absl::StatusOr<std::map<std::string, int64_t>> IneligibleReasons(absl::Time as_of);

  // Fails if a record is rejected. A record that is sent twice counts once.
  absl::Status RecordUsage(std::vector<v1::UsageRecord> records);

  // The tree as of the last recalculation.
  absl::StatusOr<v1::ListSharesResponse> Shares();

  // By the name of the call.
  const std::map<std::string, CallCount>& calls() const { return calls_; }

 private:
  // Calls and counts.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(const char* name,
                                absl::StatusOr<Response> (client::PriorityClient::*method)(Request)
                                    const,
                                Request request);

  const client::PriorityClient& client_;
  absl::Duration calc_period_;
  absl::Duration half_life_;
  std::map<std::string, CallCount> calls_;
};

google::protobuf::Timestamp ToProto(absl::Time time);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_REMOTE_CLUSTER_H_
