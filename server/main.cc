// priorityd: flags, wiring, run, drain.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "server/allocator.h"
#include "server/flags.h"
#include "server/log_format.h"
#include "server/loop_options.h"
#include "server/queue/replication/queue_follower.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/priority_service.h"
#include "server/rpc/server.h"
#include "server/rpc/site_factor_client.h"
#include "server/rpc/worker_pool.h"
#include "server/site_factor/site_factors.h"
#include "server/stop_signals.h"
#include "server/usage/retention_loop.h"
#include "server/usage/usage_recorder.h"
#include "storage/database.h"
#include "storage/embedded_postgres/embedded_postgres.h"
#include "storage/migration.h"

namespace priorityd {
namespace {

enum ExitCode { kCleanStop = 0, kBadFlags = 1, kDatabaseUnusable = 2 };

constexpr int kDatabaseThreads = 8;
int Fail(ExitCode code, const absl::Status& status) {
  spdlog::error("{}", std::string(status.message()));
  return code;
}

// Shutdown order: health checks fail and no more calls are taken; calls at work finish, for
// drain_seconds; the recorder, whose answers the pools send; the pools; loops; connections.
int Serve(const Flags& flags, const std::string& database_url, const sigset_t& stop_signals) {
  storage::Database database({.url = database_url, .pool_size = 2 * kDatabaseThreads + 9});
  if (absl::Status s = storage::Migrate(database); !s.ok()) return Fail(kDatabaseUnusable, s);
  recalculation::SnapshotRegistry registry;
  queue::TrackedQueues queues(&database, &registry);
  queue::QueueFollower follower(&queues);
  site_factor::SiteFactors site_factors(&queues, rpc::ConnectSiteFactorService, absl::Now);
  recalculation::LoopOptions loop_options = LoopOptionsOf(flags);
  loop_options.on_news = [&] { follower.Wake(); };
  loop_options.on_recalculated = [&](auto snapshot) { site_factors.Begin(std::move(snapshot)); };
  recalculation::RecalculationLoop loop(&database, &registry, absl::Now, loop_options);
  if (absl::Status s = loop.Start(); !s.ok()) return Fail(kDatabaseUnusable, s);

  usage::RetentionLoop retention(&database, {.leads = [&] { return loop.leads(); }});
  rpc::WorkerPool computing(static_cast<int>(std::max(2u, std::thread::hardware_concurrency())));
  rpc::WorkerPool storing(kDatabaseThreads);
  rpc::WorkerPool operating(kDatabaseThreads);
  usage::UsageRecorder recorder(&database, absl::Now);
  rpc::PriorityService priority_service(
      {.registry = &registry,
       .recorder = &recorder,
       .database = &database,
       .queues = &queues,
       .computing = &computing,
       .storing = &storing,
       .clock = absl::Now,
       .limits = {.max_jobs = flags.max_jobs, .max_records = flags.max_records}});
  rpc::AdminService admin_service({.database = &database,
                                   .registry = &registry,
                                   .loop = &loop,
                                   .site_factors = &site_factors,
                                   .operating = &operating,
                                   .clock = absl::Now});
  auto server =
      rpc::Server::Start({.listen = flags.listen, .max_message_bytes = flags.max_message_mib << 20},
                         {&priority_service, &admin_service});
  if (!server.ok()) return Fail(kBadFlags, server.status());
  spdlog::info("listening on {}", (*server)->address());

  const absl::Duration max_staleness = absl::Seconds(flags.max_staleness_seconds);
  AwaitStop(stop_signals, [&] { (*server)->SetServing(registry.StaleFor() <= max_staleness); });
  priority_service.Drain();
  (*server)->Drain(absl::Seconds(flags.drain_seconds));
  return kCleanStop;
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
  if (flags->data_dir.empty()) return Serve(*flags, flags->database_url, stop_signals);
  auto postgres = storage::EmbeddedPostgres::Start({.data_dir = flags->data_dir});
  if (!postgres.ok()) return Fail(kDatabaseUnusable, postgres.status());
  const int code = Serve(*flags, (*postgres)->Url(), stop_signals);
  postgres->reset();
  if (code == kCleanStop) spdlog::info("stopped");
  return code;
}

}  // namespace
}  // namespace priorityd

int main(int argc, char** argv) { return priorityd::Run(argc, argv); }
