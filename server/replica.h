// The composition root: what a replica is made of.
#ifndef PRIORITYD_SERVER_REPLICA_H_
#define PRIORITYD_SERVER_REPLICA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/deletion_loop.h"
#include "server/configuration/association_roles.h"
#include "server/gateway/gateway.h"
#include "server/http/server.h"
#include "server/identity/authenticator.h"
#include "server/metrics/service_metrics.h"
#include "server/queue/replication/queue_follower.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/recalculation/recalculation.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/admission.h"
#include "server/rpc/boundary.h"
#include "server/rpc/call_report.h"
#include "server/rpc/priority_service.h"
#include "server/rpc/server.h"
#include "server/rpc/service_status.h"
#include "server/rpc/site_factor_client.h"
#include "server/rpc/site_proxy.h"
#include "server/rpc/validate.h"
#include "server/rpc/worker_pool.h"
#include "server/site_factor/allowed_services.h"
#include "server/site_factor/site_factors.h"
#include "server/status/heartbeat.h"
#include "server/threads/clock.h"
#include "server/threads/database_clock.h"
#include "server/threads/periodic_thread.h"
#include "server/usage/retention_loop.h"
#include "server/usage/usage_recorder.h"
#include "storage/database.h"

namespace priorityd {

// What health checks may ask about beside the whole server: whether usage can be recorded, and
// whether this host's clock is near enough to the database's. The server serves all calls
// that need neither.
inline constexpr char kRecordingHealth[] = "priorityd.recording";
inline constexpr char kClockHealth[] = "priorityd.clock";

// See ReplicaOptions::memory_budget.
inline constexpr size_t kTransportPart = 4;

struct ReplicaOptions {
  std::string database_url;
  rpc::ServerOptions server;
  rpc::RequestLimits limits;
  queue::QueueBounds queue_bounds;
  // What one caller may hold of what all share; queue_bounds has them too.
  quotas::Parts quotas;
  // For requests, answers and what is made of them: see rpc::Admission. One part of kTransportPart
  // of it is gRPC's, for what is on its way; four times the largest message at least.
  size_t memory_budget = size_t{1} << 30;
  // See site_factor::AllowedServices.
  std::vector<std::string> site_factor_allow;
  rpc::SiteFactorTls site_factor_tls;
  recalculation::HistoryOptions history;
  // How often ledgers are rolled up, by clocks.site.
  absl::Duration retention_period = absl::Minutes(1);
  // Health checks fail when the snapshots may be older than this.
  absl::Duration max_staleness = absl::Minutes(10);
  // Those of kRecordingHealth fail when a commit takes longer.
  absl::Duration max_commit = absl::Seconds(30);
  // How far this host's clock may be from the database's for the replica to lead.
  absl::Duration max_clock_offset = absl::Seconds(10);

  // Where metrics and readiness are served by HTTP; empty = nowhere.
  std::string http_listen;
  // There the API and the page too; see gateway::Origins.
  bool http_api = true;
  std::vector<std::string> http_allow_origins;
  std::vector<std::string> http_hosts;            // See http::HostNames.
  std::vector<std::string> http_frame_ancestors;  // See gateway::Gateway::Options.
  bool metrics_accounts = false;                  // Of each account and user too.
  // How often the ledger's size is read for them, by clocks.real.
  absl::Duration metrics_period = absl::Seconds(15);

  // Who is calling; null = whoever reaches the server administers it. Must outlive the replica.
  identity::Authenticator* authenticator = nullptr;
  rpc::SiteProxy proxy;
  // For the status: whether hosts beyond this one reach gRPC itself.
  bool is_grpc_exposed = false;
  // Told of each call that has ended. Must outlive the replica.
  rpc::CallObservers call_observers;
  // Told of each recalculation. Must outlive the replica.
  recalculation::RecalculationObservers recalculation_observers;
  // How often this replica tells the others that it is there, by clocks.real.
  absl::Duration heartbeat_period = absl::Seconds(5);
  // How often the roles of the association data are read, by clocks.real.
  absl::Duration roles_period = absl::Seconds(1);

  // Threads that rank and list, that price usage, and that serve administrators.
  int computing_threads = 2;
  int storing_threads = 8;
  int operating_threads = 8;
  size_t max_queued_operations = rpc::kMaxQueuedCalls;
  int database_connections = 30;
  // Clusters recalculated side by side, each with a database connection more.
  int recalculation_threads = 4;

  threads::Clocks clocks;
};

// One priorityd, without its process: flags, signals and log are main's. Several on
// one database are replicas.
//
// It stops in this order: health checks fail and no more calls are taken; calls at work
// finish; the recorder, whose answers the pools send; the pools; the loops; the
// connections. Drain does the first two, the destructor the rest. Thread-compatible.
class Replica {
 public:
  explicit Replica(ReplicaOptions options);
  // Cancels calls at work.
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  // Checks and migrates the database, loads what it holds and starts the loops. Errors of the
  // database. Call once.
  absl::Status Open();

  // Serves calls until drained. FAILED_PRECONDITION if the address cannot be had. Call
  // once, after Open.
  absl::Status Listen();

  // Tells health checks how the replica is, and counts for GetStatus. To be called every second
  // between Listen and Drain.
  void UpdateHealth();

  // What the replica needs to be ready, as health checks and /readyz tell it.
  std::vector<metrics::HealthPart> Health() const;

  // Ends streams and watches and takes no more calls; those at work are cancelled
  // after `patience`. After Listen.
  void Drain(absl::Duration patience);

  // A site's clock that was set calls it: what is due by now is done.
  void CheckClock();

  // The jobs tracked of a cluster, as far as this replica has loaded them.
  int64_t CountJobs(const std::string& cluster);

  // Its parts, which live as long as the replica. REQUIRES of `server`: Listen succeeded.
  storage::Database& database() { return database_; }
  recalculation::RecalculationLoop& loop() { return loop_; }
  configuration::AssociationRoles& association_roles() { return association_roles_; }
  queue::TrackedQueues& queues() { return queues_; }
  queue::QueueFollower& follower() { return follower_; }
  rpc::WorkerPool& operating() { return operating_; }
  rpc::PriorityService& priority_service() { return priority_service_; }
  rpc::Server& server() { return *server_; }
  rpc::Boundary& boundary() { return boundary_; }
  // Null without options.http_listen.
  http::Server* http_server() { return http_server_.get(); }

 private:
  recalculation::LoopOptions LoopOptions();
  // Reads the roles of the association data, again and again.
  absl::Status FollowRoles();
  rpc::ServerOptions ServerOptions();
  rpc::ServiceStatus::Options StatusOptions();
  status::Heartbeat::Options HeartbeatOptions();
  // Those of the options, and the service's own.
  rpc::CallObservers CallObservers();
  metrics::Sources MetricSources();
  // Of all that callers share.
  std::vector<quotas::Usage> QuotaUsages() const;
  absl::Status ListenByHttp();
  // `given`, or with the database's clock.
  threads::Clocks ClocksOf(threads::Clocks given);

  // In the order in which they are built; destroyed the other way round.
  const ReplicaOptions options_;
  metrics::ServiceMetrics::Observers metric_observers_;
  threads::DatabaseClock database_clock_;
  const threads::Clocks clocks_;
  storage::Database database_;
  recalculation::SnapshotRegistry registry_;
  queue::TrackedQueues queues_;
  queue::QueueFollower follower_;
  const site_factor::AllowedServices allowed_services_;
  site_factor::SiteFactors site_factors_;
  recalculation::RecalculationLoop loop_;
  usage::RetentionLoop retention_;
  administration::DeletionLoop deletions_;
  configuration::AssociationRoles association_roles_;
  rpc::Admission admission_;
  rpc::ServiceStatus service_status_;
  rpc::Boundary boundary_;
  rpc::WorkerPool computing_;
  rpc::WorkerPool storing_;
  rpc::WorkerPool operating_;
  usage::UsageRecorder recorder_;
  rpc::PriorityService priority_service_;
  rpc::AdminService admin_service_;
  status::Heartbeat heartbeat_;
  std::atomic<bool> drains_ = false;
  metrics::ServiceMetrics metrics_;
  std::unique_ptr<rpc::Server> server_;
  threads::PeriodicThread roles_thread_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<http::Server> http_server_;
  // The same, for who reads it while it is being started.
  std::atomic<const http::Server*> http_listening_ = nullptr;
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_REPLICA_H_
