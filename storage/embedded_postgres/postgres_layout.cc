#include "storage/embedded_postgres/postgres_layout.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "storage/database/connection_string.h"

namespace priorityd::storage {
namespace {

namespace fs = std::filesystem;

constexpr char kDatabaseUser[] = "priorityd";
constexpr size_t kLongestSocketPath = 107;
constexpr uintmax_t kLongestLog = 16 << 20;

absl::Status MakeDirectory(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("data_dir: cannot create ", path));
}

std::string ReadFirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string SocketDirNote(const std::string& root) { return absl::StrCat(root, "/socket_dir"); }

void RemoveShortSocketDir(const std::string& root) {
  std::error_code ignored;
  const std::string path = ReadFirstLine(SocketDirNote(root));
  if (absl::StrContains(path, "/priorityd-")) fs::remove_all(path, ignored);
  fs::remove(SocketDirNote(root), ignored);
}

// The directory for sockets whose path would be too long below data_dir.
std::string ShortParent(const PostgresUser& user) {
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  const bool usable = runtime_dir != nullptr && *runtime_dir == '/' && !user.IsOther() &&
                      access(runtime_dir, W_OK) == 0 && absl::string_view(runtime_dir).size() < 60;
  return usable ? runtime_dir : "/tmp";
}

// A private directory with a path short enough. Its name is noted, for it to
// be removed next time if this program gets no chance to.
absl::StatusOr<std::string> MakeShortSocketDir(const std::string& root, const PostgresUser& user) {
  RemoveShortSocketDir(root);
  std::string path = absl::StrCat(ShortParent(user), "/priorityd-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("data_dir: cannot create ", path));
  }
  std::ofstream(SocketDirNote(root)) << path << "\n";
  absl::Status owned = user.Own(path);
  if (!owned.ok()) return owned;
  return path;
}

absl::StatusOr<std::string> MakeSocketDir(const std::string& root, const PostgresUser& user) {
  const std::string path = absl::StrCat(root, "/socket");
  if (absl::StrCat(path, "/.s.PGSQL.5432").size() > kLongestSocketPath) {
    return MakeShortSocketDir(root, user);
  }
  // Whatever a server that was killed left in it would be in the way.
  std::error_code ignored;
  fs::remove_all(path, ignored);
  absl::Status made = MakeDirectory(path, 0700);
  if (made.ok()) made = user.Own(path);
  if (!made.ok()) return made;
  return path;
}

Command AsUser(const PostgresUser& user, const std::string& death_signal,
               const std::vector<std::string>& arguments, const std::string& output_path) {
  Command command{user.CommandPrefix(death_signal), output_path};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

// An empty directory, for initdb to fill, that `user` can reach.
absl::Status MakeUnfinished(const std::string& path, const PostgresLayout& layout,
                            const PostgresUser& user) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
  absl::Status status = MakeDirectory(path, 0700);
  if (status.ok()) status = user.Own(path);
  if (!status.ok()) return status;
  if (RunToEnd(AsUser(user, "KILL", {"test", "-w", path}, layout.log)).ok()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "data_dir: PostgreSQL runs as the user ", user.name(), ", who cannot reach ", layout.root,
      "; choose a directory below ones open to all, such as /var/lib/priorityd"));
}

}  // namespace

absl::StatusOr<std::string> MakeDataDir(const std::string& data_dir, const PostgresUser& user) {
  if (data_dir.empty()) return absl::InvalidArgumentError("data_dir: got none, want a directory");
  std::error_code error;
  const fs::path path = fs::absolute(data_dir, error);
  fs::create_directories(path.parent_path(), error);
  // Other users need access to entries, but not to the listing.
  absl::Status made = MakeDirectory(path.string(), user.IsOther() ? 0711 : 0700);
  if (!made.ok()) return made;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat("data_dir: ", path.string()));
  return canonical.string();
}

absl::StatusOr<PostgresLayout> MakeLayout(const std::string& root, const PostgresUser& user) {
  PostgresLayout layout{root, absl::StrCat(root, "/postgres"), absl::StrCat(root, "/postgres.log"),
                        ""};
  std::error_code error;
  if (fs::file_size(layout.log, error) > kLongestLog && !error) {
    fs::rename(layout.log, absl::StrCat(layout.log, ".1"), error);
  }
  absl::StatusOr<std::string> socket_dir = MakeSocketDir(root, user);
  if (!socket_dir.ok()) return socket_dir.status();
  layout.socket_dir = *std::move(socket_dir);
  return layout;
}

absl::Status MakeCluster(const PostgresLayout& layout, const PostgresUser& user, bool durable) {
  std::error_code error;
  if (fs::exists(layout.cluster, error)) return absl::OkStatus();
  absl::StatusOr<std::string> programs = FindPostgresPrograms("");
  if (!programs.ok()) return programs.status();
  // Moved to its place when it is complete.
  const std::string unfinished = absl::StrCat(layout.cluster, ".new");
  absl::Status status = MakeUnfinished(unfinished, layout, user);
  if (!status.ok()) return status;
  std::vector<std::string> initdb = {absl::StrCat(*programs, "/initdb"),
                                     "-D",
                                     unfinished,
                                     "-U",
                                     kDatabaseUser,
                                     "-A",
                                     "trust",
                                     "-E",
                                     "UTF8",
                                     "--locale=C",
                                     "--data-checksums",
                                     "--no-instructions"};
  if (!durable) initdb.push_back("--no-sync");
  spdlog::info("storage: creating a PostgreSQL data directory in {}", layout.cluster);
  if (!RunToEnd(AsUser(user, "KILL", initdb, layout.log)).ok()) {
    return absl::FailedPreconditionError(absl::StrCat("data_dir: initdb failed; see ", layout.log));
  }
  fs::rename(unfinished, layout.cluster, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("data_dir: cannot create ", layout.cluster));
}

std::string VersionOf(const PostgresLayout& layout) {
  return ReadFirstLine(absl::StrCat(layout.cluster, "/PG_VERSION"));
}

absl::StatusOr<std::string> ProgramsOf(const PostgresLayout& layout) {
  return FindPostgresPrograms(VersionOf(layout));
}

Command ServerCommand(const PostgresLayout& layout, const std::string& programs,
                      const PostgresUser& user, bool durable) {
  const std::string safe = durable ? "on" : "off";
  return AsUser(user, "INT",
                {absl::StrCat(programs, "/postgres"), "-D", layout.cluster, "-k", layout.socket_dir,
                 "-p", "5432", "-c", "listen_addresses=", "-c", "unix_socket_permissions=0700",
                 "-c", absl::StrCat("fsync=", safe), "-c", "synchronous_commit=on", "-c",
                 absl::StrCat("full_page_writes=", safe)},
                layout.log);
}

std::string DatabaseUrl(const PostgresLayout& layout, const std::string& database) {
  return JoinConnectionString({{"host", layout.socket_dir},
                               {"port", "5432"},
                               {"user", kDatabaseUser},
                               {"dbname", database},
                               {"connect_timeout", "10"}});
}

void RemoveSocketDir(const PostgresLayout& layout) {
  std::error_code ignored;
  fs::remove_all(layout.socket_dir, ignored);
  fs::remove(SocketDirNote(layout.root), ignored);
}

}  // namespace priorityd::storage
