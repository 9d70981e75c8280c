#include "server/backups/dump.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/usage/usage_rebuild.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "storage/database/read_context.h"
#include "storage/embedded_postgres/child_process.h"
#include "storage/schema/content_digest.h"
#include "storage/schema/migration.h"

namespace priorityd::backups {
namespace {

namespace fs = std::filesystem;

// More often than the server ends idle transactions.
constexpr absl::Duration kKeepAlive = absl::Milliseconds(200);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(50);

// Reserves room for the program's last line, also where it fills the disk itself.
void Reserve(const std::string& output_path) {
  constexpr off_t kRoom = 4096;
  const int file = open(output_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  fallocate(file, FALLOC_FL_KEEP_SIZE, 0, kRoom);
  close(file);
}

// A program of PostgreSQL with a file for its output, both ended with the block.
class Program {
 public:
  // `arguments`: the first is the program.
  Program(std::vector<std::string> arguments, std::string output_path)
      : name_(fs::path(arguments.front()).filename().string()),
        output_path_(std::move(output_path)) {
    std::vector<std::string> command = {"setpriv", "--pdeathsig=TERM", "--"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Reserve(output_path_);
    pid_ = storage::Spawn({std::move(command), output_path_});
  }
  ~Program() {
    if (pid_.ok() && *pid_ != 0) {
      kill(*pid_, SIGTERM);
      Await(/*wait=*/true);
    }
    std::error_code ignored;
    fs::remove(output_path_, ignored);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // True if it has ended.
  bool Await(bool wait) {
    if (!pid_.ok() || *pid_ == 0) return true;
    pid_t ended = 0;
    do {
      ended = waitpid(*pid_, &wait_status_, wait ? 0 : WNOHANG);
    } while (ended < 0 && errno == EINTR);
    if (ended != *pid_) return false;
    pid_ = 0;
    return true;
  }

  // REQUIRES: it has ended. FAILED_PRECONDITION with the last line of its output.
  absl::Status Result() const {
    if (!pid_.ok()) return pid_.status();
    if (WIFEXITED(wait_status_) && WEXITSTATUS(wait_status_) == 0) return absl::OkStatus();
    std::ifstream output(output_path_);
    std::string line;
    std::string last = storage::DescribeExit(wait_status_);
    while (std::getline(output, line)) {
      if (!line.empty()) last = line;
    }
    return absl::FailedPreconditionError(absl::StrCat("backup: ", name_, ": ", last));
  }

 private:
  const std::string name_;
  const std::string output_path_;
  absl::StatusOr<pid_t> pid_ = 0;
  int wait_status_ = 0;
};

absl::StatusOr<Backup> DumpIn(storage::Transaction& transaction, const Origin& origin,
                              const std::string& path) {
  storage::ContentDigest content(transaction);
  auto snapshot = content.ExportSnapshot();
  if (!snapshot.ok()) return snapshot.status();
  Backup backup;
  backup.begun_at = absl::Now();
  auto version = content.SchemaVersion();
  if (!version.ok()) return version.status();
  backup.schema_version = *version;
  Program program(
      {absl::StrCat(origin.programs, "/pg_dump"), "--format=custom", "--schema=priorityd",
       "--schema=priorityd_report", absl::StrCat("--snapshot=", *snapshot),
       absl::StrCat("--file=", path), absl::StrCat("--dbname=", origin.url)},
      absl::StrCat(path, ".log.part"));
  auto tables = content.Tables();
  if (!tables.ok()) return tables.status();
  backup.tables = *std::move(tables);
  while (!program.Await(/*wait=*/false)) {
    if (absl::Status s = storage::ReadContext::CheckCurrent(); !s.ok()) return s;
    if (absl::Status s = content.KeepAlive(); !s.ok()) return s;
    absl::SleepFor(kKeepAlive);
  }
  if (absl::Status s = program.Result(); !s.ok()) return s;
  return backup;
}

absl::Status CompareTables(storage::Database& restored, const Backup& backup) {
  auto tables = restored.Read([](storage::Transaction& transaction) {
    return storage::ContentDigest(transaction).Tables();
  });
  if (!tables.ok()) return tables.status();
  if (*tables == backup.tables) return absl::OkStatus();
  for (const auto& [table, want] : backup.tables) {
    const auto got = tables->find(table);
    if (got != tables->end() && got->second == want) continue;
    return absl::DataLossError(absl::StrCat(backup.name, ": ", table, ": got ",
                                            got == tables->end() ? "no table" : got->second,
                                            " (rows, digest), want ", want));
  }
  return absl::DataLossError(
      absl::StrCat(backup.name, ": got ", tables->size(), " tables, want ", backup.tables.size()));
}

// A backup may be older than this program's schema.
absl::Status CountAgain(storage::Database& restored, const Backup& backup) {
  if (absl::Status s = storage::Migrate(restored); !s.ok()) return s;
  auto clusters = restored.Read(
      [](storage::Transaction& transaction) { return storage::ClusterStore(transaction).List(); });
  if (!clusters.ok()) return clusters.status();
  for (const storage::Cluster& cluster : *clusters) {
    auto result = usage::RebuildUsage(
        restored, {.cluster = cluster.name, .principal = "VerifyBackup", .validate_only = true},
        [](const usage::Progress&) { return storage::ReadContext::CheckCurrent(); });
    if (!result.ok()) return result.status();
    if (result->wrong.empty()) continue;
    return absl::DataLossError(absl::StrCat(backup.name, ": cluster ", cluster.name, ": ",
                                            result->wrong.size(),
                                            " rows of usage differ from the ledger"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Backup> Dump(const Origin& origin, const std::string& path) {
  storage::Database database({.url = origin.url, .pool_size = 1});
  return database.Read(
      [&](storage::Transaction& transaction) { return DumpIn(transaction, origin, path); });
}

absl::Status RestoreAndCompare(const std::string& dump, const Backup& backup,
                               const storage::EmbeddedPostgres& target) {
  Program program(
      {absl::StrCat(target.programs(), "/pg_restore"), "--no-owner", "--no-privileges",
       "--exit-on-error", "--single-transaction", absl::StrCat("--dbname=", target.Url()), dump},
      absl::StrCat(target.data_dir(), "/restore.log"));
  while (!program.Await(/*wait=*/false)) {
    if (absl::Status s = storage::ReadContext::CheckCurrent(); !s.ok()) return s;
    absl::SleepFor(kBetweenLooks);
  }
  if (absl::Status s = program.Result(); !s.ok()) return s;
  storage::Database restored({.url = target.Url(), .pool_size = 2});
  if (absl::Status s = CompareTables(restored, backup); !s.ok()) return s;
  return CountAgain(restored, backup);
}

}  // namespace priorityd::backups
