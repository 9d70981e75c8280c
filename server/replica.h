// The composition root: builds and connects the parts of a replica.
#ifndef PRIORITYD_SERVER_REPLICA_H_
#define PRIORITYD_SERVER_REPLICA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/clusters/deletion_loop.h"
#include "server/api/admin_service.h"
#include "server/api/priority_service.h"
#include "server/api/site_factor/site_factor_tls.h"
#include "server/api/status/service_status.h"
#include "server/backups/backups.h"
#include "server/configuration/alias_directory.h"
#include "server/configuration/association_roles.h"
#include "server/forecasts/books.h"
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
#include "server/sign_in/sign_in.h"
#include "server/site_factor/allowed_services.h"
#include "server/site_factor/reasons.h"
#include "server/site_factor/site_factor_service.h"
#include "server/site_factor/site_factors.h"
#include "server/status/heartbeat.h"
#include "server/threads/clock.h"
#include "server/threads/database_clock.h"
#include "server/threads/periodic_thread.h"
#include "server/transport/admission.h"
#include "server/transport/boundary.h"
#include "server/transport/call_report.h"
#include "server/transport/pools.h"
#include "server/transport/request_limits.h"
#include "server/transport/server.h"
#include "server/transport/site_proxy.h"
#include "server/usage/retention_loop.h"
#include "server/usage/usage_recorder.h"
#include "storage/database/database.h"
#include "storage/database/report_database.h"

namespace priorityd {

// Names for health checks of a part of the server: whether usage can be recorded, and whether this
// host's clock agrees with the database's. While one of them fails, the server still serves the
// calls that do not need it.
inline constexpr char kRecordingHealth[] = "priorityd.recording";
inline constexpr char kClockHealth[] = "priorityd.clock";

// See ReplicaOptions::memory_budget.
inline constexpr size_t kTransportPart = 4;

struct ReplicaOptions {
  std::string database_url;
  std::string cell;  // For GetStatus; empty = none.
  rpc::ServerOptions server;
  rpc::RequestLimits limits;
  queue::QueueBounds queue_bounds;
  // Each caller's maximum of the shared resources; queue_bounds.parts are the same.
  quotas::Parts quotas;
  // Memory for requests, answers and the work on them: see rpc::Admission. gRPC's transport gets 1
  // / kTransportPart of it, and at least four times the largest message.
  size_t memory_budget = size_t{1} << 30;
  // See site_factor::AllowedServices.
  std::vector<std::string> site_factor_allow;
  rpc::SiteFactorTls site_factor_tls;
  recalculation::HistoryOptions history;
  // The interval at which ledgers are rolled up, by clocks.site.
  absl::Duration retention_period = absl::Minutes(1);
  // As BooksOptions::period.
  absl::Duration forecast_period = absl::Seconds(5);
  // Health checks fail when the snapshots have not been confirmed for longer.
  absl::Duration max_staleness = absl::Minutes(10);
  // The check of kRecordingHealth fails while a commit takes longer.
  absl::Duration max_commit = absl::Seconds(30);
  // See recalculation::LeadershipOptions.
  absl::Duration lease = absl::Seconds(4);
  // The replica does not lead while this host's clock differs more from the database's.
  absl::Duration max_clock_offset = absl::Seconds(10);

  // Address of the HTTP server, for metrics and readiness; empty = no HTTP server.
  std::string http_listen;
  // Whether it serves the API and the page too; see gateway::Origins.
  bool http_api = true;
  std::vector<std::string> http_allow_origins;
  std::vector<std::string> http_hosts;            // See http::HostNames.
  std::vector<std::string> http_frame_ancestors;  // See gateway::Gateway::Options.
  std::optional<sign_in::Options> sign_in;        // Of the page's readers; nullopt = none.
  bool metrics_accounts = false;                  // Also per account and user.
  // The interval at which the ledger's size is read for the metrics, by clocks.real.
  absl::Duration metrics_period = absl::Seconds(15);

  // For the metrics.
  metrics::Host host;

  // Authenticates callers; null = every caller is an administrator. Must outlive the replica.
  identity::Authenticator* authenticator = nullptr;
  rpc::SiteProxy proxy;
  // For GetStatus: whether other hosts can reach gRPC directly.
  bool is_grpc_exposed = false;
  // Notified of each finished call. Must outlive the replica.
  rpc::CallObservers call_observers;
  // Notified of each recalculation. Must outlive the replica.
  recalculation::RecalculationObservers recalculation_observers;
  // The interval of this replica's heartbeats, by clocks.real.
  absl::Duration heartbeat_period = absl::Seconds(5);
  // The interval at which the roles in the association data, and the aliases, are read, by
  // clocks.real.
  absl::Duration roles_period = absl::Seconds(1);

  // Of the embedded database; null = another database. Must outlive the replica.
  backups::Backups* backups = nullptr;

  rpc::PoolSizes pools;
  int database_connections = 30;
  // A standby for reports; see storage::ReportOptions. Empty = none.
  std::string reports_database_url;
  absl::Duration reports_max_lag = absl::Seconds(30);
  int report_connections = 8;
  // The interval at which the standby is checked, by clocks.real.
  absl::Duration reports_period = absl::Seconds(5);
  // Clusters recalculated in parallel, each with an additional database connection.
  int recalculation_threads = 4;

  threads::Clocks clocks;
};

// One priorityd without its process: main owns flags, signals and log. Several replicas share one
// database.
// It starts in this order: the addresses are bound; the database is read and the lead taken; calls
// are accepted. It stops in this order: health checks fail and new calls are refused; running calls
// finish; then stop the recorder (the pools send its answers), the pools, the loops and the
// connections. Drain does the first two steps, the destructor the rest. Thread-compatible.
class Replica {
 public:
  explicit Replica(ReplicaOptions options);
  // Cancels running calls.
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  // Binds the addresses: a replica that cannot does not take the lead. Calls are UNAVAILABLE and
  // health checks fail until Open. FAILED_PRECONDITION if an address cannot be bound. Call once.
  absl::Status Listen();

  // Checks and migrates the database, loads its contents, starts the loops, and serves calls until
  // drained. Returns errors of the database. Call once, after Listen.
  absl::Status Open();

  // Updates the health checks and the counts of GetStatus. Call every second between Open and
  // Drain.
  void UpdateHealth();

  // The conditions of readiness that health checks and /readyz report.
  std::vector<metrics::HealthPart> Health() const;

  // Ends streams and watches and refuses new calls; running calls are cancelled after `patience`.
  // Call after Listen.
  void Drain(absl::Duration patience);

  // Call after setting the site's clock: the loops then do everything that is due.
  void CheckClock();

  // The tracked jobs of a cluster that this replica has loaded.
  int64_t CountJobs(const std::string& cluster);

  // Parts of the replica, valid as long as it lives. `server` REQUIRES that Listen succeeded.
  storage::Database& database() { return database_; }
  storage::ReportDatabase& reports() { return reports_; }
  recalculation::RecalculationLoop& loop() { return loop_; }
  configuration::AssociationRoles& association_roles() { return association_roles_; }
  queue::TrackedQueues& queues() { return queues_; }
  queue::QueueFollower& follower() { return follower_; }
  forecasts::Books& forecasts() { return forecasts_; }
  rpc::Pools& pools() { return pools_; }
  rpc::PriorityService& priority_service() { return priority_service_; }
  rpc::Server& server() { return *server_; }
  rpc::Boundary& boundary() { return boundary_; }
  // Null without options.http_listen.
  http::Server* http_server() { return http_server_.get(); }

 private:
  recalculation::LoopOptions LoopOptions();
  storage::ReportOptions ReportOptions() const;
  forecasts::BooksOptions ForecastOptions();
  rpc::AdminService::Options AdminOptions();
  // Checks the standby for reports now and periodically.
  void FollowStandby();
  // Reads the roles in the association data now and periodically.
  absl::Status FollowRoles();
  // The same for the aliases.
  absl::Status FollowAliases();
  rpc::ServerOptions ServerOptions();
  rpc::ServiceStatus::Options StatusOptions();
  status::Heartbeat::Options HeartbeatOptions();
  // The observers of the options and the service's own.
  rpc::CallObservers CallObservers();
  metrics::Sources MetricSources();
  // Usage of every shared resource.
  std::vector<quotas::Usage> QuotaUsages() const;
  absl::Status ListenByHttp();
  // `given`, with the database's clock where the site's is unset.
  threads::Clocks ClocksOf(threads::Clocks given);
  std::unique_ptr<site_factor::SiteFactorService> ConnectSiteFactors(
      const std::string& address) const;

  // In order of construction; destroyed in reverse.
  const ReplicaOptions options_;
  metrics::ServiceMetrics::Observers metric_observers_;
  std::atomic<bool> ends_ = false;  // Whether the destructor was called.
  threads::DatabaseClock database_clock_;
  const threads::Clocks clocks_;
  storage::Database database_;
  storage::ReportDatabase reports_;
  recalculation::SnapshotRegistry registry_;
  queue::TrackedQueues queues_;
  queue::QueueFollower follower_;
  const site_factor::AllowedServices allowed_services_;
  site_factor::SiteFactors site_factors_;
  site_factor::Reasons site_factor_reasons_;
  recalculation::RecalculationLoop loop_;
  forecasts::Books forecasts_;
  usage::RetentionLoop retention_;
  administration::DeletionLoop deletions_;
  configuration::AssociationRoles association_roles_;
  configuration::AliasDirectory aliases_;
  rpc::Admission admission_;
  rpc::ServiceStatus service_status_;
  rpc::Pools pools_;
  rpc::Boundary boundary_;
  usage::UsageRecorder recorder_;
  rpc::PriorityService priority_service_;
  rpc::AdminService admin_service_;
  status::Heartbeat heartbeat_;
  enum class Phase { kStarting, kServing, kDraining };
  std::atomic<Phase> phase_ = Phase::kStarting;
  metrics::ServiceMetrics metrics_;
  const rpc::IdleAtEnd idle_at_end_{&pools_};
  std::unique_ptr<rpc::Server> server_;
  threads::PeriodicThread roles_thread_;
  threads::PeriodicThread aliases_thread_;
  threads::PeriodicThread reports_thread_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<http::Server> http_server_;
  // The same pointer, for readers on other threads during the start.
  std::atomic<const http::Server*> http_listening_ = nullptr;
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_REPLICA_H_
