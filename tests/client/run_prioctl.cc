#include "tests/client/run_prioctl.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "tests/temporary_folder.h"

namespace priorityd {
namespace {

std::filesystem::path Folder() {
  static const TemporaryFolder folder;
  return folder.path();
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// In the child: standard streams from and to files, then the program.
[[noreturn]] void Execute(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& streams) {
  for (int fd = 0; fd < 3; ++fd) {
    const int file = open(streams[fd].c_str(), fd == 0 ? O_RDONLY : O_WRONLY);
    if (file < 0 || dup2(file, fd) < 0) _exit(126);
  }
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

std::string WriteFile(const std::string& name, const std::string& content) {
  const std::string path = Folder() / name;
  std::ofstream(path) << content;
  return path;
}

Finished RunPrioctl(const std::vector<std::string>& arguments, const std::string& in,
                    const std::string& name) {
  std::string program = std::filesystem::absolute("client/prioctl");
  if (name != "prioctl") {
    const std::filesystem::path link = Folder() / name;
    std::filesystem::remove(link);
    std::filesystem::create_symlink(program, link);
    program = link;
  }
  return RunProgram(program, arguments, in);
}

Finished RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                    const std::string& in) {
  static std::atomic<int> runs = 0;
  const std::string run = absl::StrCat(++runs);
  const std::vector<std::string> streams = {
      WriteFile("stdin" + run, in), WriteFile("stdout" + run, ""), WriteFile("stderr" + run, "")};
  const pid_t child = fork();
  if (child == 0) Execute(std::filesystem::absolute(program), arguments, streams);
  int status = 0;
  waitpid(child, &status, 0);
  Finished finished = {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                       .out = ReadAll(streams[1]),
                       .err = ReadAll(streams[2])};
  for (const std::string& stream : streams) std::filesystem::remove(stream);
  return finished;
}

}  // namespace priorityd
