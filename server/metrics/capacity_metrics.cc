#include "server/metrics/capacity_metrics.h"

#include <cstdint>

#include "server/rpc/connections.h"

namespace priorityd::metrics {
namespace {

void AddConnections(const Databases& databases, Families* families) {
  Family connections =
      families->Gauge("priorityd_database_connections", "Connections to PostgreSQL, by state");
  Family most = families->Gauge("priorityd_database_connections_max", "The most of them");
  Family waiters = families->Gauge("priorityd_database_waiters", "Who waits for a connection");
  Family opened =
      families->Counter("priorityd_database_connections_opened_total", "Connections made");
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
  Family busy = families->Gauge("priorityd_pool_busy_threads", "Those at work");
  Family queued = families->Gauge("priorityd_pool_queued_calls", "Calls that wait for one");
  for (const auto& [pool, activity] : pools) {
    threads.Add(activity.threads, {{"pool", pool}});
    busy.Add(activity.busy, {{"pool", pool}});
    queued.Add(static_cast<double>(activity.queued), {{"pool", pool}});
  }
}

void AddQuotas(const std::vector<quotas::Usage>& usages, Families* families) {
  Family used = families->Gauge("priorityd_quota_used", "What callers hold of what all share");
  Family limit = families->Gauge("priorityd_quota_limit", "The most of it for all together");
  Family refused = families->Counter("priorityd_quota_refused_total",
                                     "What was refused for want of room, or of a caller's part");
  for (const quotas::Usage& usage : usages) {
    used.Add(static_cast<double>(usage.used), {{"quota", usage.name}});
    limit.Add(static_cast<double>(usage.limit), {{"quota", usage.name}});
    refused.Add(static_cast<double>(usage.refused), {{"quota", usage.name}});
  }
}

void AddDatabases(const Databases& databases, Families* families) {
  AddConnections(databases, families);
  const Family errors =
      families->Counter("priorityd_database_errors_total", "What failed at PostgreSQL, by kind");
  for (const auto& [pool, database] : databases) AddErrors(pool, database->Activity(), errors);
}

void AddClients(const rpc::Admission& admission, const rpc::PriorityService& service,
                Families* families) {
  const rpc::PriorityService::Open open = service.open();
  const auto gauge = [families](const char* name, const char* help, size_t value) {
    families->Gauge(name, help).Add(static_cast<double>(value));
  };
  gauge("priorityd_connections", "gRPC connections of clients", rpc::CountConnections());
  gauge("priorityd_rpcs_at_work", "Calls at work, streams and watches too", admission.calls());
  gauge("priorityd_usage_streams", "StreamUsage calls", open.usage_streams);
  gauge("priorityd_watchers", "WatchRanking calls", open.watchers);
  gauge("priorityd_watch_views", "Different rankings that they watch", open.watched_views);
  gauge("priorityd_request_memory_bytes", "Memory of requests and answers at work",
        admission.bytes());
  gauge("priorityd_request_memory_budget_bytes",
        "The most of it: of --memory_budget without what is on its way", admission.most_bytes());
}

}  // namespace priorityd::metrics
