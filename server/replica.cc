#include "server/replica.h"

#include <algorithm>
#include <utility>

#include "storage/migration.h"
#include "storage/pooler.h"

namespace priorityd {

Replica::Replica(ReplicaOptions options)
    : options_(std::move(options)),
      database_clock_(options_.clocks.real, options_.clocks.host),
      clocks_(ClocksOf(options_.clocks)),
      database_({.url = options_.database_url, .pool_size = options_.database_connections}),
      registry_(clocks_.real),
      queues_(&database_, &registry_, options_.queue_bounds),
      follower_(&queues_, clocks_.site),
      allowed_services_(options_.site_factor_allow),
      site_factors_(
          &queues_,
          [this](const std::string& address) {
            return rpc::ConnectSiteFactorService(address, options_.site_factor_tls,
                                                 allowed_services_);
          },
          clocks_.site),
      loop_(&database_, &registry_, clocks_, LoopOptions()),
      retention_(&database_, {.period = options_.retention_period,
                              .clock = clocks_.site,
                              .leads = [this] { return loop_.leads(); }}),
      association_roles_(&database_),
      admission_(options_.memory_budget),
      boundary_({.authenticator = options_.authenticator,
                 .association_roles = &association_roles_,
                 .registry = &registry_,
                 .admission = &admission_,
                 .clock = clocks_.real}),
      computing_(options_.computing_threads),
      storing_(options_.storing_threads),
      operating_(options_.operating_threads, options_.max_queued_operations),
      recorder_(&database_, clocks_),
      priority_service_({.registry = &registry_,
                         .recorder = &recorder_,
                         .database = &database_,
                         .queues = &queues_,
                         .computing = &computing_,
                         .storing = &storing_,
                         .boundary = &boundary_,
                         .clocks = clocks_,
                         .limits = options_.limits}),
      admin_service_({.database = &database_,
                      .registry = &registry_,
                      .loop = &loop_,
                      .site_factors = &site_factors_,
                      .allowed_services = &allowed_services_,
                      .operating = &operating_,
                      .boundary = &boundary_,
                      .clock = clocks_.site}),
      roles_thread_(clocks_.real) {}

Replica::~Replica() = default;

threads::Clocks Replica::ClocksOf(threads::Clocks given) {
  if (given.site == nullptr) given.site = [this] { return database_clock_.Now(); };
  return given;
}

recalculation::LoopOptions Replica::LoopOptions() {
  recalculation::LoopOptions options;
  options.history = options_.history;
  options.leadership.max_clock_offset = options_.max_clock_offset;
  options.leadership.database_clock = &database_clock_;
  options.threads = options_.recalculation_threads;
  options.by_database = options_.clocks.site == nullptr;
  options.on_notified = [this](const recalculation::ClusterNames& clusters) {
    if (!clusters.has_value()) return follower_.Wake();
    for (const std::string& cluster : *clusters) follower_.Wake(cluster);
  };
  options.on_recalculated = [this](std::shared_ptr<const priority::Snapshot> snapshot) {
    follower_.Wake(snapshot->cluster().name);
    site_factors_.AskOnRealClock(std::move(snapshot));
  };
  return options;
}

rpc::ServerOptions Replica::ServerOptions() {
  rpc::ServerOptions options = options_.server;
  // gRPC fails most calls whose messages come near to its quota.
  options.transport_bytes =
      std::max(options_.memory_budget, size_t{4} * static_cast<size_t>(options.max_message_bytes));
  options.admission = &admission_;
  return options;
}

absl::Status Replica::Open() {
  if (absl::Status s = storage::CheckPooler(database_); !s.ok()) return s;
  if (absl::Status s = storage::Migrate(database_); !s.ok()) return s;
  if (absl::Status s = loop_.Start(); !s.ok()) return s;
  if (absl::Status s = FollowRoles(); !s.ok()) return s;
  follower_.Start();
  retention_.Start();
  return absl::OkStatus();
}

absl::Status Replica::FollowRoles() {
  // Nobody asks for them otherwise.
  if (options_.authenticator == nullptr) return absl::OkStatus();
  if (absl::Status s = association_roles_.Read(); !s.ok()) return s;
  roles_thread_.Start([this] {
    // While the database is away the roles stay, and others say so.
    association_roles_.Read().IgnoreError();
    return clocks_.real() + options_.roles_period;
  });
  return absl::OkStatus();
}

absl::Status Replica::Listen() {
  auto server = rpc::Server::Start(ServerOptions(), {&priority_service_, &admin_service_});
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  UpdateHealth();
  return absl::OkStatus();
}

void Replica::UpdateHealth() {
  server_->SetServing(registry_.StaleFor() <= options_.max_staleness);
  server_->SetServing(kRecordingHealth, recorder_.CommittingFor() <= options_.max_commit);
  server_->SetServing(kClockHealth, loop_.clock_agrees());
}

void Replica::Drain(absl::Duration patience) {
  priority_service_.Drain();
  server_->Drain(patience);
}

void Replica::CheckClock() {
  loop_.CheckClock();
  follower_.CheckClock();
  retention_.CheckClock();
}

}  // namespace priorityd
