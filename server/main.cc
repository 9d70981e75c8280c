// priorityd: flags, signals, log, and an embedded PostgreSQL around a replica.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/allocator.h"
#include "server/file_limit.h"
#include "server/flags.h"
#include "server/log_format.h"
#include "server/replica.h"
#include "server/stop_signals.h"
#include "storage/database.h"
#include "storage/embedded_postgres/embedded_postgres.h"
#include "storage/migration.h"

namespace priorityd {
namespace {

enum ExitCode { kCleanStop = 0, kBadFlags = 1, kDatabaseUnusable = 2 };

int Fail(ExitCode code, const absl::Status& status) {
  spdlog::error("{}", std::string(status.message()));
  return code;
}

recalculation::HistoryOptions HistoryOptionsOf(const Flags& flags) {
  return {.interval = flags.history_interval_seconds == 0
                          ? absl::InfiniteDuration()
                          : absl::Seconds(flags.history_interval_seconds),
          .retention = absl::Hours(24) * flags.history_days};
}

ReplicaOptions ReplicaOptionsOf(const Flags& flags, const std::string& database_url) {
  ReplicaOptions options;
  options.database_url = database_url;
  options.server = {.listen = flags.listen, .max_message_bytes = flags.max_message_mib << 20};
  options.limits = {.max_jobs = flags.max_jobs, .max_records = flags.max_records};
  options.memory_budget = static_cast<size_t>(flags.memory_budget_mib) << 20;
  options.history = HistoryOptionsOf(flags);
  options.recalculation_threads = flags.recalculation_threads;
  options.max_staleness = absl::Seconds(flags.max_staleness_seconds);
  options.max_commit = absl::Seconds(flags.max_commit_seconds);
  options.max_clock_offset = absl::Seconds(flags.max_clock_offset_seconds);
  options.computing_threads = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  options.clocks = {.site = nullptr, .real = threads::RunningTime};
  return options;
}

int Serve(const Flags& flags, const std::string& database_url, const sigset_t& stop_signals) {
  Replica replica(ReplicaOptionsOf(flags, database_url));
  if (absl::Status s = replica.Open(); !s.ok()) return Fail(kDatabaseUnusable, s);
  if (absl::Status s = replica.Listen(); !s.ok()) return Fail(kBadFlags, s);
  spdlog::info("listening on {}", replica.server().address());
  spdlog::info("at most {} open files, and {} MiB of requests at work", RaiseFileLimit(),
               flags.memory_budget_mib);
  AwaitStop(stop_signals, [&] { replica.UpdateHealth(); });
  replica.Drain(absl::Seconds(flags.drain_seconds));
  return kCleanStop;
}

int MigrateOnly(const std::string& database_url) {
  storage::Database database({.url = database_url, .pool_size = 1});
  if (absl::Status s = storage::Migrate(database); !s.ok()) return Fail(kDatabaseUnusable, s);
  spdlog::info("the schema of the database is at version {}, or newer and compatible",
               storage::AllMigrations().back().version);
  return kCleanStop;
}

int Work(const Flags& flags, const std::string& database_url, const sigset_t& stop_signals) {
  return flags.migrate_only ? MigrateOnly(database_url) : Serve(flags, database_url, stop_signals);
}

int Run(int argc, char** argv) {
  KeepFreedMemory();
  // A log line of gRPC's own for every error would hide ours.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const absl::StatusOr<Flags> flags = ParseFlags(argc, argv);
  if (!flags.ok()) {
    std::cerr << "priorityd: " << flags.status().message() << "\n";
    return kBadFlags;
  }
  std::cout << flags->answer;
  if (!flags->answer.empty()) return kCleanStop;
  SetUpLog(flags->json_log);
  const sigset_t stop_signals = BlockStopSignals();
  if (flags->data_dir.empty()) return Work(*flags, flags->database_url, stop_signals);
  auto postgres = storage::EmbeddedPostgres::Start({.data_dir = flags->data_dir});
  if (!postgres.ok()) return Fail(kDatabaseUnusable, postgres.status());
  const int code = Work(*flags, (*postgres)->Url(), stop_signals);
  postgres->reset();
  if (code == kCleanStop) spdlog::info("stopped");
  return code;
}

}  // namespace
}  // namespace priorityd

int main(int argc, char** argv) { return priorityd::Run(argc, argv); }
