// Plays jobs on a simulated cluster whose queue, usage and clock are priorityd's.
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
  // Node types, without hosts, and caps of partitions; without types there are `nodes` alike.
  v1::ClusterDescription description;
  // Jobs of these partitions preempt others where they do not fit: the owners'.
  std::set<std::string> preempting;
  bool backfill = true;
  // So many of the first jobs are looked at in a pass, and more if none of them has to wait.
  uint32_t depth = 100;
  // Between two scheduling passes at least, counted from midnight UTC. Zero = a pass
  // whenever jobs are submitted or end.
  absl::Duration pass_interval = absl::Minutes(1);
  // The shares are looked at so often, at the first recalculation from then on.
  absl::Duration sample_period = absl::Hours(6);
};

// What became of a job.
struct PlayedJob {
  std::optional<absl::Time> start_time;  // Unset: it was never started.
  absl::Time end_time;
  Allocation allocation;
  bool backfilled = false;
  bool refused = false;    // Over a submit limit.
  bool cancelled = false;  // Preempted, and not to be requeued.
  int preemptions = 0;     // Runs that ended so; the times are those of its last run.
};

struct Played {
  std::vector<PlayedJob> jobs;       // In the order of the jobs that were given.
  std::vector<ShareSample> samples;  // By time.
  std::map<std::string, int64_t>
      ineligible;  // Jobs left in the queue that may not start, by reason.
  absl::Time last_submission;
  // The place in `samples` of the last recalculation up to last_submission: from then on
  // there is less and less to choose from.
  size_t sample_at_last_submission = 0;
};

// The loop of a batch frontend. It goes from event to event (submissions, ends,
// recalculations, scheduling passes) and never sleeps: time is what the events say. After
// an event there is a pass, which
//   1. sends priorityd what has changed, in one UpdateJobs,
//   2. records what jobs have used up to the last PriorityCalcPeriod, and recalculates for it,
//   3. asks which jobs start now by EASY backfill, and starts them,
//   4. asks for jobs of owners that do not whom they would preempt, and requeues or cancels those.
// A pass in which no waiting job would fit does nothing: none could be started, and usage
// decays in closed form, so what is computed later is the same.
class Player {
 public:
  // `jobs` are in the order of submission, and there is one at least. They and `cluster`,
  // into which the site's files have been imported, outlive this.
  Player(RemoteCluster* cluster, const std::vector<Job>* jobs, const PlayOptions& options);

  // Plays until nothing is left to be started. REQUIRES: called once.
  absl::StatusOr<Played> Play();

 private:
  enum class State { kUnknown, kWaiting, kRunning, kEnded };

  // When something happens next; unset: nothing will.
  std::optional<absl::Time> NextEvent() const;
  void EndJobs(absl::Time now);
  void SubmitJobs(absl::Time now);
  absl::Status Tick(absl::Time now);

  // A scheduling pass, where one is due.
  absl::Status MaybeStartJobs(absl::Time now);
  absl::Status StartJobs(absl::Time now);
  bool SomeJobFits() const;
  absl::StatusOr<v1::PlanStartsResponse> Plan(absl::Time now);
  // Where running jobs run.
  google::protobuf::RepeatedPtrField<v1::JobPlacement> Placements() const;
  absl::Status Start(const v1::PlannedStart& start, absl::Time now);
  // For the first job that preempts somebody; false: none does.
  absl::StatusOr<bool> PreemptForOne(const v1::PlanStartsResponse& plan, absl::Time now);
  absl::Status Preempt(const v1::PreemptionVictim& victim, absl::Time now);

  // Sends what has changed since it was last sent.
  absl::Status SendChanges();
  void Refuse(size_t job);
  // Recalculates for the last tick, unless that has been done.
  absl::Status CatchUp();
  absl::Status RecordUsage(absl::Time until);
  // What a job has used since it was last charged.
  v1::UsageRecord Charge(size_t job, absl::Time until);
  absl::Status Sample();
  // The last recalculation and sample, and what is left in the queue.
  absl::Status Finish();

  // A job joins or leaves those that wait.
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
  std::map<NodeRequest, int> waiting_;                                 // How many jobs wait for it.
  std::map<std::string, std::pair<int, absl::Time>> waiting_of_user_;  // How many, since when.

  int waiting_preemptors_ = 0;

  std::set<size_t> unsent_;
  std::vector<v1::UsageRecord> owed_;      // Of runs that were preempted, not recorded yet.
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
