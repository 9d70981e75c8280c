#include "tests/client/running_prioctl.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace priorityd {

RunningPrioctl::RunningPrioctl(const std::vector<std::string>& arguments)
    : errors_(WriteFile("running_stderr", "")) {
  const std::string program = std::filesystem::absolute("client/prioctl");
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(open(errors_.c_str(), O_WRONLY), STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& text : arguments) argv.push_back(const_cast<char*>(text.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

RunningPrioctl::~RunningPrioctl() {
  CloseInput();
  CloseOutput();
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void RunningPrioctl::Write(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(in_, text.data(), text.size());
}

void RunningPrioctl::CloseInput() {
  if (in_ >= 0) close(std::exchange(in_, -1));
}

void RunningPrioctl::CloseOutput() {
  if (out_ >= 0) close(std::exchange(out_, -1));
}

std::string RunningPrioctl::ReadLine() {
  std::string line;
  char c = 0;
  while (read(out_, &c, 1) == 1) {
    line.push_back(c);
    if (c == '\n') break;
  }
  return line;
}

void RunningPrioctl::Signal(int signal) { kill(pid_, signal); }

std::string RunningPrioctl::Errors() const {
  std::stringstream content;
  content << std::ifstream(errors_).rdbuf();
  return content.str();
}

Finished RunningPrioctl::Wait() {
  std::string out;
  for (std::string line = ReadLine(); !line.empty(); line = ReadLine()) out += line;
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          .out = out,
          .err = Errors()};
}

}  // namespace priorityd
