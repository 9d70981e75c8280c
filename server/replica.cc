#include "server/replica.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/site_factor/site_factor_client.h"
#include "server/http/host_names.h"
#include "server/metrics/pages.h"
#include "storage/database/pooler.h"
#include "storage/schema/migration.h"
#include "version.h"

namespace priorityd {

Replica::Replica(ReplicaOptions options)
    : options_(std::move(options)),
      database_clock_(options_.clocks.real, options_.clocks.host),
      clocks_(ClocksOf(options_.clocks)),
      database_({.url = options_.database_url, .pool_size = options_.database_connections}),
      reports_(&database_, ReportOptions()),
      registry_(clocks_.real),
      queues_(&database_, &registry_, options_.queue_bounds),
      follower_(&queues_, clocks_.site),
      allowed_services_(options_.site_factor_allow),
      site_factors_(
          &queues_, [this](const std::string& address) { return ConnectSiteFactors(address); },
          clocks_.site),
      site_factor_reasons_(
          [this](const std::string& address) { return ConnectSiteFactors(address); }, clocks_.real),
      loop_(&database_, &registry_, clocks_, LoopOptions()),
      forecasts_(ForecastOptions()),
      retention_(&database_, {.period = options_.retention_period,
                              .clock = clocks_.site,
                              .leads = [this] { return loop_.leads(); }}),
      deletions_(&database_, clocks_.real, [this] { return loop_.leads(); }),
      association_roles_(&database_),
      aliases_(&database_),
      admission_(options_.memory_budget - options_.memory_budget / kTransportPart, options_.quotas),
      service_status_(StatusOptions()),
      pools_(options_.pools, options_.quotas, clocks_.real),
      boundary_({.authenticator = options_.authenticator,
                 .association_roles = &association_roles_,
                 .registry = &registry_,
                 .admission = &admission_,
                 .observers = CallObservers(),
                 .clock = clocks_.real,
                 .proxy = options_.proxy,
                 .proving = &pools_.proving,
                 .is_open = [this] { return phase_ != Phase::kStarting; }}),
      recorder_(&database_, clocks_, {}, options_.quotas),
      priority_service_({.registry = &registry_,
                         .recorder = &recorder_,
                         .database = &database_,
                         .reports = &reports_,
                         .queues = &queues_,
                         .loop = &loop_,
                         .aliases = &aliases_,
                         .forecasts = &forecasts_,
                         .site_factor_reasons = &site_factor_reasons_,
                         .pools = &pools_,
                         .boundary = &boundary_,
                         .clocks = clocks_,
                         .limits = options_.limits,
                         .parts = options_.quotas}),
      admin_service_(AdminOptions()),
      heartbeat_(database_, HeartbeatOptions()),
      metrics_(MetricSources(), &metric_observers_),
      roles_thread_(clocks_.real),
      aliases_thread_(clocks_.real),
      reports_thread_(clocks_.real) {}

Replica::~Replica() {
  ends_ = true;
  // The pools wait for it.
  if (options_.backups != nullptr) options_.backups->Stop();
  // It calls the service, which is gone first.
  forecasts_.Stop();
}

std::unique_ptr<site_factor::SiteFactorService> Replica::ConnectSiteFactors(
    const std::string& address) const {
  return rpc::ConnectSiteFactorService(address, options_.site_factor_tls, allowed_services_);
}

threads::Clocks Replica::ClocksOf(threads::Clocks given) {
  if (given.site == nullptr) given.site = [this] { return database_clock_.Now(); };
  return given;
}

storage::ReportOptions Replica::ReportOptions() const {
  return {
      .standby = {.url = options_.reports_database_url, .pool_size = options_.report_connections},
      .most_lag = options_.reports_max_lag};
}

forecasts::BooksOptions Replica::ForecastOptions() {
  return {.database = &database_,
          .queues = &queues_,
          .leads = [this] { return loop_.leads(); },
          .clock = clocks_.site,
          .period = options_.forecast_period,
          .nodes =
              [this](const std::shared_ptr<const priority::Snapshot>& snapshot) {
                return priority_service_.NodesOf(snapshot);
              },
          .on_changed =
              [this](const std::string& cluster) { priority_service_.ForecastsChanged(cluster); }};
}

rpc::AdminService::Options Replica::AdminOptions() {
  return {.database = &database_,
          .reports = &reports_,
          .registry = &registry_,
          .loop = &loop_,
          .queues = &queues_,
          .aliases = &aliases_,
          .site_factors = &site_factors_,
          .allowed_services = &allowed_services_,
          .pools = &pools_,
          .boundary = &boundary_,
          .status = &service_status_,
          .backups = options_.backups,
          .clock = clocks_.site,
          .may_go_on = [this] { return !ends_; }};
}

recalculation::LoopOptions Replica::LoopOptions() {
  recalculation::LoopOptions options;
  options.history = options_.history;
  options.leadership.lease = options_.lease;
  options.leadership.max_clock_offset = options_.max_clock_offset;
  options.leadership.database_clock = &database_clock_;
  options.threads = options_.recalculation_threads;
  options.by_database = options_.clocks.site == nullptr;
  options.observers = options_.recalculation_observers;
  if (!options_.http_listen.empty()) {
    options.observers.push_back(&metric_observers_.recalculations);
  }
  options.on_notified = [this](const recalculation::ClusterNames& clusters) {
    if (!clusters.has_value()) return follower_.Wake();
    for (const std::string& cluster : *clusters) follower_.Wake(cluster);
  };
  options.on_deleted = [this](const std::string& cluster) {
    site_factors_.Forget(cluster);
    queues_.Forget(cluster);
    metric_observers_.Forget(cluster);
  };
  options.on_recalculated = [this](std::shared_ptr<const priority::Snapshot> snapshot) {
    follower_.Wake(snapshot->cluster().name);
    site_factors_.AskOnRealClock(std::move(snapshot));
  };
  return options;
}

rpc::CallObservers Replica::CallObservers() {
  rpc::CallObservers observers = options_.call_observers;
  observers.push_back(&service_status_);
  if (!options_.http_listen.empty()) observers.push_back(&metric_observers_.calls);
  return observers;
}

metrics::Sources Replica::MetricSources() {
  return {.registry = &registry_,
          .loop = &loop_,
          .queues = &queues_,
          .forecasts = &forecasts_,
          .recorder = &recorder_,
          .admission = &admission_,
          .service = &priority_service_,
          .database = &database_,
          .reports = &reports_,
          .database_clock = &database_clock_,
          .clocks = clocks_,
          .pools = [this] { return pools_.Activities(); },
          .quotas = [this] { return QuotaUsages(); },
          .health = [this] { return Health(); },
          .accounts = options_.metrics_accounts,
          .host = options_.host,
          .ledger_period = options_.metrics_period};
}

std::vector<quotas::Usage> Replica::QuotaUsages() const {
  std::vector<quotas::Usage> usages = priority_service_.Usages();
  for (quotas::Usage& usage : pools_.Usages()) usages.push_back(std::move(usage));
  for (quotas::Usage& usage : queues_.usages()) usages.push_back(std::move(usage));
  usages.push_back(admission_.usage());
  usages.push_back(recorder_.tres_usage());
  if (options_.authenticator != nullptr) {
    usages.push_back(options_.authenticator->calls().usage());
  }
  if (const http::Server* http = http_listening_; http != nullptr) {
    for (quotas::Usage& usage : http->Usages()) usages.push_back(std::move(usage));
  }
  return usages;
}

rpc::ServerOptions Replica::ServerOptions() {
  rpc::ServerOptions options = options_.server;
  // gRPC fails most calls whose messages come near to its quota.
  options.transport_bytes = std::max(options_.memory_budget / kTransportPart,
                                     size_t{4} * static_cast<size_t>(options.max_message_bytes));
  options.admission = &admission_;
  return options;
}

rpc::ServiceStatus::Options Replica::StatusOptions() {
  return {.registry = &registry_,
          .loop = &loop_,
          .queues = &queues_,
          .recorder = &recorder_,
          .database = &database_,
          .database_clock = &database_clock_,
          .heartbeat = &heartbeat_,
          .admission = &admission_,
          .open_calls = [this] { return priority_service_.open(); },
          .memory_budget = admission_.most_bytes(),
          .max_staleness = options_.max_staleness,
          .max_commit = options_.max_commit,
          .max_clock_offset = options_.max_clock_offset,
          .cell = options_.cell,
          .is_authenticated = options_.authenticator != nullptr,
          .is_grpc_exposed = options_.is_grpc_exposed,
          .clocks = clocks_};
}

status::Heartbeat::Options Replica::HeartbeatOptions() {
  return {.period = options_.heartbeat_period, .clock = clocks_.real, .self = [this] {
            storage::Replica self;
            self.address = service_status_.address();
            self.version = kVersion;
            self.leads = loop_.leads();
            self.host_ahead_seconds = absl::ToDoubleSeconds(database_clock_.HostIsAhead());
            return self;
          }};
}

absl::Status Replica::Open() {
  if (absl::Status s = storage::CheckPooler(database_); !s.ok()) return s;
  if (absl::Status s = storage::Migrate(database_); !s.ok()) return s;
  if (absl::Status s = loop_.Start(); !s.ok()) return s;
  if (absl::Status s = FollowRoles(); !s.ok()) return s;
  if (absl::Status s = FollowAliases(); !s.ok()) return s;
  FollowStandby();
  follower_.Start();
  forecasts_.Start();
  retention_.Start();
  deletions_.Start();
  heartbeat_.Start();
  if (http_server_ != nullptr) metrics_.Start();
  phase_ = Phase::kServing;
  UpdateHealth();
  return absl::OkStatus();
}

void Replica::FollowStandby() {
  if (reports_.standby() == nullptr) return;
  reports_thread_.Start([this, served = false, first = true]() mutable {
    const absl::Status looked = reports_.Look();
    if (first || looked.ok() != served) {
      looked.ok() ? spdlog::info("reports are read on the standby")
                  : spdlog::warn("reports are read on the primary: the standby does not serve: {}",
                                 std::string(looked.message()));
    }
    served = looked.ok();
    first = false;
    return clocks_.real() + options_.reports_period;
  });
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

absl::Status Replica::FollowAliases() {
  if (absl::Status s = aliases_.Read(); !s.ok()) return s;
  aliases_thread_.Start([this] {
    // While the database is away the aliases stay, and others say so.
    aliases_.Read().IgnoreError();
    return clocks_.real() + options_.roles_period;
  });
  return absl::OkStatus();
}

absl::Status Replica::Listen() {
  auto server = rpc::Server::Start(ServerOptions(), {&priority_service_, &admin_service_});
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  service_status_.SetAddress(server_->address());
  UpdateHealth();
  return ListenByHttp();
}

absl::Status Replica::ListenByHttp() {
  if (options_.http_listen.empty()) return absl::OkStatus();
  http::ServerOptions options;
  options.listen = options_.http_listen;
  options.parts = options_.quotas;
  const rpc::TlsFiles& tls = options_.server.tls;
  options.tls = {tls.certificate, tls.key, tls.client_ca};
  options.memory = {[this](size_t bytes) { return admission_.Take(bytes); },
                    [this](size_t bytes) { admission_.GiveBack(bytes); }};
  http::Routes routes = {.pages = metrics::PagesOf(&metrics_, [this] { return Health(); })};
  // These pages need no credentials. With TLS, a foreign host name fails on the certificate.
  if (tls.certificate.empty()) {
    const http::HostNames hosts(options_.http_hosts);
    for (auto& [path, page] : routes.pages) page = hosts.Guard(std::move(page));
  }
  if (options_.http_api) {
    std::vector<std::string> origins = options_.http_allow_origins;
    std::unique_ptr<sign_in::SignIn> sign_in;
    if (options_.sign_in.has_value()) {
      sign_in = std::make_unique<sign_in::SignIn>(*options_.sign_in);
      origins.push_back(sign_in::OriginOf(options_.sign_in->page_url));
    }
    gateway_ = std::make_unique<gateway::Gateway>(
        gateway::Gateway::Options{.channel = server_->InProcessChannel(),
                                  .boundary = &boundary_,
                                  .pools = &pools_,
                                  .origins = {.allowed = std::move(origins),
                                              .anonymous = options_.authenticator == nullptr,
                                              .hosts = options_.http_hosts},
                                  .frame_ancestors = options_.http_frame_ancestors,
                                  .sign_in = std::move(sign_in)});
    gateway_->AddRoutes(&routes);
  }
  auto server = http::Server::Start(options, std::move(routes));
  if (!server.ok()) return server.status();
  http_server_ = *std::move(server);
  http_listening_ = http_server_.get();
  return absl::OkStatus();
}

std::vector<metrics::HealthPart> Replica::Health() const {
  const auto is_but_may_be = [](absl::Duration is, absl::Duration most, const char* flag) {
    return absl::StrCat(absl::FormatDuration(absl::Trunc(is, absl::Milliseconds(1))),
                        ", want at most ", absl::FormatDuration(most), " (--", flag, ")");
  };
  const absl::Duration stale = registry_.StaleFor();
  const absl::Duration commit = recorder_.CommittingFor();
  const absl::Duration offset = absl::AbsDuration(database_clock_.HostIsAhead());
  return {
      {"snapshots", stale <= options_.max_staleness,
       absl::StrCat("not confirmed by the database for ",
                    is_but_may_be(stale, options_.max_staleness, "max_staleness"))},
      {"recording", commit <= options_.max_commit,
       absl::StrCat("a commit has been running for ",
                    is_but_may_be(commit, options_.max_commit, "max_commit")),
       kRecordingHealth},
      {"clock", loop_.clock_agrees(),
       absl::StrCat("this host's clock differs from the database's by ",
                    is_but_may_be(offset, options_.max_clock_offset, "max_clock_offset")),
       kClockHealth},
      {"accepting", phase_ == Phase::kServing,
       phase_ == Phase::kStarting ? "the service is starting and accepts no calls yet"
                                  : "the service is stopping and accepts no more calls"},
  };
}

void Replica::UpdateHealth() {
  service_status_.Look();
  std::map<std::string, bool> serving;  // By service: whether all its parts are healthy.
  for (const metrics::HealthPart& part : Health()) {
    serving.try_emplace(part.service, true).first->second &= part.is_well;
  }
  for (const auto& [service, is_well] : serving) server_->SetServing(service, is_well);
}

void Replica::Drain(absl::Duration patience) {
  phase_ = Phase::kDraining;
  priority_service_.Drain();
  server_->Drain(patience);
}

void Replica::CheckClock() {
  loop_.CheckClock();
  follower_.CheckClock();
  forecasts_.CheckClock();
  retention_.CheckClock();
}

int64_t Replica::CountJobs(const std::string& cluster) {
  const auto queues = queues_.Loaded();
  const auto found = queues.find(cluster);
  return found == queues.end() ? 0 : static_cast<int64_t>(found->second->jobs());
}

}  // namespace priorityd
