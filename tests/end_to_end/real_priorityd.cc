#include "tests/end_to_end/real_priorityd.h"

#include <fcntl.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

constexpr char kBinary[] = "server/priorityd";
constexpr absl::Duration kPatience = absl::Minutes(2);
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

RealPriorityd::RealPriorityd(const std::vector<std::string>& flags)
    : folder_(storage::NewTestDirectory()) {
  std::vector<char*> arguments = {const_cast<char*>(kBinary)};
  for (const std::string& flag : flags) arguments.push_back(const_cast<char*>(flag.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  SendTo(folder_ + "/out", STDOUT_FILENO);
  SendTo(folder_ + "/err", STDERR_FILENO);
  execv(kBinary, arguments.data());
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
  constexpr char kListening[] = "listening on ";
  for (absl::Time until = absl::Now() + kPatience; absl::Now() < until;) {
    const std::string err = Err();
    const size_t at = err.find(kListening);
    const size_t end = at == std::string::npos ? at : err.find('\n', at);
    if (end != std::string::npos) {
      address_ = err.substr(at + sizeof(kListening) - 1, end - at - sizeof(kListening) + 1);
      return true;
    }
    if (HasEnded()) break;
    absl::SleepFor(kBetweenLooks);
  }
  ADD_FAILURE() << "priorityd does not listen:\n" << Err();
  return false;
}

std::shared_ptr<grpc::Channel> RealPriorityd::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(256 << 20);
  arguments.SetInt("grpc.enable_http_proxy", 0);
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
}

// Debian packages no proto of the health service, whose messages are one field
// each.
int RealPriorityd::CheckHealth(const std::string& service) const {
  std::string request =
      service.empty() ? "" : absl::StrCat("\x0a", std::string(1, service.size()), service);
  grpc::Slice slice(request);
  grpc::ByteBuffer request_bytes(&slice, 1), response_bytes;
  grpc::GenericStub stub(Connect());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  auto call =
      stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request_bytes, &queue);
  call->StartCall();
  grpc::Status status;
  call->Finish(&response_bytes, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  if (!status.ok()) return -static_cast<int>(status.error_code());
  grpc::Slice response;
  EXPECT_TRUE(response_bytes.DumpToSingleSlice(&response).ok());
  return response.size() == 2 && response.begin()[0] == 0x08 ? response.begin()[1] : 0;
}

void RealPriorityd::Signal(int signal) const { kill(pid_, signal); }

int RealPriorityd::Wait() {
  for (absl::Time until = absl::Now() + kPatience; absl::Now() < until;) {
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
