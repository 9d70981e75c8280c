#include "client/slurm/commands.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"

extern char** environ;

namespace priorityd::slurm_frontend {
namespace {

constexpr size_t kKeptOfErrors = 4096;

bool IsPlain(const std::string& word) {
  constexpr char kPlain[] = "_-./:=,@%+";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return absl::ascii_isalnum(c) || std::strchr(kPlain, c) != nullptr;
  });
}

std::string Quoted(const std::string& word) {
  if (IsPlain(word)) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

Arguments WithThrough(const Arguments& through, const Arguments& arguments) {
  Arguments all = through;
  const bool over_ssh =
      !through.empty() && (through[0] == "ssh" || absl::EndsWith(through[0], "/ssh"));
  for (const std::string& word : arguments) all.push_back(over_ssh ? Quoted(word) : word);
  return all;
}

// A pipe whose ends close by themselves.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void Close(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  bool open() const { return ends[0] >= 0; }
  std::array<int, 2> ends;
};

// A running program, in its own process group.
class Process {
 public:
  Process(const Arguments& arguments, const std::string& in) : arguments_(arguments), in_(in) {}

  // Kills the rest of the process group.
  ~Process() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  absl::Status Start() {
    if (!stdin_.open() || !stdout_.open() || !stderr_.open()) return Failure(std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, stdin_.ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, stdout_.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, stderr_.ends[1], 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> argv;
    for (const std::string& word : arguments_) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int error = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) pid_ = 0;
    if (error != 0) return Failure(std::strerror(error));
    stdin_.Close(0);
    stdout_.Close(1);
    stderr_.Close(1);
    fcntl(stdin_.ends[1], F_SETFL, O_NONBLOCK);
    return absl::OkStatus();
  }

  // Until it has closed its outputs.
  absl::Status Talk(absl::Time deadline, size_t max_output_bytes) {
    while (stdout_.open() || stderr_.open()) {
      if (in_.empty()) stdin_.Close(1);
      std::array<pollfd, 3> files = {pollfd{stdout_.ends[0], POLLIN, 0},
                                     pollfd{stderr_.ends[0], POLLIN, 0},
                                     pollfd{stdin_.ends[1], POLLOUT, 0}};
      const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
      if (left <= 0) return TooLong();
      const int ready =
          poll(files.data(), files.size(), static_cast<int>(std::min<int64_t>(left, 60'000)));
      if (ready < 0 && errno != EINTR) return Failure(std::strerror(errno));
      if (ready <= 0) continue;
      if (files[0].revents != 0) Read(stdout_, out_);
      if (files[1].revents != 0) Read(stderr_, err_);
      if (files[2].revents != 0) Write();
      if (err_.size() > 2 * kKeptOfErrors) err_.erase(0, err_.size() - kKeptOfErrors);
      if (out_.size() > max_output_bytes) return TooMuch(max_output_bytes);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Result(absl::Time deadline) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(pid_, &status, WNOHANG)) == 0) {
      if (absl::Now() > deadline) return TooLong();
      absl::SleepFor(absl::Milliseconds(1));
    }
    pid_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(out_);
    std::string why(absl::StripAsciiWhitespace(err_));
    if (why.size() > kKeptOfErrors) why.erase(0, why.size() - kKeptOfErrors);
    if (why.empty()) {
      why = WIFEXITED(status) ? absl::StrCat("exit status ", WEXITSTATUS(status))
                              : absl::StrCat("ended by signal ", WTERMSIG(status));
    }
    return Failure(absl::StrReplaceAll(why, {{"\n", "; "}}));
  }

 private:
  static void Read(Pipe& from, std::string& to) {
    std::array<char, 65536> buffer;
    const ssize_t got = read(from.ends[0], buffer.data(), buffer.size());
    if (got > 0) to.append(buffer.data(), static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) from.Close(0);
  }
  void Write() {
    const ssize_t put = write(stdin_.ends[1], in_.data(), in_.size());
    if (put > 0) in_.erase(0, static_cast<size_t>(put));
    if (put < 0 && errno != EINTR && errno != EAGAIN) in_.clear();
  }
  absl::Status Failure(absl::string_view why) const {
    return absl::UnavailableError(absl::StrCat(CommandText(arguments_), ": ", why));
  }
  absl::Status TooLong() const {
    return absl::DeadlineExceededError(
        absl::StrCat(CommandText(arguments_), ": no end within --command-timeout"));
  }
  absl::Status TooMuch(size_t bytes) const {
    return absl::ResourceExhaustedError(
        absl::StrCat(CommandText(arguments_), ": prints more than ", bytes, " bytes"));
  }

  const Arguments arguments_;
  std::string in_;
  std::string out_;
  std::string err_;
  Pipe stdin_, stdout_, stderr_;
  pid_t pid_ = 0;
};

}  // namespace

std::string CommandText(const Arguments& arguments) {
  return absl::StrJoin(arguments, " ", [](std::string* out, const std::string& word) {
    absl::StrAppend(out, Quoted(word));
  });
}

RunCommand MakeRunCommand(CommandOptions options) {
  // A program that does not read its input must not end this one.
  std::signal(SIGPIPE, SIG_IGN);
  return [options = std::move(options)](const Arguments& arguments,
                                        const std::string& in) -> absl::StatusOr<std::string> {
    const absl::Time deadline = absl::Now() + options.timeout;
    Process process(WithThrough(options.through, arguments), in);
    if (absl::Status started = process.Start(); !started.ok()) return started;
    if (absl::Status talked = process.Talk(deadline, options.max_output_bytes); !talked.ok())
      return talked;
    return process.Result(deadline);
  };
}

}  // namespace priorityd::slurm_frontend
