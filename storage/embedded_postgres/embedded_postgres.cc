#include "storage/embedded_postgres/embedded_postgres.h"

#include <utility>

#include "storage/embedded_postgres/create_database.h"
#include "storage/embedded_postgres/data_dir_lock.h"
#include "storage/embedded_postgres/leftover_postgres.h"
#include "storage/embedded_postgres/postgres_installation.h"
#include "storage/embedded_postgres/postgres_layout.h"
#include "storage/embedded_postgres/postgres_supervisor.h"

namespace priorityd::storage {

// The lock is given back last, when the server has ended.
struct EmbeddedPostgres::Parts {
  Parts(DataDirLock lock, PostgresLayout layout, std::string programs, Command server,
        absl::Duration start_timeout)
      : lock(std::move(lock)),
        layout(std::move(layout)),
        programs(std::move(programs)),
        supervisor(std::make_unique<PostgresSupervisor>(
            std::move(server), DatabaseUrl(this->layout, "postgres"), start_timeout)) {}
  ~Parts() {
    supervisor.reset();
    RemoveSocketDir(layout);
  }

  const DataDirLock lock;
  const PostgresLayout layout;
  const std::string programs;
  std::unique_ptr<PostgresSupervisor> supervisor;
};

absl::StatusOr<std::unique_ptr<EmbeddedPostgres>> EmbeddedPostgres::Start(
    EmbeddedPostgresOptions options) {
  absl::StatusOr<PostgresUser> user = PostgresUser::Choose();
  if (!user.ok()) return user.status();
  absl::StatusOr<std::string> root = MakeDataDir(options.data_dir, *user);
  if (!root.ok()) return root.status();
  absl::StatusOr<DataDirLock> lock = DataDirLock::Acquire(*root);
  if (!lock.ok()) return lock.status();
  absl::Status status = StopLeftoverPostgres(*root + "/postgres");
  if (!status.ok()) return status;
  absl::StatusOr<PostgresLayout> layout = MakeLayout(*root, *user);
  if (!layout.ok()) return layout.status();
  status = MakeCluster(*layout, *user, options.durable);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> programs = ProgramsOf(*layout);
  if (!programs.ok()) return programs.status();
  Command server = ServerCommand(*layout, *programs, *user, options.durable);

  std::unique_ptr<EmbeddedPostgres> postgres(new EmbeddedPostgres(
      std::make_unique<Parts>(*std::move(lock), *std::move(layout), *std::move(programs),
                              std::move(server), options.start_timeout)));
  status = postgres->parts_->supervisor->Start();
  if (status.ok()) status = CreateDatabase(postgres->Url("postgres"), "priorityd");
  if (!status.ok()) return status;
  return postgres;
}

EmbeddedPostgres::EmbeddedPostgres(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

EmbeddedPostgres::~EmbeddedPostgres() = default;

std::string EmbeddedPostgres::Url(const std::string& database) const {
  return DatabaseUrl(parts_->layout, database);
}

const std::string& EmbeddedPostgres::programs() const { return parts_->programs; }

std::string EmbeddedPostgres::major_version() const { return VersionOf(parts_->layout); }

void EmbeddedPostgres::Stop() { parts_->supervisor.reset(); }

const std::string& EmbeddedPostgres::data_dir() const { return parts_->layout.root; }

absl::Status EmbeddedPostgres::Check() const { return parts_->supervisor->Check(); }

int EmbeddedPostgres::pid() const { return parts_->supervisor->pid(); }

int64_t EmbeddedPostgres::restarts() const { return parts_->supervisor->restarts(); }

}  // namespace priorityd::storage
