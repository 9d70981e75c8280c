// Simulates jobs on a cluster whose queue, usage and clock are priorityd's.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_PLAYER_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_PLAYER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/examples/batch_frontend/job.h"
#include "client/examples/batch_frontend/nodes.h"
#include "client/examples/batch_frontend/remote_cluster.h"
#include "client/examples/batch_frontend/share_sample.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace priorityd::batch_frontend {

struct PlayOptions {
  int nodes = 1;
  int cpus_per_node = 1;
  // Node types, without hosts, and caps of partitions; without types the cluster has `nodes` equal
  // ones.
  v1::ClusterDescription description;
  // Jobs of these partitions, the owners', preempt others if they do not fit.
  std::set<std::string> preempting;
  bool backfill = true;
  // A pass considers so many of the first jobs, and more if none of them has to wait.
  uint32_t depth = 100;
  // The least time between two scheduling passes, counted from midnight UTC. Zero = a pass
  // at each submission or end of jobs.
  absl::Duration pass_interval = absl::Minutes(1);
  // The interval of usage samples, taken at the next recalculation.
  absl::Duration sample_period = absl::Hours(6);
};

// The outcome of a job.
struct PlayedJob {
  std::optional<absl::Time> start_time;  // Unset: never started.
  absl::Time end_time;
  Allocation allocation;
  bool backfilled = false;
  bool refused = false;    // Over a submit limit.
  bool cancelled = false;  // Preempted without a requeue.
  int preemptions = 0;     // Runs that a preemption ended; the times are those of its last run.
};

struct Played {
  std::vector<PlayedJob> jobs;       // In the order of the given jobs.
  std::vector<ShareSample> samples;  // By time.
  std::map<std::string, int64_t>
      ineligible;  // Jobs left in the queue that may not start, by reason.
  absl::Time last_submission;
  // The index in `samples` of the last recalculation up to last_submission: after it the
  // queue only becomes shorter.
  size_t sample_at_last_submission = 0;
};

// The loop of a batch frontend. It goes from event to event (submissions, ends,
// recalculations, scheduling passes) and never sleeps: the events set the time. After an
// event a pass
//   1. sends the changes to priorityd, in one UpdateJobs,
//   2. records what jobs have used up to the last PriorityCalcPeriod, and recalculates for it,
//   3. asks which jobs start now by EASY backfill, and starts them,
//   4. asks for the preemption victims of owners' jobs that do not fit, and requeues or cancels
//   them.
// A pass in which no pending job would fit does nothing: no job could be started, and usage
// decays in closed form, so a later computation has the same result.
class Player {
 public:
  // REQUIRES: `jobs` are in the order of submission and not empty; they and `cluster`, into which
  // the site's files have been imported, outlive this.
  Player(RemoteCluster* cluster, const std::vector<Job>* jobs, const PlayOptions& options);

  // Runs until no job is left to be started. REQUIRES: called once.
  absl::StatusOr<Played> Play();

 private:
  enum class State { kUnknown, kWaiting, kRunning, kEnded };

  // The time of the next event; unset: none.
  std::optional<absl::Time> NextEvent() const;
  void EndJobs(absl::Time now);
  void SubmitJobs(absl::Time now);
  absl::Status Tick(absl::Time now);

  // A scheduling pass, if one is due.
  absl::Status MaybeStartJobs(absl::Time now);
  absl::Status StartJobs(absl::Time now);
  bool SomeJobFits() const;
  absl::StatusOr<v1::PlanStartsResponse> Plan(absl::Time now);
  // The allocations of running jobs.
  google::protobuf::RepeatedPtrField<v1::JobPlacement> Placements() const;
  absl::Status Start(const v1::PlannedStart& start, absl::Time now);
  // For the first job that preempts others; false: none does.
  absl::StatusOr<bool> PreemptForOne(const v1::PlanStartsResponse& plan, absl::Time now);
  absl::Status Preempt(const v1::PreemptionVictim& victim, absl::Time now);

  // Sends the changes since the last update.
  absl::Status SendChanges();
  void Refuse(size_t job);
  // Recalculates for the last tick, once.
  absl::Status CatchUp();
  absl::Status RecordUsage(absl::Time until);
  // The usage of a job since its last charge.
  v1::UsageRecord Charge(size_t job, absl::Time until);
  absl::Status Sample();
  // The last recalculation and sample, and the rest of the queue.
  absl::Status Finish();

  // A job enters or leaves the pending ones.
  void Enqueue(size_t job, absl::Time now);
  void Dequeue(size_t job);

  v1::Job Describe(size_t job) const;

  RemoteCluster& cluster_;
  const std::vector<Job>& jobs_;
  const PlayOptions options_;
  Played played_;

  std::vector<State> states_;
  std::map<std::string, size_t> job_of_id_;
  size_t next_submission_ = 0;
  std::set<std::pair<absl::Time, size_t>> running_;  // By their ends, which are not known yet.
  v1::ClusterDescription description_;
  std::vector<std::string> node_names_;  // By number.
  std::map<std::string, int> node_of_name_;
  FreeCpus free_;
  std::map<NodeRequest, int> waiting_;  // The number of jobs that wait for it.
  std::map<std::string, std::pair<int, absl::Time>>
      waiting_of_user_;  // The number, and since when.

  int waiting_preemptors_ = 0;

  std::set<size_t> unsent_;
  std::vector<v1::UsageRecord> owed_;      // Records of preempted runs that are not recorded yet.
  std::set<size_t> uncharged_;             // With usage that is not recorded yet.
  std::vector<absl::Time> charged_until_;  // By job, from its start on.
  std::vector<int> records_;               // By job.
  absl::Time last_tick_;
  absl::Time recalculated_ = absl::InfinitePast();
  absl::Time next_sample_;
  std::optional<absl::Time> next_pass_;
  bool idle_ = false;  // The last pass started nothing and nothing runs.
};

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_PLAYER_H_
