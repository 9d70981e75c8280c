// priorityd, the process: a replica with flags, signals, log and an embedded PostgreSQL.
#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "server/allocator.h"
#include "server/backups/backups.h"
#include "server/backups/postgres_upgrade.h"
#include "server/file_limit.h"
#include "server/flags/flags.h"
#include "server/logging/call_log.h"
#include "server/logging/log_format.h"
#include "server/logging/log_level.h"
#include "server/logging/recalculation_log.h"
#include "server/opened_files.h"
#include "server/reload.h"
#include "server/replica.h"
#include "server/service_manager.h"
#include "server/stop_signals.h"
#include "storage/database/database.h"
#include "storage/embedded_postgres/embedded_postgres.h"
#include "storage/schema/migration.h"

namespace priorityd {
namespace {

enum ExitCode { kCleanStop = 0, kBadFlags = 1, kDatabaseUnusable = 2 };

int Fail(ExitCode code, const absl::Status& status) {
  spdlog::error("{}", std::string(status.message()));
  return code;
}

// A line of storage before this one has PostgreSQL's reason, which clients do not see.
int FailWithoutDatabase(const absl::Status& status) {
  if (!absl::IsUnavailable(status)) return Fail(kDatabaseUnusable, status);
  spdlog::error("priorityd stops: {}; the reason is in the line of storage above",
                std::string(absl::StripSuffix(status.message(), "; retry")));
  return kDatabaseUnusable;
}

recalculation::HistoryOptions HistoryOptionsOf(const flags::Flags& flags) {
  return {.interval = flags.history_interval_seconds == 0
                          ? absl::InfiniteDuration()
                          : absl::Seconds(flags.history_interval_seconds),
          .retention = absl::Hours(24) * flags.history_days};
}

struct SiteDatabase {
  std::string url;
  const storage::EmbeddedPostgres* embedded = nullptr;  // Null = another host's.
  backups::Backups* backups = nullptr;                  // Of an embedded one.
};

metrics::Host HostOf(const flags::Flags& flags, const SiteDatabase& database) {
  metrics::Host host;
  for (const std::string& file :
       {flags.tls_cert, flags.tls_client_ca, flags.site_factor_ca, flags.site_factor_cert}) {
    if (!file.empty()) host.certificates.push_back(file);
  }
  host.cell = flags.cell;
  if (database.embedded == nullptr) return host;
  host.data_dir = flags.data_dir;
  host.postgres_restarts = [postgres = database.embedded] { return postgres->restarts(); };
  host.newest_backup = [backups = database.backups] { return backups->NewestBegin(); };
  return host;
}

ReplicaOptions ReplicaOptionsOf(const flags::Flags& flags, const SiteDatabase& database) {
  ReplicaOptions options;
  options.database_url = database.url;
  options.reports_database_url = flags.reports_database_url;
  options.forecast_period = absl::Seconds(flags.forecast_interval_seconds);
  options.reports_max_lag = absl::Seconds(flags.reports_max_lag_seconds);
  options.host = HostOf(flags, database);
  options.cell = flags.cell;
  options.server = {
      .listen = flags.listen,
      .socket_access = {static_cast<mode_t>(flags.socket_mode), flags.socket_group},
      .tls = {flags.tls_cert, flags.tls_key, flags.tls_client_ca},
      .max_message_bytes = flags.max_message_mib << 20,
  };
  options.http_listen = flags.http_listen;
  options.http_api = flags::ServesHttpApi(flags);
  options.http_allow_origins = flags.http_allow_origins;
  options.http_hosts = flags.http_hosts;
  options.http_frame_ancestors = flags.http_frame_ancestors;
  options.metrics_accounts = flags.metrics_accounts;
  options.limits = {.max_jobs = flags.max_jobs, .max_records = flags.max_records};
  options.queue_bounds = {.cluster_jobs = static_cast<size_t>(flags.max_tracked_jobs),
                          .all_jobs = static_cast<size_t>(flags.max_all_tracked_jobs),
                          .parts = flags.quotas};
  options.quotas = flags.quotas;
  options.memory_budget = static_cast<size_t>(flags.memory_budget_mib) << 20;
  options.site_factor_allow = flags.site_factor_allow;
  options.site_factor_tls = {flags.site_factor_ca, flags.site_factor_cert, flags.site_factor_key};
  options.history = HistoryOptionsOf(flags);
  options.recalculation_threads = flags.recalculation_threads;
  options.max_staleness = absl::Seconds(flags.max_staleness_seconds);
  options.max_commit = absl::Seconds(flags.max_commit_seconds);
  options.max_clock_offset = absl::Seconds(flags.max_clock_offset_seconds);
  options.pools.cpus = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  options.clocks = {.site = nullptr, .real = threads::RunningTime};
  return options;
}

// Reads the flags again; see Reload.
using ReadAgain = std::function<void()>;

// One line for `systemctl status`.
std::string ListeningOn(rpc::Server& server) {
  return absl::StrCat("listening on ", absl::StrJoin(server.addresses(), ", "));
}

void ServeUntilStopped(const sigset_t& stop_signals, Replica* replica,
                       const ReadAgain& read_again) {
  NotifyReady(ListeningOn(replica->server()));
  AwaitStop(
      stop_signals, [&] { replica->UpdateHealth(); },
      [&] {
        NotifyReloading();
        read_again();
        NotifyReady(ListeningOn(replica->server()));
      });
  NotifyStopping();
}

absl::Status BackUpBeforeMigration(const SiteDatabase& site, bool contract) {
  if (site.backups == nullptr) return absl::OkStatus();
  storage::Database database({.url = site.url, .pool_size = 1});
  const auto needed =
      storage::NeedsMigration(database, storage::AllMigrations(), {.contract = contract});
  if (!needed.ok()) return needed.status();
  if (!*needed) return absl::OkStatus();
  return site.backups->CreateBefore("a migration of the schema", backups::kBeforeMigration);
}

int Serve(const flags::Flags& flags, const SiteDatabase& database, const sigset_t& stop_signals,
          const ReadAgain& read_again) {
  absl::StatusOr<OpenedFiles> files = OpenFiles(flags);
  if (!files.ok()) return Fail(kBadFlags, files.status());
  WarnOfOpenness(flags);
  ReplicaOptions options = ReplicaOptionsOf(flags, database);
  options.backups = database.backups;
  options.proxy = std::move(files->proxy);
  options.is_grpc_exposed = flags::IsGrpcExposed(flags);
  options.authenticator = files->authenticator.get();
  options.sign_in = files->sign_in;
  if (files->groups != nullptr) {
    options.queue_bounds.in_group = [&files](absl::string_view group, absl::string_view user) {
      return files->groups->Has(group, user);
    };
  }
  logging::CallLog call_log(absl::Milliseconds(flags.slow_call_ms));
  logging::RecalculationLog recalculation_log;
  options.call_observers = {&call_log};
  options.recalculation_observers = {&recalculation_log};
  Replica replica(std::move(options));
  const MemoryReturn memory_return;
  recalculation_log.CountJobsBy(
      [&](const std::string& cluster) { return replica.CountJobs(cluster); });
  if (absl::Status s = replica.Listen(); !s.ok()) return Fail(kBadFlags, s);
  if (absl::Status s = replica.Open(); !s.ok()) return FailWithoutDatabase(s);
  for (const std::string& address : replica.server().addresses()) {
    spdlog::info("listening on {}", address);
  }
  if (replica.http_server() != nullptr) {
    spdlog::info("{} on {}://{}/", ServesHttpApi(flags) ? "page, JSON and metrics" : "metrics",
                 flags.tls_cert.empty() ? "http" : "https", replica.http_server()->address());
  }
  spdlog::info("limits: {} open files, {} MiB for requests and answers", RaiseFileLimit(),
               flags.memory_budget_mib);
  ServeUntilStopped(stop_signals, &replica, read_again);
  replica.Drain(absl::Seconds(flags.drain_seconds));
  return kCleanStop;
}

int MigrateOnly(const std::string& database_url, bool contract) {
  storage::Database database({.url = database_url, .pool_size = 1});
  absl::Status s = storage::Migrate(database, storage::AllMigrations(), {.contract = contract});
  if (!s.ok()) return FailWithoutDatabase(s);
  spdlog::info("the database's schema has version {}, or a newer compatible one",
               storage::AllMigrations().back().version);
  return kCleanStop;
}

int Work(const flags::Flags& flags, const SiteDatabase& database, const sigset_t& stop_signals,
         const ReadAgain& read_again) {
  absl::Status ready = BackUpBeforeMigration(database, flags.contract);
  if (!ready.ok()) return FailWithoutDatabase(ready);
  if (flags.migrate_only) return MigrateOnly(database.url, flags.contract);
  return Serve(flags, database, stop_signals, read_again);
}

backups::BackupOptions BackupOptionsOf(const flags::Flags& flags,
                                       const storage::EmbeddedPostgres& postgres) {
  const std::string& root = postgres.data_dir();
  return {.origin = {postgres.Url(), postgres.programs()},
          .folder = flags.backup_dir.empty() ? root + "/backups" : flags.backup_dir,
          .scratch = root + "/verify",
          .keep = flags.backup_keep};
}

int WorkEmbedded(const flags::Flags& flags, const sigset_t& stop_signals,
                 const ReadAgain& read_again) {
  auto postgres = storage::EmbeddedPostgres::Start({.data_dir = flags.data_dir});
  if (!postgres.ok()) return Fail(kDatabaseUnusable, postgres.status());
  backups::Backups backups(BackupOptionsOf(flags, **postgres));
  int code = kCleanStop;
  if (flags.upgrade_postgres) {
    absl::Status upgraded = backups::UpgradePostgres(&backups, postgres->get());
    if (!upgraded.ok()) code = Fail(kDatabaseUnusable, upgraded);
  } else {
    code = Work(flags, {(*postgres)->Url(), postgres->get(), &backups}, stop_signals, read_again);
  }
  postgres->reset();
  if (code == kCleanStop) spdlog::info("stopped");
  return code;
}

int CheckConfig(const flags::Flags& flags) {
  const absl::StatusOr<OpenedFiles> files = OpenFiles(flags);
  if (!files.ok()) {
    std::cerr << "priorityd: " << files.status().message() << "\n";
    return kBadFlags;
  }
  std::cout << (flags.config_file.empty() ? "the command line" : flags.config_file) << ": valid\n";
  return kCleanStop;
}

int Run(int argc, char** argv) {
  // libmunge and the log write to peers that may have closed; they then get EPIPE instead.
  std::signal(SIGPIPE, SIG_IGN);
  KeepFreedMemory();
  // gRPC would log every error itself and bury this process's lines.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const absl::StatusOr<flags::Flags> flags = flags::ParseFlags(argc, argv);
  if (!flags.ok()) {
    for (const absl::string_view line : absl::StrSplit(flags.status().message(), '\n')) {
      std::cerr << "priorityd: " << line << "\n";
    }
    return kBadFlags;
  }
  std::cout << flags->answer;
  if (!flags->answer.empty()) return kCleanStop;
  if (flags->check_config) return CheckConfig(*flags);
  logging::SetUpLog(flags->log_format);
  absl::StatusOr<logging::LogLevel> log_level = LogLevelOf(*flags);
  if (!log_level.ok()) return Fail(kBadFlags, log_level.status());
  log_level->Read();
  const ReadAgain read_again = [&] { Reload(*flags, flags::ParseFlags(argc, argv), &*log_level); };
  const sigset_t stop_signals = BlockStopSignals();
  if (!flags->data_dir.empty()) return WorkEmbedded(*flags, stop_signals, read_again);
  return Work(*flags, {flags->database_url}, stop_signals, read_again);
}

}  // namespace
}  // namespace priorityd

// The next file or connection would get the number of a closed standard file, and the log would be
// written into it.
void KeepStandardFiles() {
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);
  }
}

// Runs before libraries are loaded and open files.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)() = KeepStandardFiles;

int main(int argc, char** argv) { return priorityd::Run(argc, argv); }
