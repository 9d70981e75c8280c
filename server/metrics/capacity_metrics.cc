#include "server/metrics/capacity_metrics.h"

#include <cstdint>

#include "server/transport/connections.h"

namespace priorityd::metrics {
namespace {

void AddConnections(const Databases& databases, Families* families) {
  Family connections =
      families->Gauge("priorityd_database_connections", "Connections to PostgreSQL by state");
  Family most =
      families->Gauge("priorityd_database_connections_max", "Maximum connections to PostgreSQL");
  Family waiters =
      families->Gauge("priorityd_database_waiters", "Callers waiting for a connection");
  Family opened =
      families->Counter("priorityd_database_connections_opened_total", "Connections opened");
  for (const auto& [pool, database] : databases) {
    const storage::DatabaseActivity activity = database->Activity();
    connections.Add(activity.in_use, {{"pool", pool}, {"state", "in_use"}})
        .Add(activity.idle, {{"pool", pool}, {"state", "idle"}});
    most.Add(activity.most, {{"pool", pool}});
    waiters.Add(activity.waiting, {{"pool", pool}});
    opened.Add(static_cast<double>(activity.opened), {{"pool", pool}});
  }
}

void AddErrors(const std::string& pool, const storage::DatabaseActivity& activity, Family errors) {
  const std::pair<const char*, int64_t> kinds[] = {
      {"connect", activity.not_opened},           {"connection_lost", activity.lost},
      {"pool_exhausted", activity.refused},       {"conflict", activity.conflicts},
      {"statement", activity.statement_failures},
  };
  for (const auto& [kind, count] : kinds) {
    errors.Add(static_cast<double>(count), {{"pool", pool}, {"kind", kind}});
  }
}

}  // namespace

void AddPools(const Pools& pools, Families* families) {
  Family threads = families->Gauge("priorityd_pool_threads", "Threads that run calls");
  Family busy = families->Gauge("priorityd_pool_busy_threads", "Threads that are running a call");
  Family queued = families->Gauge("priorityd_pool_queued_calls", "Calls waiting for a thread");
  for (const auto& [pool, activity] : pools) {
    threads.Add(activity.threads, {{"pool", pool}});
    busy.Add(activity.busy, {{"pool", pool}});
    queued.Add(static_cast<double>(activity.queued), {{"pool", pool}});
  }
}

void AddQuotas(const std::vector<quotas::Usage>& usages, Families* families) {
  Family used =
      families->Gauge("priorityd_quota_used", "Amount of the shared resource held by callers");
  Family limit = families->Gauge("priorityd_quota_limit",
                                 "Maximum of the shared resource for all callers together");
  Family refused = families->Counter(
      "priorityd_quota_refused_total",
      "Requests refused because the resource, or the caller's part of it, was used up");
  for (const quotas::Usage& usage : usages) {
    used.Add(static_cast<double>(usage.used), {{"quota", usage.name}});
    limit.Add(static_cast<double>(usage.limit), {{"quota", usage.name}});
    refused.Add(static_cast<double>(usage.refused), {{"quota", usage.name}});
  }
}

void AddDatabases(const Databases& databases, Families* families) {
  AddConnections(databases, families);
  const Family errors =
      families->Counter("priorityd_database_errors_total", "Failures of PostgreSQL calls by kind");
  for (const auto& [pool, database] : databases) AddErrors(pool, database->Activity(), errors);
}

void AddReports(const storage::ReportDatabase& reports, Families* families) {
  const storage::ReportReads reads = reports.Reads();
  Family count = families->Counter("priorityd_report_reads_total",
                                   "Reads of reports, by the server of PostgreSQL that served");
  count.Add(static_cast<double>(reads.primary), {{"server", "primary"}});
  if (reports.standby() == nullptr) return;
  count.Add(static_cast<double>(reads.standby), {{"server", "standby"}});
  const storage::StandbyState state = reports.State();
  families
      ->Gauge("priorityd_reports_standby_serves",
              "1 if reports are read on the standby of --reports_database_url, 0: on the primary")
      .Add(state.serves ? 1 : 0);
  if (!state.lag.has_value()) return;
  families
      ->Gauge("priorityd_reports_standby_lag_seconds",
              "Age of the last transaction that this standby has replayed")
      .Add(absl::ToDoubleSeconds(*state.lag));
}

void AddClients(const rpc::Admission& admission, const rpc::PriorityService& service,
                Families* families) {
  const rpc::OpenCalls open = service.open();
  const auto gauge = [families](const char* name, const char* help, size_t value) {
    families->Gauge(name, help).Add(static_cast<double>(value));
  };
  gauge("priorityd_connections", "Open gRPC connections of clients", rpc::CountConnections());
  gauge("priorityd_rpcs_at_work", "Running calls, including streams and watches",
        admission.calls());
  gauge("priorityd_usage_streams", "Running StreamUsage calls", open.usage_streams);
  gauge("priorityd_watchers", "Running WatchRanking calls", open.watchers);
  gauge("priorityd_watch_views", "Distinct rankings watched by these calls", open.watched_views);
  gauge("priorityd_request_memory_bytes", "Memory of the requests and answers of running calls",
        admission.bytes());
  gauge("priorityd_request_memory_budget_bytes",
        "Maximum of that memory: --memory_budget without the part for transport",
        admission.most_bytes());
}

}  // namespace priorityd::metrics
