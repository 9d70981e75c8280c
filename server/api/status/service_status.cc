#include "server/api/status/service_status.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/messages/convert_time.h"
#include "server/queue/state/job_counts.h"
#include "server/status/process_memory.h"
#include "server/status/replaced_replicas.h"
#include "server/status/status_warnings.h"
#include "version.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

#ifdef NDEBUG
constexpr char kBuild[] = "g++ " __VERSION__ ", optimized";
#else
constexpr char kBuild[] = "g++ " __VERSION__ ", with assertions";
#endif

void ReadQueue(const queue::QueueState& queue, absl::Time now, v1::ClusterStatus* status) {
  const queue::JobCounts counts = queue::CountJobs(queue, now);
  int64_t waiting = 0;
  for (const auto& [reason, count] : counts.waiting) waiting += count.jobs;
  status->set_queue_loaded(true);
  status->set_eligible_jobs(counts.startable.jobs);
  status->set_ineligible_jobs(waiting);
  status->set_running_jobs(counts.running.jobs);
}

void ReadSnapshot(const priority::Snapshot& snapshot, absl::Time now, v1::ClusterStatus* status) {
  status->set_generation(snapshot.generation());
  status->set_associations(static_cast<int64_t>(snapshot.tree().size()));
  ToProto(snapshot.computed_at(), status->mutable_computed_at());
  if (snapshot.policy().clock == priority::ClockMode::kManual) return;
  const absl::Duration age = std::max(now - snapshot.computed_at(), absl::ZeroDuration());
  if (snapshot.computed_at() > now) {
    ToProto(snapshot.computed_at() - now, status->mutable_ahead_by());
  }
  const absl::Duration period = snapshot.policy().calc_period;
  ToProto(age, status->mutable_age());
  ToProto(period, status->mutable_period());
  ToProto(std::max(age - period, absl::ZeroDuration()), status->mutable_late_by());
}

// The figures of the response that warnings are about.
status::StatusFacts FactsOf(const v1::GetStatusResponse& response) {
  const v1::DatabaseStatus& database = response.database();
  status::StatusFacts facts = {
      .version = response.version(),
      .address = response.address(),
      .leads = response.leader(),
      .clock_agrees = response.clock_agrees(),
      .clock_ahead = ToDuration(response.clock_ahead()),
      .committing_for = ToDuration(response.ingest().committing_for()),
      .request_bytes = response.memory().request_bytes(),
      .memory_budget = response.memory().budget_bytes(),
      .database = {.answered_before = ToDuration(database.answered_before()),
                   .last_error = database.last_error(),
                   .connections = database.connections(),
                   .waiting = database.waiting()}};
  for (const v1::ReplicaStatus& replica : response.replicas()) {
    facts.replicas.push_back({.name = replica.name(),
                              .address = replica.address(),
                              .version = replica.version(),
                              .leads = replica.leader(),
                              .answers = replica.answers(),
                              .unseen_for = ToDuration(replica.unseen_for())});
  }
  for (const v1::ClusterStatus& cluster : response.clusters()) {
    facts.clusters.push_back({.name = cluster.cluster(),
                              .generation = cluster.generation(),
                              .period = ToDuration(cluster.period()),
                              .late_by = ToDuration(cluster.late_by()),
                              .ahead_by = ToDuration(cluster.ahead_by())});
  }
  return facts;
}

std::vector<status::StatusFacts::Member> MembersOf(
    const status::DatabaseNews& news, absl::Time now,
    const std::function<bool(const std::string&)>& is_visible) {
  std::vector<status::StatusFacts::Member> members;
  for (const storage::DomainMember& member : news.domain_members) {
    if (!is_visible(member.domain) || !is_visible(member.cluster)) continue;
    members.push_back({.domain = member.domain,
                       .name = member.cluster,
                       .silent_for = now - std::max(member.newest_end, member.joined_at),
                       .refused = member.refused});
  }
  return members;
}

}  // namespace

void ServiceStatus::SetAddress(std::string address) {
  absl::MutexLock lock(&mutex_);
  address_ = std::move(address);
}

std::string ServiceStatus::address() const {
  absl::MutexLock lock(&mutex_);
  return address_;
}

void ServiceStatus::CallEnded(const CallReport& report) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  if (!report.status.ok()) errors_.fetch_add(1, std::memory_order_relaxed);
  if (report.rpc != authorization::Rpc::kUpdateJobs || !report.status.ok()) return;
  updates_.fetch_add(report.rows, std::memory_order_relaxed);
}

void ServiceStatus::Look() {
  status::MinuteRates<kCounters>::Counts counts = {};
  counts[kCalls] = calls_;
  counts[kErrors] = errors_;
  counts[kUpdates] = updates_;
  for (const auto& [cluster, records] : options_.recorder->measures().records()) {
    counts[kAccepted] += records.accepted;
    counts[kDuplicates] += records.duplicate;
    counts[kRejected] += records.rejected;
  }
  absl::MutexLock lock(&mutex_);
  rates_.Note(options_.clocks.real(), counts);
}

void ServiceStatus::ReadReplicas(v1::GetStatusResponse* response) const {
  const status::Heartbeat::State state = options_.heartbeat->state();
  if (state.news == nullptr) return;
  for (const storage::Replica& replica : status::WithoutReplaced(state.news->replicas)) {
    const absl::Duration unseen = absl::Seconds(replica.unseen_seconds) + state.age;
    v1::ReplicaStatus* row = response->add_replicas();
    row->set_name(replica.name);
    row->set_address(replica.address);
    row->set_version(replica.version);
    ToProto(replica.started_at, row->mutable_started_at());
    row->set_leader(replica.leads && unseen <= status::kReplicaGone);
    ToProto(unseen, row->mutable_unseen_for());
    ToProto(absl::Seconds(replica.host_ahead_seconds), row->mutable_clock_ahead());
    row->set_answers(replica.name == options_.heartbeat->name());
  }
}

void ServiceStatus::ReadDatabase(v1::DatabaseStatus* database) const {
  const status::Heartbeat::State state = options_.heartbeat->state();
  if (state.news != nullptr) {
    database->set_server_version(state.news->server_version);
    database->set_schema_version(state.news->schema_version);
    database->set_incarnation(state.news->incarnation);
  }
  ToProto(state.age, database->mutable_answered_before());
  if (!state.error.ok()) database->set_last_error(std::string(state.error.message()));
  const storage::DatabaseActivity activity = options_.database->Activity();
  database->set_connections(activity.most);
  database->set_connections_in_use(activity.in_use);
  database->set_waiting(activity.waiting);
  database->set_connections_opened(activity.opened);
  database->set_connections_lost(activity.lost);
  database->set_connections_failed(activity.not_opened);
}

void ServiceStatus::ReadClusters(const std::function<bool(const std::string&)>& is_visible,
                                 v1::GetStatusResponse* response) const {
  const auto queues = options_.queues->Loaded();
  const status::Heartbeat::State state = options_.heartbeat->state();
  for (const auto& [name, snapshot] : options_.registry->List()) {
    if (!is_visible(name)) continue;
    v1::ClusterStatus* cluster = response->add_clusters();
    cluster->set_cluster(name);
    if (snapshot != nullptr) ReadSnapshot(*snapshot, options_.clocks.site(), cluster);
    const auto queue = queues.find(name);
    if (queue != queues.end()) ReadQueue(*queue->second, options_.clocks.site(), cluster);
    if (state.news == nullptr) continue;
    const auto horizon = state.news->ledger_horizons.find(name);
    if (horizon == state.news->ledger_horizons.end()) continue;
    if (horizon->second == absl::InfinitePast()) continue;
    ToProto(horizon->second, cluster->mutable_ledger_horizon());
  }
}

void ServiceStatus::ReadTraffic(v1::GetStatusResponse* response) const {
  status::MinuteRates<kCounters>::Rates rates;
  {
    absl::MutexLock lock(&mutex_);
    rates = rates_.PerSecond();
  }
  v1::IngestStatus* ingest = response->mutable_ingest();
  ingest->set_accepted_per_second(rates[kAccepted]);
  ingest->set_duplicates_per_second(rates[kDuplicates]);
  ingest->set_rejected_per_second(rates[kRejected]);
  const auto waiting = options_.recorder->waiting();
  ingest->set_waiting_records(static_cast<int64_t>(waiting.records));
  ToProto(waiting.longest, ingest->mutable_longest_wait());
  ToProto(options_.recorder->CommittingFor(), ingest->mutable_committing_for());
  v1::CallStatus* calls = response->mutable_calls();
  calls->set_calls_per_second(rates[kCalls]);
  calls->set_errors_per_second(rates[kErrors]);
  calls->set_updates_per_second(rates[kUpdates]);
  const OpenCalls open = options_.open_calls();
  calls->set_usage_streams(static_cast<int64_t>(open.usage_streams));
  calls->set_watchers(static_cast<int64_t>(open.watchers));
  calls->set_watched_views(static_cast<int64_t>(open.watched_views));
  v1::MemoryStatus* memory = response->mutable_memory();
  memory->set_resident_bytes(status::ReadProcessMemory().resident_bytes);
  memory->set_request_bytes(static_cast<int64_t>(options_.admission->bytes()));
  memory->set_budget_bytes(static_cast<int64_t>(options_.memory_budget));
}

v1::GetStatusResponse ServiceStatus::Read(
    const std::function<bool(const std::string&)>& is_visible) const {
  v1::GetStatusResponse response;
  response.set_cell(options_.cell);
  response.set_version(kVersion);
  response.set_build(kBuild);
  ToProto(options_.heartbeat->started_at(), response.mutable_started_at());
  ToProto(options_.heartbeat->uptime(), response.mutable_uptime());
  response.set_address(address());
  response.set_leader(options_.loop->leads());
  ToProto(options_.database_clock->HostIsAhead(), response.mutable_clock_ahead());
  response.set_clock_agrees(options_.loop->clock_agrees());
  ReadReplicas(&response);
  ReadDatabase(response.mutable_database());
  ReadClusters(is_visible, &response);
  ReadTraffic(&response);
  const status::Heartbeat::State state = options_.heartbeat->state();
  status::StatusFacts facts = FactsOf(response);
  facts.database.is_unreachable = state.is_unreachable;
  facts.stale_for = options_.registry->StaleFor();
  facts.max_staleness = options_.max_staleness;
  facts.max_commit = options_.max_commit;
  facts.max_clock_offset = options_.max_clock_offset;
  facts.is_authenticated = options_.is_authenticated;
  facts.is_grpc_exposed = options_.is_grpc_exposed;
  if (state.news != nullptr) {
    facts.deferred_migrations = state.news->deferred_migrations;
    facts.members = MembersOf(*state.news, options_.clocks.site(), is_visible);
  }
  for (status::StatusWarning& warning : status::WarningsOf(facts)) {
    v1::StatusWarning* proto = response.add_warnings();
    proto->set_reason(std::move(warning.reason));
    proto->set_text(std::move(warning.text));
    proto->set_needs_action(warning.needs_action);
  }
  return response;
}

}  // namespace priorityd::rpc
