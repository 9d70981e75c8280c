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

// What a kind of call has taken so far.
struct CallCount {
  int64_t calls = 0;
  absl::Duration time;
};

// Every error that comes out of it ends the play: the client has tried again what is
// worth it. Not thread-safe.
class RemoteCluster {
 public:
  // `client` outlives this and names the cluster.
  explicit RemoteCluster(const client::PriorityClient* client) : client_(*client) {}

  // Takes a site's files in; creates the cluster where there is none. FAILED_PRECONDITION
  // where the policy has no Clock=manual.
  absl::Status Import(const std::string& slurm_conf, const std::string& sacctmgr_dump);

  // Of the policy. REQUIRES: Import().
  absl::Duration calc_period() const { return calc_period_; }
  absl::Duration half_life() const { return half_life_; }  // 0 = no decay.

  // Sets the cluster's time and recalculates.
  absl::Status Recalculate(absl::Time as_of);

  // Sends jobs that are new or have changed. The results are in their order.
  absl::StatusOr<std::vector<v1::JobUpdateResult>> UpdateJobs(std::vector<v1::Job> jobs);

  // When the jobs of the queue start, and whom one would preempt.
  absl::StatusOr<v1::PlanStartsResponse> PlanStarts(v1::PlanStartsRequest request);
  absl::StatusOr<v1::SuggestPreemptionResponse> SuggestPreemption(
      v1::SuggestPreemptionRequest request);

  // How many jobs of the queue cannot start, by Slurm's word for why.
  absl::StatusOr<std::map<std::string, int64_t>> IneligibleReasons(absl::Time as_of);

  // Fails where a record is rejected. A record sent twice counts once.
  absl::Status RecordUsage(std::vector<v1::UsageRecord> records);

  // The tree as the last recalculation left it.
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
