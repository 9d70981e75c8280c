#include "tests/end_to_end/running_priorityd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "grpcpp/channel.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace priorityd {
namespace {

constexpr std::chrono::minutes kStartTimeout{2};

// A port that nothing listens on.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || getsockname(fd, generic, &size) != 0) std::abort();
  close(fd);
  return ntohs(address.sin_port);
}

// Short, since PostgreSQL's socket path has to fit into 107 bytes.
std::string MakeFolder() {
  std::string name = "/tmp/priorityd_test.XXXXXX";
  if (mkdtemp(name.data()) == nullptr) std::abort();
  std::filesystem::permissions(name, std::filesystem::perms(0755));
  return name;
}

}  // namespace

RunningPriorityd::RunningPriorityd()
    : folder_(MakeFolder()), address_(absl::StrCat("127.0.0.1:", FreePort())) {
  Start();
}

void RunningPriorityd::Start() {
  const std::string program = std::filesystem::absolute("server/priorityd");
  const std::string listen = absl::StrCat("--listen=", address_);
  const std::string data_dir = absl::StrCat("--data_dir=", folder_, "/data");
  const std::string log = absl::StrCat(folder_, "/log");
  pid_ = fork();
  if (pid_ == 0) {
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), listen.c_str(), data_dir.c_str(), nullptr);
    _exit(127);
  }
  const auto channel = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  if (channel->WaitForConnected(std::chrono::system_clock::now() + kStartTimeout)) return;
  std::cerr << "priorityd does not answer at " << address_ << "; its log:\n"
            << std::ifstream(log).rdbuf() << std::endl;
  std::abort();
}

int RunningPriorityd::Stop(int signal) {
  kill(pid_, signal);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

RunningPriorityd::~RunningPriorityd() {
  if (pid_ != 0) Stop(SIGTERM);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace priorityd
