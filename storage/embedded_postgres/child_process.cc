#include "storage/embedded_postgres/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr int kFirstOtherFd = 3;

// The arguments of posix_spawn, freed at the end of the scope.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

void SetFiles(const std::string& output_path, posix_spawn_file_actions_t* actions) {
  posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, output_path.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(actions, kFirstOtherFd);
  posix_spawn_file_actions_addchdir_np(actions, "/");
}

void SetSignals(posix_spawnattr_t* attributes) {
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

}  // namespace

absl::StatusOr<pid_t> Spawn(const Command& command) {
  SpawnSettings settings;
  SetFiles(command.output_path, &settings.actions);
  SetSignals(&settings.attributes);
  std::vector<std::string> arguments = command.arguments;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::string path = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
  std::string locale = "LC_ALL=C";
  std::string zone = "TZ=UTC";
  char* environment[] = {path.data(), locale.data(), zone.data(), nullptr};
  pid_t pid = 0;
  int error = posix_spawnp(&pid, argv[0], &settings.actions, &settings.attributes, argv.data(),
                           environment);
  if (error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("cannot run ", command.arguments.front()));
  }
  return pid;
}

absl::Status RunToEnd(const Command& command) {
  absl::StatusOr<pid_t> pid = Spawn(command);
  if (!pid.ok()) return pid.status();
  int wait_status = 0;
  while (waitpid(*pid, &wait_status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "waitpid");
  }
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(command.arguments.front(), " ", DescribeExit(wait_status)));
}

std::string DescribeExit(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return absl::StrCat("was killed by signal ", WTERMSIG(wait_status));
  }
  return absl::StrCat("exited with ", WEXITSTATUS(wait_status));
}

}  // namespace priorityd::storage
