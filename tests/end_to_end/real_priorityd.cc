#include "tests/end_to_end/real_priorityd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

constexpr char kBinary[] = "server/priorityd";
constexpr absl::Duration kStartPatience = absl::Minutes(2);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(10);

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void SendTo(const std::string& path, int fd) {
  dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), fd);
}

}  // namespace

RealPriorityd::RealPriorityd(const std::vector<std::string>& flags, const std::string& binary)
    : folder_(storage::NewTestDirectory()) {
  const std::string path = binary.empty() ? kBinary : binary;
  std::vector<char*> arguments = {const_cast<char*>(path.c_str())};
  for (const std::string& flag : flags) arguments.push_back(const_cast<char*>(flag.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  signal(SIGPIPE, SIG_DFL);  // As from a shell, whatever other tests of the process set.
  SendTo(folder_ + "/out", STDOUT_FILENO);
  SendTo(folder_ + "/err", STDERR_FILENO);
  execv(path.c_str(), arguments.data());
  _exit(127);
}

RealPriorityd::~RealPriorityd() {
  if (HasEnded()) return;
  Signal(SIGTERM);
  Wait();
}

bool RealPriorityd::HasEnded() {
  if (pid_ == 0) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  pid_ = 0;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

bool RealPriorityd::AwaitListening() {
  address_ = AwaitLogged("listening on ");
  return !address_.empty();
}

std::string RealPriorityd::AwaitLogged(const std::string& begin) {
  for (absl::Time until = absl::Now() + kStartPatience; absl::Now() < until;) {
    const bool ended = HasEnded();
    const std::string err = Err();
    const size_t at = err.find(begin);
    const size_t end = at == std::string::npos ? at : err.find('\n', at);
    if (end != std::string::npos) return err.substr(at + begin.size(), end - at - begin.size());
    if (ended) break;
    absl::SleepFor(kBetweenLooks);
  }
  ADD_FAILURE() << "priorityd has not logged \"" << begin << "\":\n" << Err();
  return "";
}

std::shared_ptr<grpc::Channel> RealPriorityd::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(256 << 20);
  arguments.SetInt("grpc.enable_http_proxy", 0);
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
}

void RealPriorityd::Signal(int signal) const { kill(pid_, signal); }

int RealPriorityd::Wait() {
  for (absl::Time until = absl::Now() + kStartPatience; absl::Now() < until;) {
    if (HasEnded()) return exit_code_;
    absl::SleepFor(kBetweenLooks);
  }
  ADD_FAILURE() << "priorityd does not end";
  Signal(SIGKILL);
  return -1;
}

std::string RealPriorityd::Out() const { return Content(folder_ + "/out"); }
std::string RealPriorityd::Err() const { return Content(folder_ + "/err"); }

}  // namespace priorityd
